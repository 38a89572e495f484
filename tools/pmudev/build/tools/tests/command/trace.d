/work/main/tools/pmudev/build/tools/tests/command/trace.o: \
 /work/main/tools/pmudev/trace.c /work/main/tools/pmudev/trace.h
/work/main/tools/pmudev/trace.h:
