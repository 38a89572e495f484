// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the module's locks a path takes, how long it holds them, and how often somebody waits
 * for one while all CPUs go through the same path. On a kernel that keeps statistics of locks. The
 * lines, for tests/bench/locks:
 *
 *   path KEY CPUS ROUNDS NS	so many times on each CPU took so long altogether
 *   lock KEY CPUS NAME ACQUIRED CONTENDED HOLD
 *				a lock of the module's meanwhile, the last in ns
 */
#include "api.h"
#include "lock_stat.h"
#include "perf.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS	  200
#define MOST_CPUS 64
/* The names of the module's locks, as they stand in its sources. */
#define NAMES "/tests/locks"
#define MANY  16

/* @helper: a thread on the same CPU; it sleeps until it gets a byte, and answers with one */
struct worker {
	const struct path *path;
	pthread_t thread;
	pthread_t helper;
	unsigned int cpu;
	int helper_tid;
	int fd;
	int to[2];
	int from[2];
};

/*
 * @set_up: or NULL; @helped: there is a helper; @counted: it counts itself; @beside: a set whose
 * events take turns exists meanwhile
 */
struct path {
	const char *key;
	void (*set_up)(struct worker *w);
	void (*once)(struct worker *w);
	bool helped;
	bool counted;
	bool beside;
};

static struct lock_uses before, after;
static pthread_barrier_t ready, measured, go;

/* Cycles: each emulator counts them. */
static int a_set(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd = pm_set(&event, 1, true);

	if (fd < 0)
		fail("a set", fd);
	return fd;
}

/* --------------------------------------------------------------- paths -- */

static void life(struct worker *w)
{
	w->fd = a_set();
	close(w->fd);
	w->fd = -1;
}

static void life_of_other(struct worker *w)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_attach(w->helper_tid, 0, &event, 1, true);

	if (fd < 0)
		fail("another thread's set", fd);
	close(fd);
}

static void life_of_cpu(struct worker *w)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_cpu_set(w->cpu, 0, &event, 1);

	if (fd < 0)
		fail("a CPU's set", fd);
	close(fd);
}

static void open_one(struct worker *w)
{
	w->fd = a_set();
}

static void off_on(struct worker *w)
{
	int ret = pm_disable(w->fd, PMUDEV_ALL);

	if (!ret)
		ret = pm_enable(w->fd, PMUDEV_ALL);
	if (ret)
		fail("DISABLE, ENABLE", ret);
}

static void read_one(struct worker *w)
{
	union record record;

	if (raw_read(w->fd, &record) <= 0)
		fail("read(2)", -EIO);
}

static void map_one(struct worker *w)
{
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_POPULATE, w->fd, 0);

	if (page == MAP_FAILED || munmap(page, PAGE_BYTES))
		fail("a page", -errno);
}

static void there_and_back(struct worker *w)
{
	char byte = 0;

	if (write(w->to[1], &byte, 1) != 1 || read(w->from[0], &byte, 1) != 1)
		fail("a byte", -EIO);
}

static const struct path paths[] = {
	{ .key = "read", .set_up = open_one, .once = read_one },
	{ .key = "switch",
	  .set_up = open_one,
	  .once = there_and_back,
	  .helped = true,
	  .counted = true },
	{ .key = "off-on", .set_up = open_one, .once = off_on },
	{ .key = "life", .once = life },
	{ .key = "life-of-other", .once = life_of_other, .helped = true },
	{ .key = "life-of-cpu", .once = life_of_cpu },
	{ .key = "life-beside-turns", .once = life, .beside = true },
	{ .key = "map", .set_up = open_one, .once = map_one },
};

/* ------------------------------------------------------------- threads -- */

static void *helper(void *arg)
{
	struct worker *w = arg;
	int fd = w->path->counted ? a_set() : -1;
	char byte = 0;

	if (pin_to(w->cpu))
		fail("pinning", -EINVAL);
	w->helper_tid = syscall(SYS_gettid);
	/* Begun. */
	do {
		if (write(w->from[1], &byte, 1) != 1)
			fail("a byte", -EIO);
	} while (read(w->to[0], &byte, 1) == 1);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void start_helper(struct worker *w)
{
	char byte;

	if (pipe(w->to) || pipe(w->from))
		fail("pipe", -errno);
	if (pthread_create(&w->helper, NULL, helper, w) || read(w->from[0], &byte, 1) != 1)
		fail("a helper", -EIO);
}

static void end_helper(struct worker *w)
{
	close(w->to[1]);
	pthread_join(w->helper, NULL);
	close(w->to[0]);
	close(w->from[0]);
	close(w->from[1]);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	if (pin_to(w->cpu))
		fail("pinning", -EINVAL);
	w->fd = -1;
	if (w->path->helped)
		start_helper(w);
	if (w->path->set_up)
		w->path->set_up(w);
	w->path->once(w);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	for (i = 0; i < ROUNDS; i++)
		w->path->once(w);
	pthread_barrier_wait(&measured);
	pthread_barrier_wait(&go);
	if (w->fd >= 0)
		close(w->fd);
	if (w->path->helped)
		end_helper(w);
	return NULL;
}

/* Of the caller, which sleeps. */
static int many_by_turns(void)
{
	struct pmudev_event_attr attr[MANY];
	unsigned int i;
	int fd;

	for (i = 0; i < MANY; i++)
		attr[i] = in_group(raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_MULTIPLEX), i);
	fd = pm_set(attr, MANY, true);
	if (fd < 0)
		fail("a set that takes turns", fd);
	return fd;
}

/* --------------------------------------------------------------- lines -- */

/* The file's lines, each with a newline before it. */
static void read_names(char *names, size_t size)
{
	FILE *file = fopen(NAMES, "r");

	if (!file)
		fail(NAMES, -errno);
	names[0] = '\n';
	names[1 + fread(names + 1, 1, size - 2, file)] = '\0';
	fclose(file);
}

/* Whether a class is of the module: named so there, and unknown while the module was not loaded. */
static bool is_ours(const char *names, const char *name)
{
	char line[LOCK_NAME_SIZE + 2];

	snprintf(line, sizeof(line), "\n%.*s\n", (int)strcspn(name, "#/"), name);
	return strstr(names, line) && !lock_stat_find(&before, name);
}

static void print_uses(const struct path *path, unsigned int cpus, const char *names)
{
	unsigned int i;

	for (i = 0; i < after.nr; i++) {
		const struct lock_use *use = &after.use[i];

		if (is_ours(names, use->name))
			printf("lock %s %u %s %lu %lu %.0f\n", path->key, cpus, use->name,
			       use->acquired, use->contended, use->hold_ns);
	}
	fflush(stdout);
}

static void measure(const struct path *path, unsigned int cpus, const char *names)
{
	static struct worker workers[MOST_CPUS];
	int beside = path->beside ? many_by_turns() : -1;
	/* The PMU is reserved, as where others count. */
	int other = a_set();
	unsigned int i;
	__u64 start;

	pthread_barrier_init(&ready, NULL, cpus + 1);
	pthread_barrier_init(&go, NULL, cpus + 1);
	pthread_barrier_init(&measured, NULL, cpus + 1);
	for (i = 0; i < cpus; i++) {
		workers[i] = (struct worker){ .path = path, .cpu = i };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			fail("a thread", -EAGAIN);
	}
	pthread_barrier_wait(&ready);
	if (lock_stat_clear())
		fail("clearing /proc/lock_stat", -EIO);
	start = now_ns();
	pthread_barrier_wait(&go);
	pthread_barrier_wait(&measured);
	printf("path %s %u %u %llu\n", path->key, cpus, ROUNDS, now_ns() - start);
	if (lock_stat_read(&after))
		fail("/proc/lock_stat", -EIO);
	pthread_barrier_wait(&go);
	for (i = 0; i < cpus; i++)
		pthread_join(workers[i].thread, NULL);
	if (beside >= 0)
		close(beside);
	close(other);
	print_uses(path, cpus, names);
}

/* perf's locks have names that the module's have, too: they are used before it is loaded. */
static void use_perf(void)
{
	int ret, fd;

	perf_api.begin();
	ret = lock_stat_clear();
	fd = perf_open(EVENT_CYCLES, 0, 0, -1);
	if (!ret && fd < 0)
		ret = fd;
	if (!ret)
		ret = lock_stat_read(&before);
	if (ret)
		fail("statistics of locks, before the module is loaded", ret);
	close(fd);
}

int main(void)
{
	unsigned int i, cpus, most = cpus_online();
	static char names[4096];

	settle();
	read_names(names, sizeof(names));
	use_perf();
	pmudev_api.begin();
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		for (cpus = 1; cpus <= most && cpus <= MOST_CPUS; cpus *= 2)
			measure(&paths[i], cpus, names);
	return 0;
}
