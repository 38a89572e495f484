// SPDX-License-Identifier: GPL-2.0
/* pmudev exporter: serves what CPUs count to Prometheus. */
#define _GNU_SOURCE
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/beside.h"
#include "../common/cmd.h"
#include "../common/defaults.h"
#include "../common/parts.h"
#include "../common/target.h"
#include "../common/ticks.h"
#include "../common/watch.h"
#include "exporter.h"

/* ns: younger counts are not read again, however many clients ask. */
#define READ_AGE (NS_PER_SECOND / 4)

struct options {
	struct target target;
	char *events;	    /* NULL: the default list */
	const char *listen; /* NULL: systemd's socket, or the default */
};

static const struct option long_options[] = {
	{ "listen", required_argument, NULL, 'l' }, { "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },	    { "event", required_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },	    { NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: pmudev exporter [-l ADDRESS:PORT] [-C CPUS | -a] [-e LIST]\n"
	"\n"
	"Counts everything that runs on CPUs, and serves the counts over HTTP to Prometheus: /metrics,\n"
	"as OpenMetrics or in Prometheus' text format. SIGTERM or Ctrl-C ends it.\n"
	"\n"
	"  -l, --listen ADDRESS:PORT\n"
	"                where, in numbers, such as 0.0.0.0:10345 or [::1]:10345 (default: the\n"
	"                socket that systemd hands over, else 127.0.0.1:10345)\n"
	"  -C CPUS       the CPUs, such as 0-3,5 (default: all, also those that come online later)\n"
	"  -a            all CPUs\n"
	"  -e LIST       events, separated by commas; they are all on counters, or none is\n"
	"\n"
	"The default events are cycles, instructions, branch-misses and cache-misses, as far as the\n"
	"CPU has them and counters for them. A counter's name is pmudev_EVENT_total. Anybody who\n"
	"can connect reads the counts: there is no password. Counting CPUs needs CAP_PERFMON.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev exporter\n"
	"  pmudev exporter -e instructions,cycles,cpu/event=0xc5,umask=0,name=mispredicted/\n";

/* ----------------------------------------------------------------------- options -- */

static bool get_option(struct options *options, int c)
{
	switch (c) {
	case 'l':
		options->listen = optarg;
		return listen_possible(optarg);
	case 'C':
		memset(&options->target, 0, sizeof(options->target));
		return target_parse(&options->target, 'C', optarg);
	case 'a':
		memset(&options->target, 0, sizeof(options->target));
		return true;
	default:
		options->events = join_events(options->events, optarg);
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":l:C:ae:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			complain("'%s' needs a value; `pmudev exporter --help` tells more",
				 argv[optind - 1]);
			return EXIT_USAGE;
		case '?':
			complain("unknown option '%s'; `pmudev exporter --help` lists them",
				 argv[optind - 1]);
			return EXIT_USAGE;
		default:
			if (!get_option(options, c))
				return EXIT_USAGE;
		}
	}
	if (optind == argc)
		return -1;
	complain("exporter takes no '%s': it counts whatever runs on the CPUs", argv[optind]);
	return EXIT_USAGE;
}

/* ------------------------------------------------------------------------ events -- */

static const enum pmudev_generic defaults[] = {
	PMUDEV_CYCLES,
	PMUDEV_INSTRUCTIONS,
	PMUDEV_BRANCH_MISSES,
	PMUDEV_CACHE_MISSES,
};

/* Do all PMUs count it? Else it is told. */
static bool all_have(struct pmudev *set, enum pmudev_generic event)
{
	struct pmudev_query query = { .nr_pmus = 1 };
	unsigned int n;

	for (n = 0; n < query.nr_pmus; n++)
		if (pmudev_query(set, n, &query) || !default_has(&query, event))
			return false;
	return true;
}

/* If there were none, the module is asked for one, and refuses with its reason. */
static char *default_list(struct pmudev *set)
{
	char *events = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(defaults); i++)
		if (all_have(set, defaults[i]))
			events = join_events(events, pmudev_generic_name(defaults[i]));
	return events ? events : join_events(NULL, pmudev_generic_name(defaults[0]));
}

static void leave_out(struct event_list *list, unsigned int i)
{
	complain("%s: the CPU has too few counters for it: left out of the default list",
		 list->events[i].name);
	for (list->nr--; i < list->nr; i++) {
		list->events[i] = list->events[i + 1];
		list->attrs[i] = list->attrs[i + 1];
	}
}

/*
 * Is it for good? What others hold is free some day, but not what a hypervisor has kept from this
 * machine.
 */
static bool is_final(const struct pmudev_refusal *why, const struct pmudev_query *query)
{
	if (why->code == PMUDEV_WHY_HELD)
		return why->holder.kind == PMUDEV_HOLDER_HYPERVISOR &&
		       query->counters & ~query->available;
	return why->code == PMUDEV_WHY_NO_COUNTER;
}

/* Tries the events as they would be added. */
static void keep_on(struct pmudev *set, const struct pmudev_query *query, struct event_list *list)
{
	int32_t counter[PMUDEV_MAX_EVENTS];
	struct pmudev_refusal why;

	while (list->nr > 1 && pmudev_place(set, list->attrs, list->nr, counter)) {
		if (!pmudev_why(set, &why) || !is_final(&why, query) || why.event < 0 ||
		    (unsigned int)why.event >= list->nr)
			return;
		leave_out(list, why.event);
	}
}

/* Leaves events out for which the first CPU of some kind never has a counter beside the others. */
static void keep_what_fits(struct exporter *exporter)
{
	struct pmudev_query query;
	uint32_t seen = 0;
	unsigned int i;
	struct pmudev set;

	for (i = 0; i < exporter->nr; i++) {
		if (pmudev_open(&set))
			return;
		if (!pmudev_bind_cpu(&set, exporter->cpus[i]->cpu, 0) &&
		    !pmudev_query_cpu(&set, exporter->cpus[i]->cpu, &query) &&
		    !(seen >> query.pmu & 1)) {
			seen |= 1U << query.pmu;
			keep_on(&set, &query, &exporter->list);
		}
		pmudev_close(&set);
	}
}

/* One record is one moment of all events: braces are ignored. */
static void one_group(struct event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		list->attrs[i].group = 0;
	list->groups = 1;
}

/* Return: 0, or the exit status after an error that was told. */
static int choose_events(struct exporter *exporter, struct options *options)
{
	const bool by_default = !options->events;
	struct pmudev_query query;
	struct pmudev set;
	int status = 0;

	if (pmudev_open(&set) || pmudev_query(&set, 0, &query)) {
		complain_refusal(&set, "exporter");
		pmudev_close(&set);
		return 1;
	}
	if (by_default)
		options->events = default_list(&set);
	if (!read_events(options->events, &exporter->list)) {
		status = EXIT_USAGE;
	} else if (!parts_find(&set, &exporter->list, exporter->pmus)) {
		complain_refusal(&set, "exporter");
		status = 1;
	}
	pmudev_close(&set);
	if (status)
		return status;
	exporter->excludes_perf = query.arch == PMUDEV_ARCH_INTEL || query.arch == PMUDEV_ARCH_AMD;
	one_group(&exporter->list);
	if (by_default)
		keep_what_fits(exporter);
	return page_names(exporter) ? 0 : EXIT_USAGE;
}

/* ----------------------------------------------------------------------- serving -- */

static void choose_cpus(struct exporter *exporter, const struct options *options)
{
	unsigned int i;

	exporter->all = options->target.kind == TARGET_NONE;
	for (i = 0; i < TARGET_MAX_CPUS && !exporter->all; i++)
		if (options->target.cpu[i])
			cpus_add(exporter, i);
}

static void write_page(FILE *out, void *context, bool text)
{
	struct exporter *exporter = context;

	if (!exporter->read || watch_now() - exporter->read >= READ_AGE) {
		cpus_read(exporter);
		exporter->read = watch_now();
	}
	page_write(out, exporter, text);
}

/* The server's thread leaves them to this one. */
static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGQUIT);
	sigaddset(signals, SIGTERM);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

static int answer_until_signal(struct exporter *exporter, int fd)
{
	struct server server = { .write = write_page, .context = exporter };
	sigset_t signals;
	char name[64];
	int signal;

	listen_name(fd, name, sizeof(name));
	block_signals(&signals);
	if (exporter->excludes_perf)
		complain("perf has no hardware events here while CPUs are counted");
	if (!serve_begin(&server, fd)) {
		complain("cannot serve http://%s/metrics", name);
		return 1;
	}
	complain("serves http://%s/metrics", name);
	sigwait(&signals, &signal);
	serve_end(&server);
	return 0;
}

/* ------------------------------------------------------------------- another program -- */

/* From the folder of this one. */
static const char *const places[] = { "pmudev-exporter", "../lib/pmudev/pmudev-exporter" };

/* Becomes the command that has a server. Return: the exit status, for there is none. */
static int become_server(char **argv)
{
	char path[PATH_MAX];
	unsigned int i;
	char **args;

	for (i = 0; argv[i]; i++)
		;
	args = calloc(i + 2, sizeof(*args));
	if (!args) {
		complain("no memory left");
		return 1;
	}
	args[0] = "pmudev";
	memcpy(args + 1, argv, i * sizeof(*argv));
	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (beside_find(places[i], path))
			execv(path, args);
	free(args);
	complain("there is no pmudev-exporter: install it, or libmicrohttpd-dev and build again");
	return 1;
}

int cmd_exporter(int argc, char **argv)
{
	static struct exporter exporter;
	static struct options options;
	int status, fd;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	if (!serve_possible())
		return become_server(argv);
	choose_cpus(&exporter, &options);
	if (exporter.all && !cpus_find(&exporter))
		return 1;
	fd = listen_on(options.listen);
	if (fd < 0)
		return 1;
	status = choose_events(&exporter, &options);
	if (!status)
		status = cpus_start(&exporter);
	if (!status)
		status = answer_until_signal(&exporter, fd);
	cpus_close(&exporter);
	free(options.events);
	return status;
}
