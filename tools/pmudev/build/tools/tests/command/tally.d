/work/main/tools/pmudev/build/tools/tests/command/tally.o: \
 /work/main/tools/pmudev/tally.c /work/main/tools/pmudev/tally.h \
 /work/main/tools/pmudev/json.h /work/main/tools/pmudev/samples_file.h \
 /work/main/tools/pmudev/csv.h /work/main/tools/pmudev/symbols.h
/work/main/tools/pmudev/tally.h:
/work/main/tools/pmudev/json.h:
/work/main/tools/pmudev/samples_file.h:
/work/main/tools/pmudev/csv.h:
/work/main/tools/pmudev/symbols.h:
