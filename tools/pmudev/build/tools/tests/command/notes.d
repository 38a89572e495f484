/work/main/tools/pmudev/build/tools/tests/command/notes.o: \
 /work/main/tools/pmudev/notes.c /work/main/tools/pmudev/cmd.h \
 /work/main/tools/pmudev/../lib/include/pmudev_set_array.h \
 /work/main/tools/pmudev/../lib/include/pmudev.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/../lib/include/pmudev_direct.h \
 /work/main/tools/pmudev/../lib/include/pmudev_read.h \
 /work/main/tools/pmudev/../lib/include/pmudev_counter.h \
 /work/main/tools/pmudev/../lib/include/pmudev_reader.h \
 /work/main/tools/pmudev/stat.h /work/main/tools/pmudev/counted.h \
 /work/main/tools/pmudev/events.h \
 /work/main/tools/pmudev/../lib/include/pmudev_events.h \
 /work/main/tools/pmudev/target.h /work/main/tools/pmudev/ticks.h
/work/main/tools/pmudev/cmd.h:
/work/main/tools/pmudev/../lib/include/pmudev_set_array.h:
/work/main/tools/pmudev/../lib/include/pmudev.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/../lib/include/pmudev_direct.h:
/work/main/tools/pmudev/../lib/include/pmudev_read.h:
/work/main/tools/pmudev/../lib/include/pmudev_counter.h:
/work/main/tools/pmudev/../lib/include/pmudev_reader.h:
/work/main/tools/pmudev/stat.h:
/work/main/tools/pmudev/counted.h:
/work/main/tools/pmudev/events.h:
/work/main/tools/pmudev/../lib/include/pmudev_events.h:
/work/main/tools/pmudev/target.h:
/work/main/tools/pmudev/ticks.h:
