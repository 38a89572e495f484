/work/main/tools/pmudev/build/tools/tests/command/users.o: \
 /work/main/tools/pmudev/users.c \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/users.h
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/users.h:
