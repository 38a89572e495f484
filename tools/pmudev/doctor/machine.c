// SPDX-License-Identifier: GPL-2.0
/*
 * What can be found out without the module: the kernel, its options, its PMU, and why the module
 * is not there.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "doctor.h"

#define OLDEST 601
#define NEWEST 703

/* -------------------------------------------------------------------------- files -- */

static FILE *open_file(const struct doctor *doctor, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", doctor->root, path);
	return fopen(full, "re");
}

bool doctor_line(const struct doctor *doctor, const char *path, char *buf, size_t len)
{
	FILE *in = open_file(doctor, path);
	bool fine = in && fgets(buf, len, in);

	if (in)
		fclose(in);
	if (fine)
		buf[strcspn(buf, "\n")] = '\0';
	return fine;
}

bool doctor_exists(const struct doctor *doctor, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", doctor->root, path);
	return !access(full, F_OK);
}

/* Has some line of the file this in it? */
static bool has_text(const struct doctor *doctor, const char *path, const char *text)
{
	FILE *in = open_file(doctor, path);
	bool found = false;
	char *line = NULL;
	size_t room = 0;

	while (in && !found && getline(&line, &room, in) >= 0)
		found = strstr(line, text);
	free(line);
	if (in)
		fclose(in);
	return found;
}

/* -------------------------------------------------------------------------- kernel -- */

static void check_kernel(struct doctor *d)
{
	int major = 0, minor = 0;
	struct finding *f;

	if (sscanf(d->release, "%d.%d", &major, &minor) == 2 && major * 100 + minor >= OLDEST &&
	    major * 100 + minor <= NEWEST) {
		doctor_find(d, "kernel", VERDICT_OK, "Linux %s", d->release);
		return;
	}
	f = doctor_find(d, "kernel", VERDICT_FAIL, "Linux %s is not one of 6.1 to 7.3", d->release);
	doctor_advise(f, "boot another kernel");
}

static void check_options(struct doctor *d)
{
	struct finding *f;
	char why[256];
	char *config = doctor_config(d, why, sizeof(why));

	if (!config) {
		doctor_find(d, "options", VERDICT_SKIP, "%s", why);
		return;
	}
	if (!strstr(config, "CONFIG_KPROBES=y\n")) {
		f = doctor_find(d, "options", VERDICT_FAIL, "the kernel has no KPROBES");
		doctor_advise(f, "use a kernel with CONFIG_KPROBES=y");
	} else if (!strstr(config, "CONFIG_PREEMPT_NOTIFIERS=y\n")) {
		f = doctor_find(d, "options", VERDICT_NOTE,
				"without PREEMPT_NOTIFIERS there are no reads without a system "
				"call");
		doctor_advise(f, "use a kernel with CONFIG_KVM, which selects it");
	} else {
		doctor_find(d, "options", VERDICT_OK, "KPROBES and PREEMPT_NOTIFIERS");
	}
	free(config);
}

/* ----------------------------------------------------------------------------- PMU -- */

/* Names of perf's PMUs of CPUs, as "a, b". Return: how many. */
static unsigned int find_pmus(const struct doctor *d, char *buf, size_t len)
{
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned int nr = 0;
	size_t used = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", d->root);
	dir = opendir(path);
	buf[0] = '\0';
	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, "cpu") && strncmp(entry->d_name, "cpu_", 4) &&
		    strncmp(entry->d_name, "armv8_", 6) && strncmp(entry->d_name, "armv9_", 6))
			continue;
		if (used < len)
			used += snprintf(buf + used, len - used, "%s%.60s", nr ? ", " : "",
					 entry->d_name);
		nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

