/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps of `pmudev record`: options (record.c), the run (run.c), and the samples as they
 * are written (write.c). `pmudev report` reads them: samples_file.h.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pmudev_samples.h>

#include "../common/events.h"
#include "maps.h"

/**
 * struct record - what is recorded
 * @pid: a process that runs already, 0: the command
 * @events: the first one is sampled; the others' counts stand beside
 * @list: the same, parsed
 * @period: a sample after so many of the first event
 * @inherit: with the threads and processes that it makes
 * @lossless: threads wait while there is no room for more samples
 * @trace: the command is traced: the maps of each process are read before it ends
 * @json: JSON Lines instead of CSV
 * @bytes: room for samples in memory
 * @output: file of the samples, "-": stdout
 * @command: what is run, NULL: nothing
 * @out: where the samples go
 * @samples: how many there were
 * @lost: how many were dropped
 * @unknown: how many lie where no file is known
 * @count: of the first event, all together
 * @finished: the recording came to its end
 * @incomplete: the kernel could not count all of its processes
 */
struct record {
	int pid;
	const char *events;
	struct event_list list;
	uint64_t period;
	bool inherit;
	bool lossless;
	bool trace;
	bool json;
	uint64_t bytes;
	const char *output;
	char **command;
	FILE *out;
	uint64_t samples;
	uint64_t lost;
	uint64_t unknown;
	uint64_t count;
	bool finished;
	bool incomplete;
};

/* Return: the exit status; errors were reported. @program: where the command is */
int record_run(struct record *record, const char *program);

void record_begin(struct record *record);
void record_sample(struct record *record, struct maps *maps, const struct pmudev_sample *sample);

/* What was counted in all, as a last line. @counts: of each event */
void record_end(struct record *record, uint64_t time, const uint64_t *counts);

#endif /* RECORD_H */
