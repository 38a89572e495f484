/work/main/tools/pmudev/build/tools/tests/command/lib/set_array.o: \
 /work/main/tools/lib/set_array.c /work/main/tools/lib/set_array.h \
 /work/main/tools/lib/lib.h \
 /work/main/tools/lib/include/pmudev_set_array.h \
 /work/main/tools/lib/include/pmudev.h \
 /work/main/tools/lib/../../uapi/linux/pmudev.h \
 /work/main/tools/lib/include/pmudev_direct.h \
 /work/main/tools/lib/include/pmudev_read.h \
 /work/main/tools/lib/include/pmudev_counter.h \
 /work/main/tools/lib/include/pmudev_reader.h
/work/main/tools/lib/set_array.h:
/work/main/tools/lib/lib.h:
/work/main/tools/lib/include/pmudev_set_array.h:
/work/main/tools/lib/include/pmudev.h:
/work/main/tools/lib/../../uapi/linux/pmudev.h:
/work/main/tools/lib/include/pmudev_direct.h:
/work/main/tools/lib/include/pmudev_read.h:
/work/main/tools/lib/include/pmudev_counter.h:
/work/main/tools/lib/include/pmudev_reader.h:
