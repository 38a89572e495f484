/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: the JSON Lines of `pmudev stat -I MS --json` and `pmudev monitor --json`. Read are
 * objects whose members are strings, numbers, true, false, null, or lists of these; what has an
 * "interval" is a row, other lines are passed over.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stdio.h>

/* Each of 64 events on each of 64 CPUs. */
#define MAX_SERIES 4096

/*
 * @value: counted since the point before; negative: not counted
 * @running: ns in which it was counted, or that an estimate stands for, since the point before;
 *	negative: not in the recording
 */
struct point {
	double seconds;
	double value;
	double running;
};

/**
 * struct series - an event on a CPU
 * @event: its name
 * @cpu: the CPU, -1: of no CPU by itself
 * @group: the core, thread, ...; "": of none by itself
 * @nr: how many points
 * @points: in the order of the file
 */
struct series {
	char event[256];
	long cpu;
	char group[48];
	unsigned int nr;
	struct point *points;
};

/* @cpus: are there several? */
struct recording {
	unsigned int nr;
	bool cpus;
	struct series series[MAX_SERIES];
};

/* @name: for messages. False if it is none, which has been told on stderr with the line. */
bool recording_read(FILE *in, const char *name, struct recording *recording);
void recording_free(struct recording *recording);

/*
 * What is drawn of a point: events per second in which they were counted; of what did not run, 0.
 * Where a recording does not have that time, per second since the point before.
 */
double series_rate(const struct series *series, unsigned int i);

/* The cycles for these instructions, of the same CPU and levels; NULL if there are none. */
const struct series *cycles_of(const struct recording *recording, const struct series *series);

/*
 * A script for gnuplot that writes a picture to its stdout, with the data in it. @terminal:
 * gnuplot's, svg or pngcairo
 */
void plot_script(FILE *out, const struct recording *recording, const char *title,
		 const char *terminal);

#endif /* RECORDING_H */
