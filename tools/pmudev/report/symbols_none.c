// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "symbols.h"

bool symbols_known(void)
{
	return false;
}

struct symbols *symbols_open(time_t written)
{
	static char nothing;

	(void)written;
	return (struct symbols *)&nothing;
}

void symbols_close(struct symbols *symbols)
{
	(void)symbols;
}

struct symbol_place symbols_find(struct symbols *symbols, const char *file, uint64_t offset,
				 bool lines)
{
	(void)lines;
	(void)symbols;
	(void)file;
	(void)offset;
	return (struct symbol_place){};
}
