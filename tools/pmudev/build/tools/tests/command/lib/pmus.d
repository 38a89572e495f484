/work/main/tools/pmudev/build/tools/tests/command/lib/pmus.o: \
 /work/main/tools/lib/pmus.c /work/main/tools/lib/cache.h \
 /work/main/tools/lib/parser.h /work/main/tools/lib/pmus.h \
 /work/main/tools/lib/include/pmudev_events.h \
 /work/main/tools/lib/../../uapi/linux/pmudev.h \
 /work/main/tools/lib/lib.h \
 /work/main/tools/lib/include/pmudev_set_array.h \
 /work/main/tools/lib/include/pmudev.h \
 /work/main/tools/lib/include/pmudev_direct.h \
 /work/main/tools/lib/include/pmudev_read.h \
 /work/main/tools/lib/include/pmudev_counter.h \
 /work/main/tools/lib/include/pmudev_reader.h
/work/main/tools/lib/cache.h:
/work/main/tools/lib/parser.h:
/work/main/tools/lib/pmus.h:
/work/main/tools/lib/include/pmudev_events.h:
/work/main/tools/lib/../../uapi/linux/pmudev.h:
/work/main/tools/lib/lib.h:
/work/main/tools/lib/include/pmudev_set_array.h:
/work/main/tools/lib/include/pmudev.h:
/work/main/tools/lib/include/pmudev_direct.h:
/work/main/tools/lib/include/pmudev_read.h:
/work/main/tools/lib/include/pmudev_counter.h:
/work/main/tools/lib/include/pmudev_reader.h:
