/* SPDX-License-Identifier: GPL-2.0 */
/* Functions and lines of programs, by libdw (symbols_dw.c), or none (symbols_none.c). */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct symbols;

/**
 * struct symbol_place - what a file says of a byte of it
 * @symbol: the function, NULL: unknown
 * @start: where it begins: several can have one name
 * @source: the file of the source, NULL: unknown
 * @line: the line in it
 *
 * Texts are valid as long as the symbols.
 */
struct symbol_place {
	const char *symbol;
	uint64_t start;
	const char *source;
	int line;
};

/* Is there a library that finds them? */
bool symbols_known(void);

/*
 * @written: a file that changed after this is another one, which is told on stderr, and has no
 * symbols. NULL if there is no memory.
 */
struct symbols *symbols_open(time_t written);
void symbols_close(struct symbols *symbols);

/* @lines: the source, too */
struct symbol_place symbols_find(struct symbols *symbols, const char *file, uint64_t offset,
				 bool lines);

#endif /* SYMBOLS_H */
