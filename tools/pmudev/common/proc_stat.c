// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc_stat.h"

bool proc_stat(pid_t pid, enum proc_field field, unsigned long long *value)
{
	char path[64], text[1024], *at;
	unsigned int nr;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	/* The second field is the name in brackets, in which there may be anything. */
	at = strrchr(text, ')');
	for (nr = 2; at && nr < field; nr++)
		at = strchr(at + 1, ' ');
	if (at)
		*value = strtoull(at, NULL, 10);
	return at;
}
