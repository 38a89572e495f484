// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev info: describes each PMU. It enables nothing, so the PMU is not reserved for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/errata.h"
#include "../common/events.h"
#include "../common/holders.h"
#include "../common/options.h"
#include "../common/wrap.h"
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

static __attribute__((__format__(printf, 2, 3))) void row(const char *label, const char *format,
							  ...)
{
	const int at = printf("  %-16s ", label);
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_wrapped(stdout, at, text);
}

/* The online CPUs of this PMU, on machines with several PMUs. */
static void show_cpus(struct pmudev *set, const struct pmudev_query *q)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	const char *comma = " (";
	long cpu;

	printf("  %-16s %u", "CPUs", q->nr_cpus);
	for (cpu = 0; cpu < nr && q->nr_pmus > 1; cpu++) {
		if (!info_has_cpu(set, q, cpu))
			continue;
		printf("%s%ld", comma, cpu);
		comma = ", ";
	}
	printf("%s\n", *comma == ',' ? ")" : "");
}

static void show_identity(struct pmudev *set, const struct pmudev_query *q)
{
	char text[256];

	printf("%s%.*s%s (PMU %u)\n", colour(stdout, COLOUR_HEAD), (int)sizeof(q->name), q->name,
	       colour(stdout, COLOUR_END), q->pmu);
	architecture_text(q, text, sizeof(text));
	row("architecture", "%s", text);
	model_text(q, text, sizeof(text));
	row("model", "%s", text);
	show_cpus(set, q);
}

static void show_counters(const struct pmudev_query *q)
{
	const __u64 kept = q->counters & ~q->available;
	char text[512], kept_text[256];

	widths_text(q, text, sizeof(text));
	row("counters", "%s", text);
	row("available", "%s%s%s%s", counters_text(q->available, text, sizeof(text)),
	    kept ? " (not available: " : "",
	    kept ? counters_text(kept, kept_text, sizeof(kept_text)) : "", kept ? ")" : "");
	row("user-readable", "%s", counters_text(q->user, text, sizeof(text)));
	row("in use", "%s", counters_text(q->busy, text, sizeof(text)));
}

static void show_events(const struct pmudev_query *q)
{
	unsigned int i;

	printf("  %-16s", "events");
	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (q->generic >> i & 1)
			printf(" %s", pmudev_generic_name(i));
	printf("%s rHEX\n", q->generic ? "," : "");
	if (q->threshold_max)
		row("thresholds", "up to %u", q->threshold_max);
}

/* One per line. Nothing where there are none. */
static void show_errata(const struct pmudev_query *q)
{
	const struct erratum *e = NULL;
	const char *label = "errata";

	while ((e = errata_next(q->arch, q->cpu_id, e))) {
		if (e->event == ERRATUM_OF_ALL)
			row(label, "%s: %s [%s]", e->name, e->text, e->source);
		else
			row(label, "%s (event %#llx): %s [%s]", e->name,
			    (unsigned long long)e->event, e->text, e->source);
		label = "";
	}
}

static void show_features(const struct pmudev_query *q)
{
	char text[MAX_FEATURES * 24] = ""; /* no name is longer */
	size_t i, used = 0;

	for (i = 0; i < MAX_FEATURES; i++)
		if (q->features >> i & 1)
			used += snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 feature_names[i]);
	row("features", "%s", used ? text : "none");
}

/* One per line, for there may be ten. */
static void show_hooks(const struct pmudev_query *q)
{
	char names[INFO_HOOKS], *name, *rest = names;
	const char *label = "hooks";

	info_hooks(q, names, sizeof(names));
	while ((name = strsep(&rest, "\n")))
		if (*name) {
			row(label, "%s", name);
			label = "";
		}
	if (*label)
		row(label, "none installed");
}

