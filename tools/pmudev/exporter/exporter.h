/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of `pmudev exporter`: the sets of the CPUs, the page with their counts, the server. */
#ifndef EXPORTER_H
#define EXPORTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pmudev.h>

#include "../common/events.h"
#include "../common/openmetrics.h"

/**
 * struct exporter_cpu - one CPU
 * @cpu: its number
 * @set: its set, NULL: there is none yet
 * @enabled: the set counts while the CPU is online
 * @counted: it did so once: there are counts
 * @apart: no event is for the CPU's kind: nothing is said of it
 * @events: mask of the list's events that the set has
 * @values: counts as last read, by the list's events
 * @time_enabled: ns, as last read
 * @time_running: ns, as last read
 * @reason: why it does not count, NULL: it counts
 */
struct exporter_cpu {
	unsigned int cpu;
	struct pmudev *set;
	bool enabled;
	bool counted;
	bool apart;
	uint64_t events;
	uint64_t values[PMUDEV_MAX_EVENTS];
	uint64_t time_enabled;
	uint64_t time_running;
	const char *reason;
};

/**
 * struct exporter - what is served. Once it serves, only the server's thread uses it.
 * @list: the events; all are on counters, or none is
 * @pmus: of each the mask of its PMUs' numbers
 * @families: of each what its samples are called
 * @all: all CPUs that are present, also those that come later
 * @excludes_perf: perf has no hardware events here while a set is enabled
 * @read: when the CPUs were read last, CLOCK_MONOTONIC, ns; 0: never
 * @nr: how many CPUs
 * @cpus: in the order of their numbers
 */
struct exporter {
	struct event_list list;
	uint32_t pmus[PMUDEV_MAX_EVENTS];
	struct metric_family families[PMUDEV_MAX_EVENTS];
	bool all;
	bool excludes_perf;
	uint64_t read;
	unsigned int nr;
	struct exporter_cpu **cpus;
};

/* ----------------------------------------------------------------------------- CPUs -- */

/* The CPUs that are present. False has been told on stderr. */
bool cpus_find(struct exporter *exporter);

/* Another CPU, if it is none of these yet. */
void cpus_add(struct exporter *exporter, unsigned int cpu);

/*
 * Begins to count. Return: 0, or the exit status after something was refused that time does not
 * heal, which was reported on stderr.
 */
int cpus_start(struct exporter *exporter);

/* Reads all of them. CPUs that do not count are tried again. */
void cpus_read(struct exporter *exporter);

void cpus_close(struct exporter *exporter);

/* ----------------------------------------------------------------------------- page -- */

/* Gives the events' samples their names. False if two have one name, which has been told. */
bool page_names(struct exporter *exporter);

/* @text: as text 0.0.4, not as OpenMetrics */
void page_write(FILE *out, const struct exporter *exporter, bool text);

/* --------------------------------------------------------------------------- server -- */

/* Is it "ADDRESS:PORT", in numbers? False has been told on stderr. */
bool listen_possible(const char *address);

/*
 * A socket that listens there; NULL: systemd's if it handed one over, else the default. -1: none,
 * which has been told.
 */
int listen_on(const char *address);

/* "127.0.0.1:10345" */
const char *listen_name(int fd, char *buf, size_t len);

/* Does this program have a server? */
bool serve_possible(void);

/**
 * struct server - answers with one thread, one request after the other
 * @write: writes the metrics
 * @context: for it
 */
struct server {
	void (*write)(FILE *out, void *context, bool text);
	void *context;
	void *daemon;
};

/* The socket is the server's from now on. False if it cannot serve. */
bool serve_begin(struct server *server, int fd);

/* Ends it. An answer that is not sent whole yet is cut off. */
void serve_end(struct server *server);

#endif /* EXPORTER_H */
