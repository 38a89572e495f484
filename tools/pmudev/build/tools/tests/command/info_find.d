/work/main/tools/pmudev/build/tools/tests/command/info_find.o: \
 /work/main/tools/pmudev/info_find.c /work/main/tools/pmudev/cmd.h \
 /work/main/tools/pmudev/../lib/include/pmudev_set_array.h \
 /work/main/tools/pmudev/../lib/include/pmudev.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/../lib/include/pmudev_direct.h \
 /work/main/tools/pmudev/../lib/include/pmudev_read.h \
 /work/main/tools/pmudev/../lib/include/pmudev_counter.h \
 /work/main/tools/pmudev/../lib/include/pmudev_reader.h \
 /work/main/tools/pmudev/holders.h /work/main/tools/pmudev/info.h \
 /work/main/tools/pmudev/json.h /work/main/tools/pmudev/users.h
/work/main/tools/pmudev/cmd.h:
/work/main/tools/pmudev/../lib/include/pmudev_set_array.h:
/work/main/tools/pmudev/../lib/include/pmudev.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/../lib/include/pmudev_direct.h:
/work/main/tools/pmudev/../lib/include/pmudev_read.h:
/work/main/tools/pmudev/../lib/include/pmudev_counter.h:
/work/main/tools/pmudev/../lib/include/pmudev_reader.h:
/work/main/tools/pmudev/holders.h:
/work/main/tools/pmudev/info.h:
/work/main/tools/pmudev/json.h:
/work/main/tools/pmudev/users.h:
