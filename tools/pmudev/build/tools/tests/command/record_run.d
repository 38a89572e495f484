/work/main/tools/pmudev/build/tools/tests/command/record_run.o: \
 /work/main/tools/pmudev/record_run.c \
 /work/main/tools/pmudev/../lib/include/pmudev_deadline.h \
 /work/main/tools/pmudev/../lib/include/pmudev.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/../lib/include/pmudev_direct.h \
 /work/main/tools/pmudev/../lib/include/pmudev_read.h \
 /work/main/tools/pmudev/../lib/include/pmudev_counter.h \
 /work/main/tools/pmudev/../lib/include/pmudev_reader.h \
 /work/main/tools/pmudev/child.h /work/main/tools/pmudev/cmd.h \
 /work/main/tools/pmudev/../lib/include/pmudev_set_array.h \
 /work/main/tools/pmudev/record.h \
 /work/main/tools/pmudev/../lib/include/pmudev_samples.h \
 /work/main/tools/pmudev/events.h \
 /work/main/tools/pmudev/../lib/include/pmudev_events.h \
 /work/main/tools/pmudev/maps.h /work/main/tools/pmudev/trace.h \
 /work/main/tools/pmudev/watch.h
/work/main/tools/pmudev/../lib/include/pmudev_deadline.h:
/work/main/tools/pmudev/../lib/include/pmudev.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/../lib/include/pmudev_direct.h:
/work/main/tools/pmudev/../lib/include/pmudev_read.h:
/work/main/tools/pmudev/../lib/include/pmudev_counter.h:
/work/main/tools/pmudev/../lib/include/pmudev_reader.h:
/work/main/tools/pmudev/child.h:
/work/main/tools/pmudev/cmd.h:
/work/main/tools/pmudev/../lib/include/pmudev_set_array.h:
/work/main/tools/pmudev/record.h:
/work/main/tools/pmudev/../lib/include/pmudev_samples.h:
/work/main/tools/pmudev/events.h:
/work/main/tools/pmudev/../lib/include/pmudev_events.h:
/work/main/tools/pmudev/maps.h:
/work/main/tools/pmudev/trace.h:
/work/main/tools/pmudev/watch.h:
