// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev info: describes each PMU. It enables nothing, so the PMU is not reserved for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/errata.h"
#include "../common/events.h"
#include "../common/holders.h"
#include "../common/options.h"
#include "../common/table.h"
#include "identity.h"
#include "info.h"

static const char help[] =
	"usage: pmudev info [-j] [--color=WHEN]\n"
	"\n"
	"Shows who can count and who does. For each PMU (class of CPUs with the same counters) of\n"
	"this machine it shows the counters, which of them are free, who holds the others, the\n"
	"named events, whether user access is enabled, and whether the PMU is reserved from perf.\n"
	"Root also sees the processes of other users. Nothing is counted or disturbed.\n"
	"\n"
	"  -j, --json  the same as one object\n" COLOUR_HELP;

/* By the bits of PMUDEV_HAS_*. */
const char *const feature_names[MAX_FEATURES] = {
	"64-bit counters", "chained counters", "thresholds", "user reads",
	"direct events",   "other tasks",      "children",   "sharing over time",
	"guests",	   "hidden counters",  "deadlines",
};

static __attribute__((__format__(printf, 3, 4))) void row(struct table *table, const char *label,
							  const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_row(table, label, text);
}

static struct table *begin(void)
{
	struct table *table = table_new(stdout, "  ");

	table_column(table, NULL, 0, 16);
	table_column(table, NULL, TABLE_WRAP, 0);
	return table;
}

/* The online CPUs of this PMU, on machines with several PMUs. */
static void show_cpus(struct table *table, struct pmudev *set, const struct pmudev_query *q)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	const char *comma = " (";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	long cpu;

	if (!out)
		return;
	fprintf(out, "%u", q->nr_cpus);
	for (cpu = 0; cpu < nr && q->nr_pmus > 1; cpu++) {
		if (!info_has_cpu(set, q, cpu))
			continue;
		fprintf(out, "%s%ld", comma, cpu);
		comma = ", ";
	}
	fprintf(out, "%s", *comma == ',' ? ")" : "");
	if (!fclose(out))
		table_row(table, "CPUs", text);
	free(text);
}

static void show_identity(struct table *table, struct pmudev *set, const struct pmudev_query *q)
{
	char text[256];

	architecture_text(q, text, sizeof(text));
	row(table, "architecture", "%s", text);
	model_text(q, text, sizeof(text));
	row(table, "model", "%s", text);
	show_cpus(table, set, q);
}

static void show_counters(struct table *table, const struct pmudev_query *q)
{
	const __u64 kept = q->counters & ~q->available;
	char text[512], kept_text[256];

	widths_text(q, text, sizeof(text));
	row(table, "counters", "%s", text);
	row(table, "available", "%s%s%s%s", counters_text(q->available, text, sizeof(text)),
	    kept ? " (not available: " : "",
	    kept ? counters_text(kept, kept_text, sizeof(kept_text)) : "", kept ? ")" : "");
	row(table, "user-readable", "%s", counters_text(q->user, text, sizeof(text)));
	row(table, "in use", "%s", counters_text(q->busy, text, sizeof(text)));
}

static void show_events(struct table *table, const struct pmudev_query *q)
{
	char text[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (q->generic >> i & 1)
			used += snprintf(text + used, sizeof(text) - used, "%s ",
					 pmudev_generic_name(i));
	if (used)
		text[used - 1] = ',';
	row(table, "events", "%s%srHEX", text, used ? " " : "");
	if (q->threshold_max)
		row(table, "thresholds", "up to %u", q->threshold_max);
}

/* One per line. Nothing where there are none. */
static void show_errata(struct table *table, const struct pmudev_query *q)
{
	const struct erratum *e = NULL;
	const char *label = "errata";

	while ((e = errata_next(q->arch, q->cpu_id, e))) {
		if (e->event == ERRATUM_OF_ALL)
			row(table, label, "%s: %s [%s]", e->name, e->text, e->source);
		else
			row(table, label, "%s (event %#llx): %s [%s]", e->name,
			    (unsigned long long)e->event, e->text, e->source);
		label = "";
	}
}

static void show_features(struct table *table, const struct pmudev_query *q)
{
	char text[MAX_FEATURES * 24] = ""; /* no name is longer */
	size_t i, used = 0;

	for (i = 0; i < MAX_FEATURES; i++)
		if (q->features >> i & 1)
			used += snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 feature_names[i]);
	row(table, "features", "%s", used ? text : "none");
}

/* One per line, for there may be ten. */
static void show_hooks(struct table *table, const struct pmudev_query *q)
{
	char names[INFO_HOOKS], *name, *rest = names;
	const char *label = "hooks";

	info_hooks(q, names, sizeof(names));
	while ((name = strsep(&rest, "\n")))
		if (*name) {
			row(table, label, "%s", name);
			label = "";
		}
	if (*label)
		row(table, label, "none installed");
}

static void show_state(struct table *table, const struct pmudev_query *q)
{
	if (!(q->features & PMUDEV_HAS_USER_READ))
		row(table, "user reads", "not supported on this machine");
	else if (q->state & PMUDEV_STATE_USER_ACCESS)
		row(table, "user reads", "enabled (sysctl dev.pmudev.user_access is 1)");
	else
		row(table, "user reads",
		    "disabled; `sysctl dev.pmudev.user_access=1` enables them");
	if (q->state & PMUDEV_STATE_RESERVED)
		row(table, "held by", "%s",
		    q->arch == PMUDEV_ARCH_ARM64 ?
			    "sets, some counters; perf has the others" :
			    "pmudev, until its sets are closed; perf's hardware events do not count");
	else
		row(table, "held by", "no set; perf can use it");
	show_hooks(table, q);
	row(table, "reservations",
	    "%llu  times sets began to use the PMU since the module was loaded",
	    (unsigned long long)q->reservations);
	row(table, "perf stops", "%llu  times perf stopped the PMU for a moment while sets used it",
	    (unsigned long long)q->perf_stops);
	row(table, "user access lost", "%llu  times a reader was found without the right to read",
	    (unsigned long long)q->user_access_lost);
	row(table, "overflows",
	    "%llu  interrupts of deadlines, %llu of them without one that was reached",
	    (unsigned long long)q->overflows, (unsigned long long)q->unexpected);
	if (q->arch == PMUDEV_ARCH_AMD)
		row(table, "late interrupts", "%llu  came after their overflow was dealt with",
		    (unsigned long long)q->late);
}

static void show_holders(struct table *table, const struct pmudev_query *q)
{
	struct pmudev_holder holders[MAX_HELD];
	unsigned int i, nr = holders_find(q, holders);
	char text[64], name[20];

	for (i = 0; i < nr; i++) {
		holder_text(&holders[i], text, sizeof(text));
		row(table, "", "%-12s %s", counter_text(holders[i].counter, name, sizeof(name)),
		    text);
	}
}

/* --------------------------------------------------------------- the whole machine -- */

static void show_users(struct table *table, const char *label, const struct users *users,
		       const char *remark)
{
	char name[sizeof(users->name[0])], text[MAX_USERS * 48];
	size_t used = 0;
	unsigned int i;

	if (!users->nr) {
		row(table, label, "none%s", geteuid() ? " of your processes" : "");
		return;
	}
	for (i = 0; i < users->nr && i < MAX_USERS; i++) {
		/* A process can choose any name. */
		snprintf(name, sizeof(name), "%s", users->name[i]);
		utf8_printable(name);
		used += snprintf(text + used, sizeof(text) - used, "%sprocess %d (%s)",
				 i ? ", " : "", users->pid[i], name);
	}
	if (users->nr > MAX_USERS)
		used += snprintf(text + used, sizeof(text) - used, " and %u more",
				 users->nr - MAX_USERS);
	row(table, label, "%s%s", text, remark);
}

