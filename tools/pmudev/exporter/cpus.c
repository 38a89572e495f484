// SPDX-License-Identifier: GPL-2.0
/*
 * The sets, one for each CPU. A set outlives its CPU's going offline: it keeps its counts and goes
 * on. A CPU without a set, or with one that has no counters, is tried again at each reading.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/parts.h"
#include "../common/target.h"
#include "exporter.h"

#define PRESENT "/sys/devices/system/cpu/present"

/* What is nobody's error is not told on stderr. */
static const char offline[] = "offline";

/* ------------------------------------------------------------------------ which CPUs -- */

static void *have(void *memory)
{
	if (!memory) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	return memory;
}

static int by_number(const void *a, const void *b)
{
	const struct exporter_cpu *const *first = a, *const *second = b;

	return (*first)->cpu < (*second)->cpu ? -1 : (*first)->cpu > (*second)->cpu;
}

void cpus_add(struct exporter *exporter, unsigned int cpu)
{
	struct exporter_cpu *c;
	unsigned int i;

	for (i = 0; i < exporter->nr; i++)
		if (exporter->cpus[i]->cpu == cpu)
			return;
	c = have(calloc(1, sizeof(*c)));
	c->cpu = cpu;
	exporter->cpus =
		have(reallocarray(exporter->cpus, exporter->nr + 1, sizeof(*exporter->cpus)));
	exporter->cpus[exporter->nr++] = c;
	qsort(exporter->cpus, exporter->nr, sizeof(*exporter->cpus), by_number);
}

bool cpus_find(struct exporter *exporter)
{
	struct target target = { .kind = TARGET_NONE };
	FILE *in = fopen(PRESENT, "re");
	char text[4096] = "";
	unsigned int i;

	if (!in || !fgets(text, sizeof(text), in) || !strchr(text, '\n')) {
		complain("cannot read " PRESENT "; name the CPUs with -C");
		if (in)
			fclose(in);
		return false;
	}
	fclose(in);
	text[strcspn(text, "\n")] = '\0';
	if (!target_parse(&target, 'C', text))
		return false;
	for (i = 0; i < TARGET_MAX_CPUS; i++)
		if (target.cpu[i])
			cpus_add(exporter, i);
	return true;
}

/* ------------------------------------------------------------------------ one CPU's set -- */

/* Says on stderr what is new. @what: NULL, or what stderr is told in place of the set's reason */
static void stops(struct exporter_cpu *c, const char *reason, const char *what)
{
	char name[32];

	if (c->reason && !strcmp(c->reason, reason))
		return;
	c->reason = reason;
	snprintf(name, sizeof(name), "CPU %u", c->cpu);
	if (what)
		complain("%s: %s", name, what);
	else if (reason != offline)
		complain_refusal(c->set, name);
}

static void refused(struct exporter_cpu *c)
{
	struct pmudev_refusal why = { .code = PMUDEV_OK };
	int error = pmudev_why(c->set, &why);

	stops(c, why.code == PMUDEV_WHY_CPU_OFFLINE ? offline : reason_of(error, &why), NULL);
}

static void goes_on(struct exporter_cpu *c)
{
	if (c->reason && c->reason != offline)
		complain("CPU %u: counts now", c->cpu);
	c->reason = NULL;
}

/* Binds the set and adds the events of the CPU's kind. */
static int add_events(const struct exporter *exporter, struct exporter_cpu *c)
{
	struct pmudev_query query;
	struct event_list part;
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	int error;

	error = pmudev_bind_cpu(c->set, c->cpu, 0);
	if (!error)
		error = pmudev_query_cpu(c->set, c->cpu, &query);
	if (error)
		return error;
	parts_list(&exporter->list, exporter->pmus, query.pmu, &part, index);
	c->apart = !part.nr;
	error = part.nr ? pmudev_add(c->set, part.attrs, part.nr, NULL) : 0;
	c->events = 0;
	for (i = 0; i < part.nr && !error; i++)
		c->events |= 1ULL << index[i];
	return error;
}

/* Is there a set that counts? Tries to have one. */
static bool try_cpu(const struct exporter *exporter, struct exporter_cpu *c)
{
	if (!c->events && !c->apart) {
		if (!c->set)
			c->set = have(calloc(1, sizeof(*c->set)));
		pmudev_close(c->set);
		if (pmudev_open(c->set) || add_events(exporter, c)) {
			refused(c);
			return false;
		}
	}
	if (!c->enabled && !c->apart) {
		if (pmudev_enable(c->set, PMUDEV_ALL)) {
			refused(c);
			return false;
		}
		c->enabled = true;
		c->counted = true;
	}
	return c->enabled;
}

/* ---------------------------------------------------------------------------- reading -- */

static void take(struct exporter_cpu *c, const struct pmudev_record *record)
{
	unsigned int i, slot = 0;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		if (c->events >> i & 1)
			c->values[i] = record->counts[slot++].value;
	c->time_enabled = record->time_enabled;
	c->time_running = record->time_running;
}

/*
 * @stands: the set is enabled and has no counters: others had taken them when the CPU came back. If
 * it missed some time since it was last read, a second reading shows whether that has ended.
 */
static int read_set(const struct exporter_cpu *c, union pmudev_record_buffer *to, bool *stands)
{
	const struct pmudev_record *record = &to->record;
	int error = pmudev_read(c->set, &to->record, sizeof(*to));
	uint64_t enabled, running;

	*stands = false;
	if (error)
		return error;
	enabled = record->time_enabled;
	running = record->time_running;
	if (enabled - running == c->time_enabled - c->time_running)
		return 0;
	error = pmudev_read(c->set, &to->record, sizeof(*to));
	*stands = !error && record->time_enabled > enabled && record->time_running == running;
	return error;
}

/* To enable a set that stands asks for its counters again; the counts stay. */
static void read_cpu(const struct exporter *exporter, struct exporter_cpu *c)
{
	union pmudev_record_buffer now;
	bool stands;

	if (!try_cpu(exporter, c))
		return;
	if (read_set(c, &now, &stands)) {
		refused(c);
		return;
	}
	take(c, &now.record);
	if (now.record.flags & PMUDEV_RECORD_OFFLINE) {
		stops(c, offline, NULL);
	} else if (stands) {
		stops(c, "no counters", "its counters were lost; they are asked for again");
		pmudev_disable(c->set, PMUDEV_ALL);
		c->enabled = false;
	} else {
		goes_on(c);
	}
}

void cpus_read(struct exporter *exporter)
{
	unsigned int i;

	if (exporter->all)
		cpus_find(exporter);
	for (i = 0; i < exporter->nr; i++)
		read_cpu(exporter, exporter->cpus[i]);
}

/* ------------------------------------------------------------------------ start and end -- */

/* Will it perhaps be granted later? */
static bool may_change(struct pmudev *set)
{
	struct pmudev_refusal why = { .code = PMUDEV_OK };

	return pmudev_why(set, &why) == -EBUSY || why.code == PMUDEV_WHY_CPU_OFFLINE;
}

int cpus_start(struct exporter *exporter)
{
	struct exporter_cpu *c;
	unsigned int i;

	for (i = 0; i < exporter->nr; i++) {
		c = exporter->cpus[i];
		if (!try_cpu(exporter, c) && !c->apart && !may_change(c->set))
			return 1;
	}
	return 0;
}

void cpus_close(struct exporter *exporter)
{
	unsigned int i;

	for (i = 0; i < exporter->nr; i++) {
		if (exporter->cpus[i]->set)
			pmudev_close(exporter->cpus[i]->set);
		free(exporter->cpus[i]->set);
		free(exporter->cpus[i]);
	}
	free(exporter->cpus);
	exporter->cpus = NULL;
	exporter->nr = 0;
}
