// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "samples_file.h"

static const char *const names[NR_COLUMNS] = {
	[COLUMN_EVENT] = "event",     [COLUMN_PERIOD] = "period", [COLUMN_VALUE] = "value",
	[COLUMN_PID] = "pid",	      [COLUMN_TID] = "tid",	  [COLUMN_MODE] = "mode",
	[COLUMN_FILE] = "file",	      [COLUMN_OFFSET] = "offset", [COLUMN_SYMBOL] = "symbol",
	[COLUMN_DROPPED] = "dropped",
};

static bool find_column(struct samples_file *file, unsigned int which)
{
	unsigned int i;

	for (i = 0; i < file->csv.nr; i++)
		if (!strcmp(file->csv.field[i], names[which]))
			break;
	file->column[which] = i;
	return i < file->csv.nr;
}

bool samples_file_open(struct samples_file *file, FILE *in, const char *name)
{
	unsigned int i;

	*file = (struct samples_file){ .name = name, .csv.in = in };
	if (csv_read(&file->csv) <= 0) {
		complain(ferror(in) ? "'%s' cannot be read" : "'%s' is empty", name);
		return false;
	}
	if (*file->csv.field[0] == '{') {
		complain("'%s' is JSON: report reads the table of `pmudev record` without -j; "
			 "`pmudev compare` and `plot` read `pmudev stat --json`",
			 name);
		samples_file_close(file);
		return false;
	}
	for (i = 0; i < NR_COLUMNS; i++) {
		if (find_column(file, i))
			continue;
		complain("'%s' is no table of `pmudev record`: it has no column '%s'", name,
			 names[i]);
		samples_file_close(file);
		return false;
	}
	return true;
}

static bool wrong(const struct samples_file *file, enum sample_column which)
{
	char *text = file->csv.field[file->column[which]];

	utf8_printable(text);
	complain("'%s', line %lu: '%s' is no %s", file->name, file->csv.lines, text, names[which]);
	return false;
}

static bool number(const struct samples_file *file, enum sample_column which, uint64_t *number)
{
	const char *text = file->csv.field[file->column[which]];
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	/* strtoull() takes blanks and signs. */
	return (*text >= '0' && *text <= '9' && !*end && !errno) || wrong(file, which);
}

static bool small(const struct samples_file *file, enum sample_column which, int *to)
{
	uint64_t n;

	if (!number(file, which, &n))
		return false;
	*to = n;
	return n <= INT32_MAX || wrong(file, which);
}

static bool parse(const struct samples_file *file, struct sample_line *line)
{
	char *const *field = file->csv.field;
	const char *mode = field[file->column[COLUMN_MODE]];

	line->event = field[file->column[COLUMN_EVENT]];
	line->file = field[file->column[COLUMN_FILE]];
	line->symbol = field[file->column[COLUMN_SYMBOL]];
	line->end = !strcmp(mode, "end");
	line->kernel = !strcmp(mode, "kernel");
	if (!line->end && !line->kernel && strcmp(mode, "user") && strcmp(mode, "entry"))
		return wrong(file, COLUMN_MODE);
	return number(file, COLUMN_PERIOD, &line->period) &&
	       number(file, COLUMN_VALUE, &line->value) && small(file, COLUMN_PID, &line->pid) &&
	       small(file, COLUMN_TID, &line->tid) && number(file, COLUMN_OFFSET, &line->offset) &&
	       number(file, COLUMN_DROPPED, &line->dropped);
}

int samples_file_next(struct samples_file *file, struct sample_line *line)
{
	unsigned int nr = file->csv.nr;
	int got = csv_read(&file->csv);

	if (!got)
		return 0;
	if (got > 0 && file->csv.nr == nr)
		return parse(file, line) ? 1 : -1;
	complain("'%s', line %lu: it has not the columns of the first one", file->name,
		 file->csv.lines);
	return -1;
}

void samples_file_close(struct samples_file *file)
{
	csv_close(&file->csv);
}