static void show_device(struct table *table, const struct info *info)
{
	const char *who = "all users can use it";
	char group[80];

	if (!(info->mode & 0006)) {
		who = "only its owner can use it";
		snprintf(group, sizeof(group), "group %s can use it too", info->group);
		if (info->mode & 0060)
			who = group;
	}
	row(table, "device", PMUDEV_DEVICE ", mode %04o, %s:%s: %s", info->mode, info->owner,
	    info->group, who);
}

static void show_common(const struct info *info, const struct pmudev_query *q)
{
	struct table *table = begin();

	printf("%spmudev%s %s, module %s%s(ABI %u)\n", colour(stdout, COLOUR_HEAD),
	       colour(stdout, COLOUR_END), PMUDEV_LIB_VERSION, info->version,
	       *info->version ? " " : "loaded ", q->abi);
	show_device(table, info);
	row(table, "you may count", "%s",
	    info->may_all ? "CPUs, the kernel, and any thread (CAP_PERFMON)" :
			    "your own threads in user mode; everything else needs CAP_PERFMON");
	show_users(table, "event sets", &info->sets, "");
	show_users(table, "perf events", &info->perf,
		   q->arch == PMUDEV_ARCH_ARM64 ?
			   "; those of hardware have the counters that sets leave" :
			   "; those of hardware do not count while pmudev holds the PMU");
	if (info->watchdog_counts) {
		row(table, "NMI watchdog", "on, and in the way: `sysctl kernel.nmi_watchdog=0`");
		table_colour(table, 1, COLOUR_WARN);
	} else if (info->watchdog) {
		row(table, "NMI watchdog", "on, without a performance counter");
	}
	table_print(table);
}

/* Advice if the device cannot be opened or the module is not loaded. */
static void complain_missing(struct pmudev *set, const struct info *info, int error)
{
	complain_refusal(set, "info");
	if (error == -EACCES && info->mode & 0060 && strcmp(info->group, "root"))
		complain("group %s can use it: `usermod -aG %s USER`, then log in again",
			 info->group, info->group);
	else if (error == -EACCES)
		complain("its mode is %04o, %s:%s; `pmudev list` works without it", info->mode,
			 info->owner, info->group);
	else if (error == -ENOENT)
		complain("if the kernel refused the module, `dmesg | grep pmudev` says why");
}

/* ------------------------------------------------------------------------- options -- */

static const struct option long_options[] = { LONG_JSON, LONG_COLOUR, LONG_HELP, {} };
static const struct usage usage = { "info", help, ":jh", long_options, NULL };

static int show_all(struct pmudev *set, const struct info *info)
{
	struct pmudev_query q;
	unsigned int pmu = 0;
	struct table *table;

	do {
		if (pmudev_query(set, pmu, &q)) {
			complain_refusal(set, "info");
			return 1;
		}
		if (!pmu)
			show_common(info, &q);
		printf("\n%s%.*s%s (PMU %u)\n", colour(stdout, COLOUR_HEAD), (int)sizeof(q.name),
		       q.name, colour(stdout, COLOUR_END), q.pmu);
		table = begin();
		show_identity(table, set, &q);
		show_counters(table, &q);
		show_holders(table, &q);
		show_events(table, &q);
		show_errata(table, &q);
		show_features(table, &q);
		show_state(table, &q);
		table_print(table);
	} while (++pmu < q.nr_pmus);
	return 0;
}

int cmd_info(int argc, char **argv)
{
	struct pmudev set;
	bool json = false;
	struct info info;
	int status, error;

	while (next_option(&usage, argc, argv, &status))
		json = true;
	if (status < 0)
		status = no_words(&usage, argc, argv);
	if (status >= 0)
		return status;
	info_device(&info);
	error = pmudev_open(&set);
	if (error) {
		complain_missing(&set, &info, error);
		return 1;
	}
	info_find(&info);
	if (json)
		info_json(&set, &info);
	else
		status = show_all(&set, &info);
	pmudev_close(&set);
	return json ? 0 : status;
}
