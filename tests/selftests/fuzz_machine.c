// SPDX-License-Identifier: GPL-2.0
/* The fuzzer and the machine: CPUs, user access, perf, the module itself. */
#include "fuzz.h"
#include "perf.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

void fuzz_hotplug(struct fuzz *f)
{
	int cpu = 1 + fuzz_pick(f, f->s->cpus - 1 + (f->s->cpus == 1));
	__u64 pause = fuzz_random(f) >> 44; /* up to a millisecond */
	bool both = !fuzz_rarely(f, 4);
	long ret;

	/* One at a time: others wait for it in the kernel. */
	if (f->alone || f->s->cpus == 1 || __atomic_exchange_n(&f->s->hotplug, 1, __ATOMIC_SEQ_CST))
		return;
	fuzz_begin(f, FUZZ_HOTPLUG, "CPU %d off%s", cpu, both ? " and on" : "");
	ret = set_cpu_online(cpu, false);
	if (both) {
		pause_ns(pause);
		ret = set_cpu_online(cpu, true);
	}
	fuzz_end(f, ret);
	WRITE_ONCE(f->s->hotplug, 0);
}

void fuzz_user_access(struct fuzz *f)
{
	bool open = !fuzz_rarely(f, 3);

	fuzz_begin(f, FUZZ_USER_ACCESS, "user_access %d", open);
	fuzz_end(f, set_user_access(open));
}

/* While a file is open, and the round has one. */
void fuzz_rmmod(struct fuzz *f)
{
	long ret;

	fuzz_begin(f, FUZZ_RMMOD, "rmmod");
	ret = fuzz_end(f, unload_module());
	if (ret != -EAGAIN && ret != -EBUSY && ret != -EPERM)
		fuzz_fail(f, "unloaded");
}

static void make_event(struct fuzz *f, int fd)
{
	static const int types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_RAW, PERF_TYPE_RAW,
				     PERF_TYPE_SOFTWARE };
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = FUZZ_ONE_OF(f, types),
		.exclude_kernel = !fuzz_rarely(f, 3),
		.exclude_hv = 1,
		.pinned = fuzz_rarely(f, 3),
		.exclusive = fuzz_rarely(f, 6),
		.inherit = fuzz_rarely(f, 3),
		.disabled = fuzz_rarely(f, 3),
	};
	int cpu = fuzz_rarely(f, 2) ? (int)fuzz_pick(f, f->s->cpus) : -1, pid, got;
	const char *name;

	attr.config = attr.type == PERF_TYPE_RAW ? EVENT_INSTRUCTIONS : fuzz_pick(f, 6);
	if (fuzz_rarely(f, 4))
		attr.sample_period = 10000 + fuzz_pick(f, 100000);
	pid = fuzz_someone(f, &name);
	if (cpu >= 0 && fuzz_rarely(f, 2))
		pid = -1;
	fuzz_begin(f, FUZZ_PERF, "perf_event_open type %u config %llx, %s, CPU %d", attr.type,
		   attr.config, pid == -1 ? "all" : name, cpu);
	got = fuzz_end(f, fuzz_result(syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0)));
	if (got >= 0) {
		dup3(got, fd, O_CLOEXEC);
		close(got);
	}
}

void fuzz_perf(struct fuzz *f)
{
	int fd = FUZZ_PERF_FD + fuzz_pick(f, FUZZ_PERFS);
	unsigned int what = fuzz_pick(f, 10);
	void *page;

	/* It has the PMU to itself as long as it counts: not for long. */
	if (what < 4) {
		make_event(f, fd);
	} else if (what < 8) {
		fuzz_begin(f, FUZZ_PERF, "perf %d closed", fd - FUZZ_PERF_FD);
		fuzz_end(f, fuzz_result(close(fd)));
	} else if (what == 8) {
		fuzz_begin(f, FUZZ_PERF, "perf %d enabled, disabled", fd - FUZZ_PERF_FD);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		fuzz_end(f, fuzz_result(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0)));
	} else {
		fuzz_begin(f, FUZZ_PERF, "perf %d mapped", fd - FUZZ_PERF_FD);
		page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
		fuzz_end(f, page == MAP_FAILED ? -errno : 0);
		if (page != MAP_FAILED)
			munmap(page, PAGE_BYTES);
	}
}

void fuzz_perf_right(struct fuzz *f)
{
	char text[] = { '0' + fuzz_pick(f, 3), 0 };

	fuzz_begin(f, FUZZ_PERF_RIGHT, "perf's right %s", text);
	fuzz_end(f, write_file(FUZZ_PERF_RIGHT_FILE, text));
}

/* ------------------------------------------------------------------------- sysfs -- */

static void note_paths(struct fuzz_shared *s, const char *pattern)
{
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc && s->paths < (int)ARRAY_SIZE(s->path); i++)
		if (strlen(found.gl_pathv[i]) < sizeof(s->path[0]))
			snprintf(s->path[s->paths++], sizeof(s->path[0]), "%s", found.gl_pathv[i]);
	globfree(&found);
}

void fuzz_find_sysfs(struct fuzz_shared *s)
{
	s->paths = 0;
	note_paths(s, "/sys/class/pmudev/*/[a-z]*");
	note_paths(s, "/sys/class/pmudev/*/*/*");
	note_paths(s, "/sys/module/pmudev/*");
}

void fuzz_sysfs(struct fuzz *f)
{
	const char *path = f->s->path[fuzz_pick(f, f->s->paths + !f->s->paths)];
	char text[4096];
	int fd;

	fuzz_begin(f, FUZZ_SYSFS, "%s", path);
	fd = open(path, fuzz_rarely(f, 8) ? O_RDWR : O_RDONLY);
	fuzz_end(f, fd < 0 ? -errno : fuzz_result(read(fd, text, sizeof(text))));
	if (fd >= 0)
		close(fd);
}
