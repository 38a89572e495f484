/work/main/tools/pmudev/build/tools/tests/command/bench.o: \
 /work/main/tools/pmudev/bench.c /work/main/tools/pmudev/bench.h \
 /work/main/tools/pmudev/../lib/include/pmudev.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/../lib/include/pmudev_direct.h \
 /work/main/tools/pmudev/../lib/include/pmudev_read.h \
 /work/main/tools/pmudev/../lib/include/pmudev_counter.h \
 /work/main/tools/pmudev/../lib/include/pmudev_reader.h \
 /work/main/tools/pmudev/cmd.h \
 /work/main/tools/pmudev/../lib/include/pmudev_set_array.h \
 /work/main/tools/pmudev/colour.h /work/main/tools/pmudev/defaults.h
/work/main/tools/pmudev/bench.h:
/work/main/tools/pmudev/../lib/include/pmudev.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/../lib/include/pmudev_direct.h:
/work/main/tools/pmudev/../lib/include/pmudev_read.h:
/work/main/tools/pmudev/../lib/include/pmudev_counter.h:
/work/main/tools/pmudev/../lib/include/pmudev_reader.h:
/work/main/tools/pmudev/cmd.h:
/work/main/tools/pmudev/../lib/include/pmudev_set_array.h:
/work/main/tools/pmudev/colour.h:
/work/main/tools/pmudev/defaults.h:
