// SPDX-License-Identifier: GPL-2.0
/* What Prometheus reads: names and samples. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "exporter.h"

enum own {
	UP,
	DOWN,
	ENABLED,
	RUNNING,
	PERF_BLOCKED,
	BUILD,
	NR_OWN,
};

static const struct metric_family own[NR_OWN] = {
	[UP] = { "pmudev_up", METRIC_GAUGE, NULL,
		 "1: the CPU's events are counted. 0: they are not, see pmudev_down_info." },
	[DOWN] = { "pmudev_down", METRIC_INFO, NULL, "Why the CPU's events are not counted." },
	[ENABLED] = { "pmudev_enabled_seconds", METRIC_COUNTER, "seconds",
		      "Time for which the CPU's events should have been counted." },
	[RUNNING] = { "pmudev_running_seconds", METRIC_COUNTER, "seconds",
		      "Time for which they were." },
	[PERF_BLOCKED] = { "pmudev_perf_blocked", METRIC_GAUGE, NULL,
			   "1: on this machine perf has no hardware events meanwhile." },
	[BUILD] = { "pmudev_build", METRIC_INFO, NULL, "The version of this command." },
};

/* ----------------------------------------------------------------------------- names -- */

static void no_memory(void)
{
	complain("no memory left");
	exit(EXIT_USAGE);
}

/* "L1-dcache-loads:u" -> "pmudev_l1_dcache_loads_u"; allocated */
static char *family_name(const char *event)
{
	char *name, *to;

	if (asprintf(&name, "pmudev_%s", event) < 0)
		no_memory();
	to = name + strlen("pmudev_");
	for (; *event; event++) {
		if (*event >= 'A' && *event <= 'Z')
			*to++ = *event - 'A' + 'a';
		else if ((*event >= 'a' && *event <= 'z') || (*event >= '0' && *event <= '9'))
			*to++ = *event;
		else if (to[-1] != '_')
			*to++ = '_';
	}
	if (to[-1] == '_')
		to--;
	*to = '\0';
	return name;
}

static bool is_taken(const struct exporter *exporter, unsigned int i)
{
	const char *name = exporter->families[i].name;
	unsigned int other;

	for (other = 0; other < NR_OWN; other++)
		if (!strcmp(name, own[other].name))
			return true;
	for (other = 0; other < i; other++)
		if (!strcmp(name, exporter->families[other].name))
			return true;
	return false;
}

bool page_names(struct exporter *exporter)
{
	unsigned int i;
	char *help;

	for (i = 0; i < exporter->list.nr; i++) {
		const char *event = exporter->list.events[i].name;

		if (asprintf(&help, "Event %s on the CPU.", event) < 0)
			no_memory();
		exporter->families[i] = (struct metric_family){
			.name = family_name(event),
			.type = METRIC_COUNTER,
			.help = help,
		};
		if (!is_taken(exporter, i))
			continue;
		complain("%s: there is a metric %s already; EVENT/name=TEXT/ gives another name",
			 event, exporter->families[i].name);
		return false;
	}
	return true;
}

/* --------------------------------------------------------------------------- samples -- */

static void begin_sample(FILE *out, const struct metric_family *family,
			 const struct exporter_cpu *c)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", c->cpu);
	openmetrics_name(out, family);
	fputc('{', out);
	openmetrics_label(out, "cpu", number);
}

static void write_event(FILE *out, const struct exporter *exporter, unsigned int event, bool text)
{
	const struct metric_family *family = &exporter->families[event];
	const struct exporter_cpu *c;
	unsigned int i;

	openmetrics_family(out, family, text);
	for (i = 0; i < exporter->nr; i++) {
		c = exporter->cpus[i];
		if (!c->counted || !(c->events >> event & 1))
			continue;
		begin_sample(out, family, c);
		fprintf(out, "} %llu\n", (unsigned long long)c->values[event]);
	}
}

/* In whole numbers, and a point in every locale. */
static void write_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000));
}

static void write_times(FILE *out, const struct exporter *exporter, enum own which, bool text)
{
	const struct exporter_cpu *c;
	unsigned int i;

	openmetrics_family(out, &own[which], text);
	for (i = 0; i < exporter->nr; i++) {
		c = exporter->cpus[i];
		if (!c->counted)
			continue;
		begin_sample(out, &own[which], c);
		fputs("} ", out);
		write_seconds(out, which == ENABLED ? c->time_enabled : c->time_running);
		fputc('\n', out);
	}
}

static void write_up(FILE *out, const struct exporter *exporter, bool text)
{
	const struct exporter_cpu *c;
	unsigned int i;

	openmetrics_family(out, &own[UP], text);
	for (i = 0; i < exporter->nr; i++) {
		c = exporter->cpus[i];
		if (c->apart)
			continue;
		begin_sample(out, &own[UP], c);
		fprintf(out, "} %d\n", !c->reason);
	}
}

/* A reason that changes ends no series of pmudev_up. */
static void write_down(FILE *out, const struct exporter *exporter, bool text)
{
	const struct exporter_cpu *c;
	unsigned int i;

	openmetrics_family(out, &own[DOWN], text);
	for (i = 0; i < exporter->nr; i++) {
		c = exporter->cpus[i];
		if (c->apart || !c->reason)
			continue;
		begin_sample(out, &own[DOWN], c);
		fputc(',', out);
		openmetrics_label(out, "reason", c->reason);
		fputs("} 1\n", out);
	}
}

static bool perf_blocked(const struct exporter *exporter)
{
	unsigned int i;

	for (i = 0; i < exporter->nr; i++)
		if (exporter->cpus[i]->enabled)
			return exporter->excludes_perf;
	return false;
}

void page_write(FILE *out, const struct exporter *exporter, bool text)
{
	char abi[16];
	unsigned int i;

	for (i = 0; i < exporter->list.nr; i++)
		write_event(out, exporter, i, text);
	write_times(out, exporter, ENABLED, text);
	write_times(out, exporter, RUNNING, text);
	write_up(out, exporter, text);
	write_down(out, exporter, text);
	openmetrics_family(out, &own[PERF_BLOCKED], text);
	openmetrics_name(out, &own[PERF_BLOCKED]);
	fprintf(out, " %d\n", perf_blocked(exporter));
	openmetrics_family(out, &own[BUILD], text);
	openmetrics_name(out, &own[BUILD]);
	fputc('{', out);
	openmetrics_label(out, "version", PMUDEV_LIB_VERSION);
	fputc(',', out);
	snprintf(abi, sizeof(abi), "%d", PMUDEV_ABI_VERSION);
	openmetrics_label(out, "abi", abi);
	fputs("} 1\n", out);
	if (!text)
		fputs("# EOF\n", out);
}
