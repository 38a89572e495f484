/work/main/tools/pmudev/build/tools/tests/command/identity.o: \
 /work/main/tools/pmudev/identity.c /work/main/tools/pmudev/identity.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h
/work/main/tools/pmudev/identity.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
