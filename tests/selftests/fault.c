// SPDX-License-Identifier: GPL-2.0
#include "fault.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define KNOBS  "/sys/kernel/debug/"
#define CACHES "/sys/kernel/slab/"
/* Of all that stand in a stack trace. */
#define DEEPEST 32

static const char *const kinds[] = { "failslab", "fail_page_alloc" };

static int set_knob(const char *kind, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), KNOBS "%s/%s", kind, name);
	return write_file(path, value);
}

static int set_both(const char *name, const char *value)
{
	int ret = set_knob(kinds[0], name, value);

	return ret ? ret : set_knob(kinds[1], name, value);
}

/* How many callers are looked at, for what an allocator of objects and what one of pages asks. */
static int set_depth(unsigned int objects, unsigned int pages)
{
	char number[2][16];

	snprintf(number[0], sizeof(number[0]), "%u", objects);
	snprintf(number[1], sizeof(number[1]), "%u", pages);
	if (set_knob(kinds[0], "stacktrace-depth", number[0]))
		return -EIO;
	return set_knob(kinds[1], "stacktrace-depth", number[1]);
}

/* The kernel's checkers ask for memory with everything that is asked for, and can do without. */
static bool is_checkers(const char *cache)
{
	return !strncmp(cache, "kmemleak", 8) || !strncmp(cache, "debug_objects", 13);
}

/* Theirs does not fail. A cache that is several in one cannot be told so: EINVAL. */
static int spare_checkers(void)
{
	DIR *dir = opendir(CACHES);
	struct dirent *entry;
	char path[300];
	int ret = 0;

	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), CACHES "%s/failslab", entry->d_name);
		if (entry->d_name[0] != '.' && !is_checkers(entry->d_name))
			ret = write_file(path, "1");
	}
	closedir(dir);
	return ret ? ret : set_knob(kinds[0], "cache-filter", "Y");
}

const char *fault_missing(void)
{
	if (geteuid())
		return "needs root";
	if (access("/proc/self/fail-nth", W_OK))
		return "no fault injection in this kernel (CONFIG_FAULT_INJECTION)";
	/* No reports; also where the caller could wait for memory; pages of any size. */
	if (set_both("verbose", "0") || set_both("ignore-gfp-wait", "N") ||
	    set_knob(kinds[1], "min-order", "0") || set_both("probability", "0"))
		return "no knobs in debugfs (CONFIG_FAILSLAB, CONFIG_FAIL_PAGE_ALLOC, "
		       "CONFIG_FAULT_INJECTION_DEBUG_FS)";
	if (set_depth(DEEPEST, DEEPEST))
		return "no filter by callers (CONFIG_FAULT_INJECTION_STACKTRACE_FILTER)";
	if (spare_checkers())
		return "no filter by caches (/sys/kernel/slab)";
	fault_everywhere();
	return NULL;
}

/* -------------------------------------------------------------- the nth of a thread -- */

static int open_nth(int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/fail-nth", tid, tid);
	if (access(path, F_OK))
		snprintf(path, sizeof(path), "/proc/self/task/%d/fail-nth", tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void write_nth(int fd, unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fd, text, length, 0) != length)
		abort();
}

static bool disarm(int fd)
{
	char text[16] = "";

	/* What is left to count: 0 once it has failed. */
	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	write_nth(fd, 0);
	return !atoi(text);
}

/* Whoever waits for the end sees that it goes on. */
static void show_progress(unsigned int nth)
{
	static unsigned int times;

	if (++times % 16)
		return;
	printf("# allocation %u\n", nth);
	fflush(stdout);
}

/* Opened beforehand: to open a file takes memory. */
static __thread int own = -1;
static __thread int owner;

void fault_arm(unsigned int nth)
{
	if (own < 0 || owner != (int)my_tid()) {
		owner = my_tid();
		own = open_nth(owner);
	}
	show_progress(nth);
	write_nth(own, nth);
}

bool fault_disarm(void)
{
	return disarm(own);
}

void fault_arm_task(int tid, unsigned int nth)
{
	int fd = open_nth(tid);

	show_progress(nth);
	write_nth(fd, nth);
	close(fd);
}

bool fault_disarm_task(int tid)
{
	int fd = open_nth(tid);
	bool failed = disarm(fd);

	close(fd);
	return failed;
}

/* ---------------------------------------------------------------- whose and how often -- */

/* Its text, and room for what is loaded elsewhere the next time: nothing else is near. */
#define NEAR (16UL << 20)

int fault_module_only(void)
{
	char path[] = "/sys/module/pmudev/sections/.text", number[32] = "";
	static unsigned long text;
	FILE *f = fopen(path, "r");

	if (f) {
		if (fscanf(f, "%lx", &text) != 1)
			text = 0;
		fclose(f);
	}
	if (!text)
		return -ENOENT;
	if (set_depth(DEEPEST, DEEPEST))
		return -EIO;
	snprintf(number, sizeof(number), "%#lx", text - NEAR);
	if (set_both("require-start", number))
		return -EIO;
	snprintf(number, sizeof(number), "%#lx", text + NEAR);
	return set_both("require-end", number) ? -EIO : 0;
}

static bool open_fails(void)
{
	bool failed;
	int fd;

	fault_arm(1);
	fd = open(PMUDEV_DEVICE, O_RDWR | O_CLOEXEC);
	failed = fault_disarm();
	if (fd >= 0)
		close(fd);
	return failed && fd < 0;
}

int fault_near(unsigned int between)
{
	unsigned int depth = 0;
	int ret = fault_module_only();

	/* How deep is the allocator? Until the module is seen: it allocates when it is opened. */
	do {
		if (++depth > DEEPEST)
			ret = -ENOENT;
		if (!ret)
			ret = set_depth(depth, depth);
	} while (!ret && !open_fails());
	/* Large objects come from the allocator of pages by way of that of objects. */
	return ret ? ret : set_depth(depth + between, depth + between + 2);
}

void fault_everywhere(void)
{
	set_both("require-start", "0");
	set_both("require-end", "0xffffffffffffffff");
}

/* The function ends where the next one begins. The list of all is long, and read no further. */
int fault_spare(const char *function)
{
	unsigned long at, from = 0, to = 0;
	char line[256], name[128], number[32];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && !to && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %*c %127s", &at, name) != 2)
			continue;
		if (from && at > from)
			to = at;
		else if (!strcmp(name, function))
			from = at;
	}
	if (f)
		fclose(f);
	if (!from || !to)
		return -ENOENT;
	snprintf(number, sizeof(number), "%#lx", from);
	if (set_both("reject-start", number))
		return -EIO;
	snprintf(number, sizeof(number), "%#lx", to);
	return set_both("reject-end", number) ? -EIO : 0;
}

void fault_maybe(unsigned int percent)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", percent);
	set_knob(kinds[0], "times", "1");
	set_knob(kinds[0], "probability", number);
}

bool fault_was(void)
{
	set_knob(kinds[0], "probability", "0");
	return !read_number(KNOBS "failslab/times");
}
