/work/main/tools/pmudev/build/tools/tests/command/json.o: \
 /work/main/tools/pmudev/json.c /work/main/tools/pmudev/json.h
/work/main/tools/pmudev/json.h:
