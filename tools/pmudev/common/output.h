/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a report goes: stderr, stdout, or a file. A file may be one that is replaced as a whole, so
 * that who reads it finds the old report or the new one, and never a part.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct output - where it goes
 * @name: of the file, NULL: stderr, "-": stdout
 * @whole: the file is replaced
 * @temporary: the name of what will replace it, NULL: nothing does now
 * @out: the stream; of what is replaced only between beginning and end of a report
 */
struct output {
	const char *name;
	bool whole;
	char *temporary;
	FILE *out;
};

/* False if it cannot be written, which was reported on stderr. */
bool output_open(struct output *output, const char *name, bool append, bool whole);

/* The same into a descriptor, of which a copy is made. */
bool output_open_fd(struct output *output, int fd);

/* A report begins, and ends, which makes it visible. False: as above. */
bool output_begin(struct output *output);
bool output_end(struct output *output);

/* What was begun and not ended is gone. False: as above. */
bool output_close(struct output *output);

#endif /* OUTPUT_H */