static bool is_virtual(const struct doctor *d)
{
	char vendor[64] = "";

	if (has_text(d, "/proc/cpuinfo", " hypervisor"))
		return true;
	doctor_line(d, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	return strstr(vendor, "QEMU") || doctor_exists(d, "/sys/hypervisor/type") ||
	       doctor_exists(d, "/proc/device-tree/hypervisor");
}

/* On x86 perf has a PMU "cpu" also where it has no counters. */
static bool has_counters(const struct doctor *d, unsigned int pmus)
{
	if (doctor_exists(d, "/sys/bus/event_source/devices/cpu") &&
	    !doctor_exists(d, "/sys/bus/event_source/devices/cpu/format/event"))
		return false;
	return pmus;
}

static void check_pmu(struct doctor *d)
{
	const bool guest = is_virtual(d);
	struct finding *f;
	char names[256];

	if (has_counters(d, find_pmus(d, names, sizeof(names)))) {
		doctor_find(d, "pmu", VERDICT_OK, "perf drives %s", names);
	} else {
		f = doctor_find(d, "pmu", VERDICT_FAIL, "perf's driver has found no PMU%s",
				guest ? ", and this is a virtual machine" : "");
		doctor_advise(f, guest ? "let the hypervisor provide one (QEMU with KVM: "
					 "-cpu host,pmu=on); many clouds do so on whole-socket and "
					 "bare-metal sizes only" :
					 "`dmesg | grep -i pmu` says what perf's driver found; "
					 "firmware may have switched it off");
	}
	if (guest) {
		f = doctor_find(d, "virtual", VERDICT_WARN,
				"a virtual machine: counts are as good as its hypervisor's PMU");
		doctor_advise(f, "trust the measurements below more than this line");
	}
}

/* -------------------------------------------------------------------------- module -- */

/* A secure boot lets the kernel refuse modules without a signature that it knows. */
static bool secure_boot(const struct doctor *d)
{
	char lockdown[64] = "", path[PATH_MAX];
	unsigned char bytes[5] = { 0 };
	bool on = false;
	FILE *in;

	snprintf(path, sizeof(path), "/sys/firmware/efi/efivars/SecureBoot-%s",
		 "8be4df61-93ca-11d2-aa0d-00e098032b8c");
	in = open_file(d, path);
	/* Four bytes of attributes, one of the value. */
	if (in)
		on = fread(bytes, 1, sizeof(bytes), in) == sizeof(bytes) && bytes[4] == 1;
	if (in)
		fclose(in);
	doctor_line(d, "/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	return on || strstr(lockdown, "[integrity]") || strstr(lockdown, "[confidentiality]");
}

/* Where DKMS and `make modules_install` put it, compressed or not. */
static bool is_installed(const struct doctor *d)
{
	static const char *const places[] = { "updates/dkms", "updates", "extra", "kernel/extra",
					      "weak-updates" };
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };
	char path[PATH_MAX];
	size_t i, e;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		for (e = 0; e < ARRAY_SIZE(ends); e++) {
			snprintf(path, sizeof(path), "/lib/modules/%s/%s/pmudev.ko%s", d->release,
				 places[i], ends[e]);
			if (doctor_exists(d, path))
				return true;
		}
	return false;
}

static void check_module(struct doctor *d)
{
	const bool secure = secure_boot(d);
	char version[64] = "";
	struct finding *f;

	d->module = doctor_exists(d, "/sys/module/pmudev");
	if (d->module) {
		doctor_line(d, "/sys/module/pmudev/version", version, sizeof(version));
		doctor_find(d, "module", VERDICT_OK, "loaded%s%s", *version ? ", version " : "",
			    version);
		return;
	}
	if (!is_installed(d)) {
		f = doctor_find(d, "module", VERDICT_FAIL, "there is no module for this kernel");
		doctor_advise(f, "install linux-headers-%s, then `dkms autoinstall` or `make`",
			      d->release);
		return;
	}
	f = doctor_find(d, "module", VERDICT_FAIL, "installed, but not loaded");
	doctor_advise(f, "`modprobe pmudev`; if that fails, `dmesg | grep pmudev` says why%s",
		      secure ? "; with Secure Boot it must be signed (docs/signing.md)" : "");
}

static void check_secure_boot(struct doctor *d)
{
	if (!secure_boot(d))
		doctor_find(d, "secure-boot", VERDICT_OK, "off: the module needs no signature");
	else if (d->module)
		doctor_find(d, "secure-boot", VERDICT_OK, "on, and the module was accepted");
	else
		doctor_advise(doctor_find(d, "secure-boot", VERDICT_WARN,
					  "on: the kernel takes signed modules only"),
			      "sign the module and enrol the key: docs/signing.md");
}

void doctor_machine(struct doctor *doctor)
{
	check_kernel(doctor);
	check_options(doctor);
	check_pmu(doctor);
	check_module(doctor);
	check_secure_boot(doctor);
}
