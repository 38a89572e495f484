/work/main/tools/pmudev/build/tools/tests/command/csv.o: \
 /work/main/tools/pmudev/csv.c /work/main/tools/pmudev/csv.h
/work/main/tools/pmudev/csv.h:
