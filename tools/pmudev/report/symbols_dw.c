// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../common/cmd.h"
#include "symbols.h"

/**
 * struct object - a file
 * @name: its path, the key
 * @dwfl: a session with this one module
 * @module: NULL: nothing is known of it
 * @bias: of the module's addresses, to those of the file
 * @elf: of the module
 */
struct object {
	char *name;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
	Elf *elf;
};

/* @written: as symbols_open() was told; @tree: objects by their names, of tsearch() */
struct symbols {
	time_t written;
	void *tree;
};

bool symbols_known(void)
{
	return true;
}

struct symbols *symbols_open(time_t written)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->written = written;
	return symbols;
}

static void free_object(void *arg)
{
	struct object *object = arg;

	if (object->dwfl)
		dwfl_end(object->dwfl);
	free(object->name);
	free(object);
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	tdestroy(symbols->tree, free_object);
	free(symbols);
}

static int compare(const void *a, const void *b)
{
	const struct object *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

/* With what it has of symbols and lines, or what its debug package has. */
static void open_object(const struct symbols *symbols, struct object *object)
{
	struct stat st;

	if (*object->name != '/' || stat(object->name, &st) || !S_ISREG(st.st_mode))
		return;
	/* Package managers keep the time that a file was written. */
	if (st.st_mtime > symbols->written || st.st_ctime > symbols->written) {
		complain("'%s' was changed after it was recorded: its functions are not shown",
			 object->name);
		return;
	}
	object->dwfl = dwfl_begin(&callbacks);
	if (!object->dwfl)
		return;
	dwfl_report_begin(object->dwfl);
	object->module = dwfl_report_offline(object->dwfl, object->name, object->name, -1);
	dwfl_report_end(object->dwfl, NULL, NULL);
	if (object->module)
		object->elf = dwfl_module_getelf(object->module, &object->bias);
}

static struct object *find_object(struct symbols *symbols, const char *name)
{
	struct object key = { .name = (char *)name }, *new;
	struct object **found = tfind(&key, &symbols->tree, compare);

	if (found)
		return *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->name = strdup(name);
	if (!new->name || !tsearch(new, &symbols->tree, compare)) {
		free_object(new);
		return NULL;
	}
	open_object(symbols, new);
	return new;
}

/* The address that a byte of the file is loaded at, as its symbols have it. */
static bool find_address(const struct object *object, uint64_t offset, GElf_Addr *address)
{
	GElf_Phdr header;
	size_t nr, i;

	if (!object->elf || elf_getphdrnum(object->elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(object->elf, i, &header) || header.p_type != PT_LOAD ||
		    offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
			continue;
		*address = offset - header.p_offset + header.p_vaddr + object->bias;
		return true;
	}
	return false;
}

struct symbol_place symbols_find(struct symbols *symbols, const char *file, uint64_t offset,
				 bool lines)
{
	struct object *object = find_object(symbols, file);
	struct symbol_place place = {};
	GElf_Addr address;
	GElf_Off behind;
	Dwfl_Line *line;
	GElf_Sym symbol;

	if (!object || !object->module || !find_address(object, offset, &address))
		return place;
	place.symbol =
		dwfl_module_addrinfo(object->module, address, &behind, &symbol, NULL, NULL, NULL);
	if (place.symbol)
		place.start = address - behind;
	line = lines ? dwfl_module_getsrc(object->module, address) : NULL;
	if (line)
		place.source = dwfl_lineinfo(line, NULL, &place.line, NULL, NULL, NULL);
	return place;
}
