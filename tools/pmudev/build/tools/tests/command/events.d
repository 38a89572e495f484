/work/main/tools/pmudev/build/tools/tests/command/events.o: \
 /work/main/tools/pmudev/events.c /work/main/tools/pmudev/events.h \
 /work/main/tools/pmudev/../lib/include/pmudev_events.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h
/work/main/tools/pmudev/events.h:
/work/main/tools/pmudev/../lib/include/pmudev_events.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
