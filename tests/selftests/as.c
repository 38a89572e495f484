// SPDX-License-Identifier: GPL-2.0
#include "as.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

int open_to_all(mode_t *mode)
{
	struct stat now;

	if (stat(PMUDEV_DEVICE, &now))
		return -errno;
	*mode = now.st_mode & 07777;
	return chmod(PMUDEV_DEVICE, 0666) ? -errno : 0;
}

int become(uid_t uid, int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (prctl(PR_SET_KEEPCAPS, capability >= 0) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	if (capability >= 0) {
		data[capability / 32].effective = 1U << capability % 32;
		data[capability / 32].permitted = 1U << capability % 32;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static int map_to_root(const char *path, unsigned int id)
{
	char text[32];

	snprintf(text, sizeof(text), "0 %u 1", id);
	return write_file(path, text);
}

int enter_user_namespace(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int ret;

	/* Who has changed user does not own its files in /proc until it says so. */
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		return -errno;
	ret = map_to_root("/proc/self/uid_map", uid);
	if (!ret)
		ret = write_file("/proc/self/setgroups", "deny");
	return ret ? ret : map_to_root("/proc/self/gid_map", gid);
}

int *failed_line;

static void __attribute__((constructor)) share(void)
{
	failed_line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int line_of(int child)
{
	int result;

	result = child_result(child);
	if (!result)
		return 0;
	return result == 1 ? *failed_line : -result;
}
