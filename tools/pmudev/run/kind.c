// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kind.h"

/* A script's interpreter may be a script, and so on: as many as the kernel follows. */
#define MOST_SCRIPTS 5

/* Has it a loader? */
static bool has_loader(int fd, const Elf64_Ehdr *header)
{
	Elf64_Phdr part;
	unsigned int i;

	for (i = 0; i < header->e_phnum; i++)
		if (pread(fd, &part, sizeof(part), header->e_phoff + i * sizeof(part)) ==
			    (ssize_t)sizeof(part) &&
		    part.p_type == PT_INTERP)
			return true;
	return false;
}

static enum program_kind kind_of_elf(int fd, const Elf64_Ehdr *header)
{
	if (header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return PROGRAM_NARROW;
	return sizeof(void *) == 8 && !has_loader(fd, header) ? PROGRAM_STATIC : PROGRAM_FITS;
}

/* The interpreter in "#! INTERPRETER ARGUMENT"; false: it is no script. */
static bool interpreter_of(int fd, char path[PATH_MAX])
{
	char line[256] = "";

	if (pread(fd, line, sizeof(line) - 1, 0) < 3)
		return false;
	line[strcspn(line, "\n")] = '\0';
	/* The longest that fits into the line */
	return sscanf(line, "#! %254s", path) == 1;
}

static enum program_kind kind_of(const char *path, unsigned int depth)
{
	enum program_kind kind = PROGRAM_FITS;
	char interpreter[PATH_MAX];
	Elf64_Ehdr header;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	/* A program need not be readable. */
	if (fd < 0)
		return PROGRAM_FITS;
	memset(&header, 0, sizeof(header));
	if (pread(fd, &header, sizeof(header), 0) > EI_NIDENT &&
	    !memcmp(header.e_ident, ELFMAG, SELFMAG))
		kind = kind_of_elf(fd, &header);
	else if (depth < MOST_SCRIPTS && interpreter_of(fd, interpreter))
		kind = kind_of(interpreter, depth + 1);
	close(fd);
	return kind;
}

enum program_kind program_kind(const char *path)
{
	return kind_of(path, 0);
}
