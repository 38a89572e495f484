/work/main/tools/pmudev/build/tools/tests/command/maps.o: \
 /work/main/tools/pmudev/maps.c /work/main/tools/pmudev/maps.h
/work/main/tools/pmudev/maps.h:
