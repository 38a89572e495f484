// SPDX-License-Identifier: GPL-2.0
#include "readers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "direct.h"

/* Reads between two calls of read(2). */
#define WINDOW 500

/* After so many windows a reader changes its own set. */
#define CHANGE_EVERY 16

static int wrong(struct reading *r, int line, __u64 value, __u64 bound)
{
	if (!r->wrong.line) {
		r->wrong.line = line;
		r->wrong.value = value;
		r->wrong.bound = bound;
	}
	return -1;
}

#define WRONG(value, bound) wrong(r, __LINE__, value, bound)

/* --------------------------------------------------------------------- changing -- */

static int change(struct pmudev *set, struct churn *c)
{
	struct pmudev_event_attr event = in_group(raw_event(EVENT_CYCLES, c->flags), c->group);

	switch (c->step) {
	case 0:
		return pmudev_add(set, &event, 1, NULL);
	case 1:
		return pmudev_enable(set, c->group);
	case 2:
		return pmudev_reset_group(set, c->group, c->done * 0x9e3779b97f4a7c15ULL);
	case 3:
		return pmudev_disable(set, c->group);
	default:
		return pmudev_remove(set, c->group);
	}
}

int churn_step(struct pmudev *set, struct churn *c)
{
	int ret = change(set, c);

	/* User access is disabled: try later. */
	if (ret == -EACCES)
		return 0;
	c->step = (c->step + 1) % 5;
	c->done++;
	return ret;
}

/* ---------------------------------------------------------------------- reading -- */

/* By read(2), not less than what was seen before. */
static int call(struct reading *r)
{
	union record record;
	unsigned int i;

	if (pm_read(r->set.fd, &record))
		return WRONG(errno, 0);
	for (i = 0; i < 2; i++) {
		if (record.r.counts[i].value < r->last[i])
			return WRONG(record.r.counts[i].value, r->last[i]);
		r->last[i] = record.r.counts[i].value;
	}
	/* Neither counts in the kernel. */
	if (r->crowd->exact && !r->bare && r->last[0] != r->last[1])
		return WRONG(r->last[0], r->last[1]);
	return 0;
}

/* One or the other event, as the library does. */
static int read_checked(struct reading *r)
{
	unsigned int n, slot;
	uint64_t value;
	__u64 direct = 0;

	for (n = 0; n < WINDOW; n++) {
		slot = n & 1;
		if (pmudev_page_count(r->set.page, slot, &value))
			direct++;
		else if (pmudev_read_count_slow(&r->set, slot, &value))
			return WRONG(errno, 0);
		if (value < r->last[slot])
			return WRONG(value, r->last[slot]);
		r->last[slot] = value;
	}
	r->direct += direct;
	r->calls += n - direct;
	return 0;
}

/* Both, as of one moment: they differ by what lies between the two instructions, and no more. */
static int read_both(struct reading *r)
{
	uint64_t values[2];
	__u64 distance;

	/* Always the same instructions between the two counters. */
	if (!pmudev_page_get(r->set.page, values, 0, 2, NULL))
		return 0;
	r->direct++;
	if (values[0] < r->last[0])
		return WRONG(values[0], r->last[0]);
	if (values[1] < r->last[1])
		return WRONG(values[1], r->last[1]);
	r->last[0] = values[0];
	r->last[1] = values[1];
	distance = values[1] - values[0] + 1;
	if (!r->distance)
		r->distance = distance;
	if (r->crowd->exact && distance != r->distance)
		return WRONG(distance, r->distance);
	return 0;
}

/* The register itself: a step back is one of less than half of its values. */
static __attribute__((always_inline)) inline __u64 bare_steps(struct reading *r, bool fixed,
							      __u64 *backwards)
{
	__u64 last = r->last[0] & r->mask, half = r->mask / 2, raw;
	unsigned int n;

	*backwards = 0;
	for (n = 0; n < WINDOW; n++) {
		raw = bare(fixed);
		if (((raw - last) & r->mask) > half)
			*backwards = last;
		last = raw;
	}
	return last;
}

static int read_bare(struct reading *r)
{
	const struct pmudev_page *page = r->set.page;
	__u64 raw, backwards;
	__u32 generation;

	generation = READ_ONCE(page->generation);
	barrier();
	if (READ_ONCE(page->owner) != pmudev_cached_tid || !READ_ONCE(page->slots[0].index)) {
		r->calls++;
		return 0;
	}
	barrier();
	raw = r->fixed ? bare_steps(r, true, &backwards) : bare_steps(r, false, &backwards);
	barrier();
	if (READ_ONCE(page->generation) != generation) {
		r->discarded += WINDOW;
		return 0;
	}
	r->direct += WINDOW;
	if (backwards)
		return WRONG(raw, backwards);
	/* What read(2) says next is not less. */
	r->last[0] += (raw - r->last[0]) & r->mask;
	return 0;
}

static int window(struct reading *r, unsigned int n)
{
	int ret, i;

	if (call(r))
		return -1;
	if (r->bare && n % 4)
		return read_bare(r);
	ret = read_checked(r);
	for (i = 0; i < 20 && !ret && !r->bare; i++)
		ret = read_both(r);
	return ret;
}

/* -------------------------------------------------------------------- the threads -- */

static __thread struct reading *me;

#define FAULT_LINE "# reader %d (%s), CPU %d: signal %d at %p, owner %u of %u, index %u, gen. %u\n"