static void show_state(const struct pmudev_query *q)
{
	if (!(q->features & PMUDEV_HAS_USER_READ))
		row("user reads", "not supported on this machine");
	else if (q->state & PMUDEV_STATE_USER_ACCESS)
		row("user reads", "enabled (sysctl dev.pmudev.user_access is 1)");
	else
		row("user reads", "disabled; `sysctl dev.pmudev.user_access=1` enables them");
	if (q->state & PMUDEV_STATE_RESERVED)
		row("held by", "%s",
		    q->arch == PMUDEV_ARCH_ARM64 ?
			    "sets, some counters; perf has the others" :
			    "pmudev, for enabled sets; perf's hardware events do not count");
	else
		row("held by", "no set; perf can use it");
	show_hooks(q);
	row("reservations", "%llu  times sets began to use the PMU since the module was loaded",
	    (unsigned long long)q->reservations);
	row("perf stops", "%llu  times perf stopped the PMU for a moment while sets used it",
	    (unsigned long long)q->perf_stops);
	row("user access lost", "%llu  times a reader was found without the right to read",
	    (unsigned long long)q->user_access_lost);
	row("overflows", "%llu  interrupts of deadlines, %llu of them without one that was reached",
	    (unsigned long long)q->overflows, (unsigned long long)q->unexpected);
	if (q->arch == PMUDEV_ARCH_AMD)
		row("late interrupts", "%llu  came after their overflow was dealt with",
		    (unsigned long long)q->late);
}

static void show_holders(const struct pmudev_query *q)
{
	struct pmudev_holder holders[MAX_HELD];
	unsigned int i, nr = holders_find(q, holders);
	char text[64], name[20];

	for (i = 0; i < nr; i++) {
		holder_text(&holders[i], text, sizeof(text));
		printf("    %-12s %s\n", counter_text(holders[i].counter, name, sizeof(name)),
		       text);
	}
}

/* --------------------------------------------------------------- the whole machine -- */

static void show_users(const char *label, const struct users *users, const char *remark)
{
	char name[sizeof(users->name[0])];
	unsigned int i;

	if (!users->nr) {
		row(label, "none%s", geteuid() ? " of your processes" : "");
		return;
	}
	printf("  %-16s ", label);
	for (i = 0; i < users->nr && i < MAX_USERS; i++) {
		/* A process can choose any name. */
		snprintf(name, sizeof(name), "%s", users->name[i]);
		utf8_printable(name);
		printf("%sprocess %d (%s)", i ? ", " : "", users->pid[i], name);
	}
	if (users->nr > MAX_USERS)
		printf(" and %u more", users->nr - MAX_USERS);
	printf("%s\n", remark);
}

static void show_device(const struct info *info)
{
	const char *who = "all users can use it";
	char group[80];

	if (!(info->mode & 0006)) {
		who = "only its owner can use it";
		snprintf(group, sizeof(group), "group %s can use it too", info->group);
		if (info->mode & 0060)
			who = group;
	}
	row("device", PMUDEV_DEVICE ", mode %04o, %s:%s: %s", info->mode, info->owner, info->group,
	    who);
}

static void show_common(const struct info *info, unsigned int abi)
{
	printf("%spmudev%s %s, module %s%s(ABI %u)\n", colour(stdout, COLOUR_HEAD),
	       colour(stdout, COLOUR_END), PMUDEV_LIB_VERSION, info->version,
	       *info->version ? " " : "loaded ", abi);
	show_device(info);
	row("you may count", "%s",
	    info->may_all ? "CPUs, the kernel, and any thread (CAP_PERFMON)" :
			    "your own threads in user mode; everything else needs CAP_PERFMON");
	show_users("event sets", &info->sets, "");
	show_users("perf events", &info->perf, "; they do not count while pmudev holds the PMU");
	if (info->watchdog_counts)
		row("NMI watchdog", "%son%s, and in the way: `sysctl kernel.nmi_watchdog=0`",
		    colour(stdout, COLOUR_WARN), colour(stdout, COLOUR_END));
	else if (info->watchdog)
		row("NMI watchdog", "on, without a performance counter");
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

	do {
		if (pmudev_query(set, pmu, &q)) {
			complain_refusal(set, "info");
			return 1;
		}
		if (!pmu)
			show_common(info, q.abi);
		printf("\n");
		show_identity(set, &q);
		show_counters(&q);
		show_holders(&q);
		show_events(&q);
		show_errata(&q);
		show_features(&q);
		show_state(&q);
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
