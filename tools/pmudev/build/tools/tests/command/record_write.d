/work/main/tools/pmudev/build/tools/tests/command/record_write.o: \
 /work/main/tools/pmudev/record_write.c /work/main/tools/pmudev/csv.h \
 /work/main/tools/pmudev/json.h /work/main/tools/pmudev/kallsyms.h \
 /work/main/tools/pmudev/record.h \
 /work/main/tools/pmudev/../lib/include/pmudev_samples.h \
 /work/main/tools/pmudev/../lib/include/pmudev.h \
 /work/main/tools/pmudev/../../uapi/linux/pmudev.h \
 /work/main/tools/pmudev/../lib/include/pmudev_direct.h \
 /work/main/tools/pmudev/../lib/include/pmudev_read.h \
 /work/main/tools/pmudev/../lib/include/pmudev_counter.h \
 /work/main/tools/pmudev/../lib/include/pmudev_reader.h \
 /work/main/tools/pmudev/events.h \
 /work/main/tools/pmudev/../lib/include/pmudev_events.h \
 /work/main/tools/pmudev/maps.h
/work/main/tools/pmudev/csv.h:
/work/main/tools/pmudev/json.h:
/work/main/tools/pmudev/kallsyms.h:
/work/main/tools/pmudev/record.h:
/work/main/tools/pmudev/../lib/include/pmudev_samples.h:
/work/main/tools/pmudev/../lib/include/pmudev.h:
/work/main/tools/pmudev/../../uapi/linux/pmudev.h:
/work/main/tools/pmudev/../lib/include/pmudev_direct.h:
/work/main/tools/pmudev/../lib/include/pmudev_read.h:
/work/main/tools/pmudev/../lib/include/pmudev_counter.h:
/work/main/tools/pmudev/../lib/include/pmudev_reader.h:
/work/main/tools/pmudev/events.h:
/work/main/tools/pmudev/../lib/include/pmudev_events.h:
/work/main/tools/pmudev/maps.h:
