// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev info: what the module tells about each PMU. Changes nothing: nothing is enabled, so the
 * PMU is not taken from perf for it.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "events.h"
#include "holders.h"
#include "identity.h"

static const char help[] =
	"usage: pmudev info\n\n"
	"Shows every PMU (class of CPUs with the same counters) of this machine: its counters,\n"
	"which are free, who holds the others, the events with a name, and the state of the gate\n"
	"for user reads and of the claim against perf. As root it also tells the processes of\n"
	"other users.\n";

static const struct {
	__u64 bit;
	const char *name;
} features[] = {
	{ .bit = PMUDEV_HAS_LONG, .name = "64-bit counters" },
	{ .bit = PMUDEV_HAS_CHAIN, .name = "chained counters" },
	{ .bit = PMUDEV_HAS_THRESHOLD, .name = "thresholds" },
	{ .bit = PMUDEV_HAS_USER_READ, .name = "user reads" },
	{ .bit = PMUDEV_HAS_DIRECT, .name = "direct events" },
	{ .bit = PMUDEV_HAS_OTHER_TASKS, .name = "other tasks" },
	{ .bit = PMUDEV_HAS_INHERIT, .name = "children" },
	{ .bit = PMUDEV_HAS_MULTIPLEX, .name = "sharing over time" },
	{ .bit = PMUDEV_HAS_GUEST, .name = "guests" },
	{ .bit = PMUDEV_HAS_HIDING, .name = "hidden counters" },
};

static __attribute__((__format__(printf, 2, 3))) void row(const char *label, const char *format,
							  ...)
{
	va_list args;

	printf("  %-16s ", label);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* Which of the CPUs that are online, where not all are alike. */
static void show_cpus(struct pmudev *set, const struct pmudev_query *q)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	const char *comma = " (";
	struct pmudev_query other;
	long cpu;

	printf("  %-16s %u", "CPUs", q->nr_cpus);
	for (cpu = 0; cpu < nr && q->nr_pmus > 1; cpu++) {
		if (pmudev_query_cpu(set, cpu, &other) || other.pmu != q->pmu)
			continue;
		printf("%s%ld", comma, cpu);
		comma = ", ";
	}
	printf("%s\n", *comma == ',' ? ")" : "");
}

static void show_identity(struct pmudev *set, const struct pmudev_query *q)
{
	char text[256];

	printf("%.*s (PMU %u)\n", (int)sizeof(q->name), q->name, q->pmu);
	architecture_text(q, text, sizeof(text));
	row("architecture", "%s", text);
	model_text(q, text, sizeof(text));
	row("model", "%s", text);
	show_cpus(set, q);
}

static void show_counters(const struct pmudev_query *q)
{
	char text[512];

	widths_text(q, text, sizeof(text));
	row("counters", "%s", text);
	row("available", "%s", counters_text(q->available, text, sizeof(text)));
	row("user-readable", "%s", counters_text(q->user, text, sizeof(text)));
	row("in use", "%s", counters_text(q->busy, text, sizeof(text)));
}

static void show_events(const struct pmudev_query *q)
{
	unsigned int i;

	printf("  %-16s", "events");
	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (q->generic >> i & 1)
			printf(" %s", generic_name(i));
	printf("%s rHEX\n", q->generic ? "," : "");
	if (q->threshold_max)
		row("thresholds", "up to %u", q->threshold_max);
}

static void show_features(const struct pmudev_query *q)
{
	const char *comma = "";
	size_t i;

	printf("  %-16s ", "features");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!(q->features & features[i].bit))
			continue;
		printf("%s%s", comma, features[i].name);
		comma = ", ";
	}
	printf("%s\n", *comma ? "" : "none");
}

static void show_state(const struct pmudev_query *q)
{
	if (!(q->features & PMUDEV_HAS_USER_READ))
		row("user reads", "not offered on this machine");
	else if (q->state & PMUDEV_STATE_GATE_OPEN)
		row("user reads", "on (sysctl dev.pmudev.user_access is 1)");
	else
		row("user reads", "off; `sysctl dev.pmudev.user_access=1` switches them on");
	if (q->state & PMUDEV_STATE_CLAIMED)
		row("held by", "pmudev, for the sets enabled; perf's hardware events do not count");
	else
		row("held by", "nobody of pmudev's; perf can use it");
	row("hooks", "%s", q->state & PMUDEV_STATE_HOOKS ? "installed (fork, exec, exit)" : "none");
	row("claims", "%llu  times the PMU was taken from perf since the module was loaded",
	    (unsigned long long)q->claims);
	row("mends", "%llu  times perf changed the PMU meanwhile, and ours was put back",
	    (unsigned long long)q->mends);
}

/* Some counters take instructions only. */
static bool find_holder(struct pmudev *set, unsigned int counter, struct pmudev_holder *holder)
{
	struct pmudev_event_attr attr = {
		.type = PMUDEV_TYPE_GENERIC,
		.flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV,
	};

	for (attr.config = PMUDEV_CYCLES; attr.config <= PMUDEV_INSTRUCTIONS; attr.config++)
		if (counter_state(set, &attr, counter, holder) == COUNTER_HELD &&
		    holder->kind != PMUDEV_HOLDER_NONE)
			return true;
	return false;
}

static void show_holder(unsigned int counter, const struct pmudev_holder *holder)
{
	char text[64];

	holder_text(holder, text, sizeof(text));
	printf("    counter %-4u %s\n", counter, text);
}

/*
 * Who has the counters that are in use or kept back: asked for a thread, which is refused what sets
 * of CPUs have, and for a CPU, which is refused what sets of threads have.
 */
static void show_holders(const struct pmudev_query *q)
{
	__u64 held = q->busy | (q->counters & ~q->available);
	struct pmudev_holder holder;
	struct pmudev thread, cpu;
	unsigned int i;

	if (!held)
		return;
	/* Where one of them cannot be had, its dry runs fail without naming a holder. */
	if (!pmudev_open(&thread))
		pmudev_bind_self(&thread);
	if (!pmudev_open(&cpu))
		pmudev_bind_cpu(&cpu, sched_getcpu(), 0);
	for (i = 0; i < 64; i++)
		if (held >> i & 1 &&
		    (find_holder(&thread, i, &holder) || find_holder(&cpu, i, &holder)))
			show_holder(i, &holder);
	pmudev_close(&thread);
	pmudev_close(&cpu);
}

int cmd_info(int argc, char **argv)
{
	struct pmudev_query q;
	struct pmudev set;
	unsigned int pmu = 0;
	int status = 1;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(help, stdout);
		return 0;
	}
	if (argc > 1) {
		complain("info takes no '%s'; `pmudev info --help` tells more", argv[1]);
		return EXIT_USAGE;
	}
	if (pmudev_open(&set)) {
		complain_refusal(&set, "info");
		return 1;
	}
	do {
		if (pmudev_query(&set, pmu, &q)) {
			complain_refusal(&set, "info");
			goto out;
		}
		if (pmu)
			printf("\n");
		show_identity(&set, &q);
		show_counters(&q);
		show_holders(&q);
		show_events(&q);
		show_features(&q);
		show_state(&q);
	} while (++pmu < q.nr_pmus);
	status = 0;
out:
	pmudev_close(&set);
	return status;
}
