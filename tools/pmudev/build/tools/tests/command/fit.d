/work/main/tools/pmudev/build/tools/tests/command/fit.o: \
 /work/main/tools/pmudev/fit.c /work/main/tools/pmudev/fit.h \
 /work/main/tools/pmudev/../lib/include/pmudev.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/../lib/include/pmudev_direct.h \
 /work/main/tools/pmudev/../lib/include/pmudev_read.h \
 /work/main/tools/pmudev/../lib/include/pmudev_counter.h \
 /work/main/tools/pmudev/../lib/include/pmudev_reader.h \
 /work/main/tools/pmudev/events.h \
 /work/main/tools/pmudev/../lib/include/pmudev_events.h \
 /work/main/tools/pmudev/holders.h
/work/main/tools/pmudev/fit.h:
/work/main/tools/pmudev/../lib/include/pmudev.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/../lib/include/pmudev_direct.h:
/work/main/tools/pmudev/../lib/include/pmudev_read.h:
/work/main/tools/pmudev/../lib/include/pmudev_counter.h:
/work/main/tools/pmudev/../lib/include/pmudev_reader.h:
/work/main/tools/pmudev/events.h:
/work/main/tools/pmudev/../lib/include/pmudev_events.h:
/work/main/tools/pmudev/holders.h:
