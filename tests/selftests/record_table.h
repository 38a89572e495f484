/* SPDX-License-Identifier: GPL-2.0 */
/* A table of `pmudev record`, read: where the samples of this program are. */
#ifndef PMUDEV_TEST_RECORD_TABLE_H
#define PMUDEV_TEST_RECORD_TABLE_H

#include <link.h>

#include "run_command.h"

#define TABLE "/tmp/record_test.csv"
#define OTHER "/tmp/record_test.other"

/* The loop that the samples are in: two instructions, and nothing else that takes time. */
static __attribute__((noinline, noclone)) void known_loop(long n)
{
	loop(n);
}

#define KNOWN_LOOP_BYTES 64

/* What the samples of a table say; of the last line @total and @dropped. */
struct table {
	unsigned int samples;
	unsigned int inside;  /* in known_loop() of the program */
	unsigned int other;   /* in known_loop() of the other file */
	unsigned int unknown; /* in no file */
	char first[160];      /* the first of them: its place, what was counted, who, and where */
	unsigned int kernel;
	unsigned int named;  /* of those in the kernel */
	unsigned int uneven; /* not a period behind the one before */
	unsigned int nr_tids;
	int tid[16];
	__u64 total;
	__u64 dropped;
};

static struct table table;

static inline int find_headers(struct dl_phdr_info *info, size_t size, void *offset)
{
	const __u64 address = (uintptr_t)known_loop - info->dlpi_addr;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    address - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_filesz)
			*(__u64 *)offset =
				address - info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_offset;
	return 1;
}

/* The byte of this program's file that known_loop() begins with. */
static inline __u64 loop_offset(void)
{
	__u64 offset = 0;

	dl_iterate_phdr(find_headers, &offset);
	return offset;
}

static inline void add_tid(int tid)
{
	unsigned int i;

	for (i = 0; i < table.nr_tids; i++)
		if (table.tid[i] == tid)
			return;
	if (table.nr_tids < ARRAY_SIZE(table.tid))
		table.tid[table.nr_tids++] = tid;
}

/* The columns of a line; empty ones, too. */
static inline int split(char *line, char **column, int most)
{
	int nr = 0;

	line[strcspn(line, "\n")] = '\0';
	while (nr < most && line)
		column[nr++] = strsep(&line, ",");
	return nr;
}

enum {
	TIME,
	EVENT,
	EACH,
	VALUE,
	PID,
	TID,
	CPU,
	MODE,
	IP,
	FILE_NAME,
	OFFSET,
	SYMBOL,
	DROPPED,
	COUNT,
	COLUMNS,
};

static inline void take_line(char **column)
{
	static __u64 before;
	const __u64 value = strtoull(column[VALUE], NULL, 0);
	const __u64 offset = strtoull(column[OFFSET], NULL, 0);

	if (!strcmp(column[MODE], "end")) {
		table.total = value;
		table.dropped = strtoull(column[DROPPED], NULL, 0);
		return;
	}
	table.uneven += table.samples && value != before + strtoull(column[EACH], NULL, 0);
	before = value;
	table.samples++;
	add_tid(strtol(column[TID], NULL, 10));
	if (!*column[FILE_NAME] && !table.unknown++)
		snprintf(table.first, sizeof(table.first), "line %u, %s, of %s/%s: %s, at %s",
			 table.samples, column[VALUE], column[PID], column[TID], column[MODE],
			 column[IP]);
	if (!strcmp(column[MODE], "kernel")) {
		table.kernel++;
		table.named += !!*column[SYMBOL];
	} else if (offset - loop_offset() < KNOWN_LOOP_BYTES) {
		table.inside += !strcmp(column[FILE_NAME], program);
		table.other += !strcmp(column[FILE_NAME], OTHER);
	}
}

/* False if it is none. */
static inline bool read_table(void)
{
	FILE *file = fopen(TABLE, "r");
	char *column[COLUMNS], line[1024];
	bool good = true;

	memset(&table, 0, sizeof(table));
	if (!file || !fgets(line, sizeof(line), file))
		return false;
	good = split(line, column, COLUMNS) == COLUMNS && !strcmp(column[FILE_NAME], "file") &&
	       !strcmp(column[OFFSET], "offset") && !strcmp(column[DROPPED], "dropped");
	while (good && fgets(line, sizeof(line), file)) {
		good = split(line, column, COLUMNS) == COLUMNS;
		if (good)
			take_line(column);
	}
	fclose(file);
	return good;
}

#endif /* PMUDEV_TEST_RECORD_TABLE_H */