/* Who faulted, and what its page says: then it ends as it would have. */
static void say_fault(int signal_, siginfo_t *info, void *context)
{
	char line[200];
	int n = 0;

	(void)context;
	signal(signal_, SIG_DFL);
	if (me)
		n = snprintf(line, sizeof(line), FAULT_LINE, me->number,
			     me->bare ? "bare" : "checked", sched_getcpu(), signal_, info->si_addr,
			     READ_ONCE(me->set.page->owner), my_tid(), me->set.page->slots[0].index,
			     READ_ONCE(me->set.page->generation));
	if (write(STDERR_FILENO, line, n) != n)
		_exit(1);
}

static int make_set(struct reading *r)
{
	struct pmudev_event_attr events[8];
	unsigned int nr = 0, i;
	int ret;

	events[nr++] = r->bare ? bare_event(r->fixed, DIRECT_FLAGS) :
				 raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	events[nr++] = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	/* Every other set has groups that take turns. */
	for (i = 0; r->number % 2 && i < 4; i++)
		events[nr++] =
			in_group(raw_event(EVENT_INSTRUCTIONS, DIRECT_READ | PMUDEV_MULTIPLEX),
				 GROUP_TURNS + i);
	ret = pmudev_open(&r->set);
	if (!ret && r->pmu >= 0)
		ret = pmudev_bind_pmu(&r->set, PMUDEV_TARGET_TASK, 0, r->pmu, 0);
	else if (!ret)
		ret = pmudev_bind_self(&r->set);
	if (!ret)
		ret = pmudev_add(&r->set, events, nr, NULL);
	if (!ret)
		ret = pmudev_map(&r->set);
	return ret ? ret : pmudev_enable(&r->set, PMUDEV_ALL);
}

static __u64 sum_up(struct reading *r, __u64 before)
{
	__u64 reads = r->direct + r->calls;
	int cpu = sched_getcpu();

	r->moves += cpu != r->cpu;
	r->cpu = cpu;
	__atomic_fetch_add(&r->crowd->reads, reads - before, __ATOMIC_RELAXED);
	return reads;
}

static void *read_on(void *arg)
{
	struct reading *r = arg;
	struct crowd *crowd = r->crowd;
	struct rusage usage;
	__u64 reads = 0;
	unsigned int n;
	int ret;

	me = r;
	ret = make_set(r);
	if (ret)
		WRONG(-ret, 0);
	WRITE_ONCE(crowd->tid[r->number], my_tid());
	while (!READ_ONCE(crowd->go))
		pause_ns(1000000);
	r->cpu = sched_getcpu();
	for (n = 1; !ret && !READ_ONCE(crowd->stop); n++) {
		ret = window(r, n);
		reads = sum_up(r, reads);
		if (!ret && n % CHANGE_EVERY == 0)
			ret = churn_step(&r->set, &r->own);
		if (ret)
			WRONG(-ret, 0);
	}
	if (ret)
		WRITE_ONCE(crowd->stop, true);
	getrusage(RUSAGE_THREAD, &usage);
	r->switches = usage.ru_nvcsw + usage.ru_nivcsw;
	return NULL;
}

int crowd_start(struct crowd *crowd)
{
	struct pmudev_query query;
	struct sigaction action = { .sa_sigaction = say_fault, .sa_flags = SA_SIGINFO };
	unsigned int i;
	int ret = pm_query(&query);

	sigaction(FAULT_SIGNAL, &action, NULL);
	crowd->exact = exact_instructions();
	for (i = 0; i < READERS && !ret; i++) {
		struct reading *r = &crowd->reading[i];

		r->crowd = crowd;
		r->number = i;
		r->pmu = query.nr_pmus > 1 ? (int)(i % query.nr_pmus) : -1;
		r->bare = i >= READERS - 3 && r->pmu < 0;
		r->fixed = i == READERS - 1 || !can_be_direct(&query, false);
		r->mask = bare_mask(&query, r->fixed);
		r->own = (struct churn){ .group = GROUP_OWN, .flags = USER_ONLY };
		r->others = (struct churn){ .group = GROUP_OTHERS, .flags = DIRECT_READ };
		ret = -pthread_create(&r->thread, NULL, read_on, r);
		if (!ret && !WAIT_FOR(READ_ONCE(crowd->tid[i])))
			ret = -ETIMEDOUT;
	}
	return ret;
}

__u64 crowd_reads(__u64 usual)
{
	const char *given = getenv("PMUDEV_READS");

	if (given)
		return strtoull(given, NULL, 0);
	return debug_kernel() ? 500000 : usual;
}

/* In how many parts something is said: a machine that prints nothing for long is taken for dead. */
#define PARTS 10

void crowd_wait(const struct crowd *crowd, __u64 reads, const struct disturbance *d,
		unsigned int nr, unsigned int least)
{
	unsigned int said = 0;
	__u64 done;

	do {
		pause_ns(2000000);
		done = READ_ONCE(crowd->reads);
		while (said < PARTS && done * PARTS >= reads * (said + 1))
			fprintf(stderr, "# %u of %d parts\n", ++said, PARTS);
	} while (!READ_ONCE(crowd->stop) && (done < reads || !disturbed(d, nr, least)));
}

void crowd_stop(struct crowd *crowd)
{
	unsigned int i;

	WRITE_ONCE(crowd->stop, true);
	WRITE_ONCE(crowd->go, true);
	for (i = 0; i < READERS && crowd->tid[i]; i++)
		pthread_join(crowd->reading[i].thread, NULL);
}

void crowd_close(struct crowd *crowd)
{
	unsigned int i;

	for (i = 0; i < READERS && crowd->tid[i]; i++)
		pmudev_close(&crowd->reading[i].set);
}
