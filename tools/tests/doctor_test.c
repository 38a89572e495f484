// SPDX-License-Identifier: MIT
/* What `pmudev doctor` finds on made-up machines, as far as it looks at files. */
#include <stdlib.h>
#include <sys/stat.h>

#include "../pmudev/doctor/doctor.h"
#include "tap.h"

#define EFI "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static char root[64];
static struct doctor doctor;

/* With its folders. */
static void put(const char *path, const char *text, size_t len)
{
	char full[512], *slash;
	FILE *out;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(full, 0755);
	}
	out = fopen(full, "w");
	if (!ok(out, path))
		return;
	fwrite(text, 1, len, out);
	fclose(out);
}

static void put_line(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static void look(const char *release)
{
	doctor = (struct doctor){ .root = root };
	snprintf(doctor.release, sizeof(doctor.release), "%s", release);
	doctor_machine(&doctor);
}

/* @word: of the text or the advice */
static void expect(const char *check, enum verdict verdict, const char *word)
{
	const struct finding *f = doctor.findings;

	while (f < doctor.findings + doctor.nr && strcmp(f->check, check))
		f++;
	if (!ok(f < doctor.findings + doctor.nr, check))
		return;
	ok(f->verdict == verdict, "  its verdict");
	if (!ok(strstr(f->text, word) || strstr(f->advice, word), word))
		printf("# %s; %s\n", f->text, f->advice);
}

static void check_nothing(void)
{
	look("5.10.0-9-amd64");
	expect("kernel", VERDICT_FAIL, "6.1 to 7.3");
	expect("options", VERDICT_SKIP,
	       "there is no /proc/config.gz, and there is no /boot/config-5.10.0-9-amd64");
	expect("pmu", VERDICT_FAIL, "dmesg");
	expect("module", VERDICT_FAIL, "linux-headers-5.10.0-9-amd64");
	expect("secure-boot", VERDICT_OK, "off");
}

static void check_guest(void)
{
	put_line("/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf\n");
	/* perf's, without counters */
	put_line("/sys/bus/event_source/devices/cpu/type", "4\n");
	put_line("/boot/config-6.12.1",
		 "CONFIG_KPROBES=y\n# CONFIG_PREEMPT_NOTIFIERS is not set\n");
	put_line("/lib/modules/6.12.1/updates/dkms/pmudev.ko.xz", "");
	put(EFI, "\6\0\0\0\1", 5);
	look("6.12.1");
	expect("kernel", VERDICT_OK, "Linux 6.12.1");
	expect("options", VERDICT_NOTE, "PREEMPT_NOTIFIERS");
	expect("pmu", VERDICT_FAIL, "virtual machine");
	expect("pmu", VERDICT_FAIL, "pmu=on");
	expect("virtual", VERDICT_WARN, "hypervisor");
	expect("module", VERDICT_FAIL, "modprobe pmudev");
	expect("module", VERDICT_FAIL, "Secure Boot");
	expect("secure-boot", VERDICT_WARN, "signing.md");
}

static void check_good(void)
{
	put_line("/proc/cpuinfo", "flags\t\t: fpu lahf\n");
	put_line("/sys/bus/event_source/devices/cpu/format/event", "config:0-7\n");
	put_line("/boot/config-6.12.1", "CONFIG_PREEMPT_NOTIFIERS=y\nCONFIG_KPROBES=y\n");
	put_line("/sys/module/pmudev/version", "0.1.0\n");
	put(EFI, "\6\0\0\0\0", 5);
	put_line("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	look("6.12.1");
	expect("options", VERDICT_OK, "KPROBES");
	expect("pmu", VERDICT_OK, "cpu");
	expect("module", VERDICT_OK, "0.1.0");
	expect("secure-boot", VERDICT_OK, "accepted");
	put_line("/boot/config-6.12.1", "CONFIG_PREEMPT_NOTIFIERS=y\n");
	look("6.12.1");
	expect("options", VERDICT_FAIL, "CONFIG_KPROBES=y");
	look("7.4.0-rc1");
	expect("kernel", VERDICT_FAIL, "7.4.0-rc1");
}

/* The running kernel's own comes first; what gzip cannot read is told, if there is nothing else. */
static void check_packed(void)
{
	char command[256];

	put_line("/boot/config-6.12.2", "CONFIG_PREEMPT_NOTIFIERS=y\n");
	put_line("/proc/config", "CONFIG_KPROBES=y\nCONFIG_PREEMPT_NOTIFIERS=y\n");
	snprintf(command, sizeof(command), "gzip %s/proc/config", root);
	ok(!system(command), "gzip packs");
	look("6.12.2");
	expect("options", VERDICT_OK, "KPROBES and PREEMPT_NOTIFIERS");
	put_line("/proc/config.gz", "CONFIG_KPROBES=y\n");
	look("6.12.2");
	expect("options", VERDICT_FAIL, "CONFIG_KPROBES=y");
	look("6.12.3");
	expect("options", VERDICT_SKIP,
	       "gzip cannot unpack /proc/config.gz, and there is no /boot/config-6.12.3");
}

int main(void)
{
	char remove[96];

	snprintf(root, sizeof(root), "/tmp/pmudev-test-XXXXXX");
	if (!ok(mkdtemp(root), "a temporary folder"))
		return tap_end();
	check_nothing();
	check_guest();
	check_good();
	check_packed();
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	ok(!system(remove), "it is removed");
	return tap_end();
}
