// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"

/* @file: of a module, NULL: the kernel itself */
struct symbol {
	uint64_t address;
	char *name;
	char *file;
};

static struct symbol *symbols;
static size_t nr;

static int compare(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* "ffff800080010000 T _stext", and behind a tab the module. False: no memory. */
static bool add_line(const char *line, size_t *room)
{
	struct symbol *more, symbol = {};
	char type, name[512], file[128] = "";

	if (sscanf(line, "%" SCNx64 " %c %511s %127s", &symbol.address, &type, name, file) < 3 ||
	    !symbol.address || !strchr("tTwW", type))
		return true;
	if (nr == *room) {
		*room = *room ? 2 * *room : 4096;
		more = realloc(symbols, *room * sizeof(*symbols));
		if (!more)
			return false;
		symbols = more;
	}
	symbol.name = strdup(name);
	symbol.file = *file ? strdup(file) : NULL;
	if (!symbol.name || (*file && !symbol.file))
		return false;
	symbols[nr++] = symbol;
	return true;
}

static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	size_t size = 0, room = 0;
	char *line = NULL;

	if (!file)
		return;
	while (getline(&line, &size, file) > 0 && add_line(line, &room))
		;
	free(line);
	fclose(file);
	qsort(symbols, nr, sizeof(*symbols), compare);
}

struct kernel_place kallsyms_find(uint64_t address)
{
	struct kernel_place place = { "[kernel]", "" };
	size_t low = 0, high, middle;
	static bool read;

	if (!read)
		read_symbols();
	read = true;
	/* The last one at or below it. */
	for (high = nr; low < high;) {
		middle = low + (high - low) / 2;
		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return place;
	if (symbols[low - 1].file)
		place.file = symbols[low - 1].file;
	place.symbol = symbols[low - 1].name;
	return place;
}
