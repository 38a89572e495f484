// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out what the user may count, and who holds counters already.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/errata.h"
#include "../common/holders.h"
#include "doctor.h"

/* -------------------------------------------------------------------------- rights -- */

/* Static programs cannot ask NSS. */
static bool find_group(const struct doctor *d, unsigned int id, char *buf, size_t len)
{
	char line[512], name[32], path[300];
	unsigned int found;
	bool is = false;
	FILE *in;

	snprintf(path, sizeof(path), "%s/etc/group", d->root);
	in = fopen(path, "re");
	while (in && !is && fgets(line, sizeof(line), in))
		is = sscanf(line, "%31[^:]:%*[^:]:%u:", name, &found) == 2 && found == id;
	if (in)
		fclose(in);
	if (is)
		snprintf(buf, len, "%s", name);
	return is;
}

static void check_device(struct doctor *d)
{
	struct finding *f;
	char group[32];
	struct stat st;
	int error;

	if (!d->module) {
		doctor_find(d, "device", VERDICT_SKIP, "without the module there is none");
		return;
	}
	error = pmudev_open(&d->set);
	d->open = !error;
	if (d->open) {
		doctor_find(d, "device", VERDICT_OK, "you can open " PMUDEV_DEVICE);
		return;
	}
	f = doctor_find(d, "device", VERDICT_FAIL, "cannot open " PMUDEV_DEVICE ": %s",
			strerror(-error));
	if (error != -EACCES || stat(PMUDEV_DEVICE, &st)) {
		doctor_advise(f, "is udev running? `modprobe -r pmudev && modprobe pmudev`");
		return;
	}
	if (st.st_mode & 0060 && st.st_gid && find_group(d, st.st_gid, group, sizeof(group)))
		doctor_advise(f, "`usermod -a -G %s USER`, then log in again", group);
	else
		doctor_advise(f, "it belongs to root alone; the package would have made a group "
				 "(`groupadd -r pmudev`, `chgrp pmudev " PMUDEV_DEVICE
				 "`, `chmod 660 " PMUDEV_DEVICE "`)");
}

/* CAP_PERFMON or CAP_SYS_ADMIN */
static bool has_capability(const struct doctor *d)
{
	unsigned long long mask = 0;
	char line[256], path[300];
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/self/status", d->root);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, "CapEff:", 7))
			mask = strtoull(line + 7, NULL, 16);
	if (in)
		fclose(in);
	return mask >> 38 & 1 || mask >> 21 & 1;
}

static void check_rights(struct doctor *d)
{
	struct finding *f;

	if (has_capability(d)) {
		doctor_find(d, "rights", VERDICT_OK,
			    "CPUs, the kernel and any thread (CAP_PERFMON)");
		return;
	}
	f = doctor_find(d, "rights", VERDICT_NOTE, "your own programs, in user mode (:u)");
	doctor_advise(f, "to count the kernel or CPUs, be root or have CAP_PERFMON");
}

static void check_user_access(struct doctor *d)
{
	char value[16] = "";
	struct finding *f;

	if (!doctor_line(d, "/proc/sys/dev/pmudev/user_access", value, sizeof(value))) {
		doctor_find(d, "user-access", VERDICT_SKIP, "without the module there is none");
		return;
	}
	if (atoi(value)) {
		doctor_find(d, "user-access", VERDICT_OK,
			    "programs may read counters without a system call");
		return;
	}
	f = doctor_find(d, "user-access", VERDICT_NOTE,
			"off: programs read their counters by a system call");
	doctor_advise(f, "`sysctl dev.pmudev.user_access=1` if that is wanted");
}

/* -------------------------------------------------------------------------- perf -- */

static void check_watchdog(struct doctor *d, unsigned int arch)
{
	char value[16] = "";
	struct pmudev set;
	struct finding *f;

	if (!doctor_line(d, "/proc/sys/kernel/nmi_watchdog", value, sizeof(value)) ||
	    !atoi(value)) {
		doctor_find(d, "watchdog", VERDICT_OK, "no NMI watchdog has a counter");
		return;
	}
	if (arch == PMUDEV_ARCH_ARM64) {
		doctor_find(d, "watchdog", VERDICT_NOTE,
			    "the NMI watchdog is on, and may have "
			    "a counter");
		return;
	}
	if (!has_capability(d) || pmudev_open(&set)) {
		f = doctor_find(d, "watchdog", VERDICT_NOTE,
				"the NMI watchdog is on: if it uses the PMU, sets are refused");
		doctor_advise(f, "root's `pmudev doctor` knows");
		return;
	}
	if (holders_watchdog(&set)) {
		f = doctor_find(d, "watchdog", VERDICT_FAIL,
				"the NMI watchdog uses the PMU: sets are refused");
		doctor_advise(f, "`sysctl kernel.nmi_watchdog=0`");
	} else {
		doctor_find(d, "watchdog", VERDICT_OK, "the NMI watchdog leaves the PMU alone");
	}
	pmudev_close(&set);
}

static void check_perf(struct doctor *d)
{
	char value[16] = "";
	struct finding *f;

	if (!doctor_line(d, "/proc/sys/kernel/perf_event_paranoid", value, sizeof(value))) {
		doctor_find(d, "perf", VERDICT_SKIP, "the kernel has no perf events");
		return;
	}
	if (atoi(value) <= 1 || has_capability(d)) {
		doctor_find(d, "perf", VERDICT_OK, "kernel.perf_event_paranoid is %s", value);
		return;
	}
	f = doctor_find(d, "perf", VERDICT_NOTE,
			"kernel.perf_event_paranoid is %s: of software events, the kernel counts "
			"those of user mode for you",
			value);
	doctor_advise(f, "it does not matter for the CPU's events; 1 or CAP_PERFMON allows more");
}

/* The counters that somebody has. */
static void check_holders(struct doctor *d, const struct pmudev_query *q)
{
	const uint64_t held = q->busy | (q->counters & ~q->available);
	const int all = __builtin_popcountll(q->counters), nr = __builtin_popcountll(held);
	struct pmudev_holder holders[MAX_HELD];
	struct finding *f;
	char text[64];

	if (!held) {
		doctor_find(d, "counters", VERDICT_OK, "%.32s: all %d are free", q->name, all);
		return;
	}
	if (holders_find(q, holders))
		holder_text(&holders[0], text, sizeof(text));
	else
		snprintf(text, sizeof(text), "an unknown holder");
	f = doctor_find(d, "counters", VERDICT_WARN, "%.32s: %d of %d are in use, the first by %s",
			q->name, nr, all, text);
	doctor_advise(f, "`pmudev info` shows who has which");
}

static void check_errata(struct doctor *d, const struct pmudev_query *q)
{
	const struct erratum *e = NULL;

	while ((e = errata_next(q->arch, q->cpu_id, e)))
		doctor_find(d, "errata", VERDICT_WARN, "%s: %s", e->name, e->text);
}

void doctor_access(struct doctor *doctor)
{
	struct pmudev_query q = { .nr_pmus = 1 };
	unsigned int pmu;

	check_device(doctor);
	check_rights(doctor);
	check_user_access(doctor);
	check_perf(doctor);
	for (pmu = 0; doctor->open && pmu < q.nr_pmus; pmu++) {
		if (pmudev_query(&doctor->set, pmu, &q))
			break;
		if (!pmu)
			check_watchdog(doctor, q.arch);
		check_holders(doctor, &q);
		check_errata(doctor, &q);
	}
}
