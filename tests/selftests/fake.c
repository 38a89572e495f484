// SPDX-License-Identifier: GPL-2.0
#include "fake.h"

#if defined(__x86_64__)

#include <fcntl.h>

const char *fake_lacks(void)
{
	if (access(FAKE_KVM_KO, R_OK))
		return "needs " FAKE_KVM_KO " (tests/modules), which the test machine has";
	if (!access("/sys/module/kvm", F_OK))
		return "needs KVM as a module: this kernel has its own built in";
	return NULL;
}

int fake_load(void)
{
	return load_module_file(FAKE_KVM_KO);
}

int fake_unload(void)
{
	return unload_module_named(FAKE_KVM);
}

int fake_open(void)
{
	int fd = open("/dev/" FAKE_KVM, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int fake_enter(int fake, __u64 rounds, __u64 flags)
{
	const struct fake_entry entry = { .rounds = rounds, .flags = flags };
	long ret = raw_call(SYS_write, fake, (long)&entry, sizeof(entry));

	return ret == sizeof(entry) ? 0 : ret;
}

bool guests_watched(void)
{
	struct pmudev_query query;

	return !pm_query(&query) && query.state & PMUDEV_STATE_GUEST;
}

#endif
