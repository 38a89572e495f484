/work/main/tools/pmudev/build/tools/tests/command/kallsyms.o: \
 /work/main/tools/pmudev/kallsyms.c /work/main/tools/pmudev/kallsyms.h
/work/main/tools/pmudev/kallsyms.h:
