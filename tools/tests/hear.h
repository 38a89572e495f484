/* SPDX-License-Identifier: MIT */
/* What a function tells on stderr: hear(), the call, heard(). */
#ifndef HEAR_H
#define HEAR_H

#include <stdio.h>
#include <unistd.h>

static int hear_kept = -1;
static FILE *hear_said;

static inline void hear(void)
{
	hear_said = tmpfile();
	hear_kept = dup(STDERR_FILENO);
	dup2(fileno(hear_said), STDERR_FILENO);
}

/* What was told since. */
static inline const char *heard(void)
{
	static char text[4096];
	size_t len;

	fflush(stderr);
	dup2(hear_kept, STDERR_FILENO);
	close(hear_kept);
	rewind(hear_said);
	len = fread(text, 1, sizeof(text) - 1, hear_said);
	fclose(hear_said);
	text[len] = '\0';
	return text;
}

#endif /* HEAR_H */
