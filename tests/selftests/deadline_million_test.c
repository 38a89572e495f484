// SPDX-License-Identifier: GPL-2.0
/*
 * A million deadlines of threads that are disturbed in every way there is, guests among them: each
 * is reported once, none early. Then the same with perf's samples, for comparison.
 */
#include <sched.h>
#include <sys/ioctl.h>

#include "deadline.h"
#include "disturb.h"
#include "guest_group.h"
#include "kselftest_harness.h"
#include "perf.h"

#define PERIOD	1009ULL
#define THREADS 4
#define OURS	(debug_kernel() ? 20000ULL : (__u64)few(1000000))
#define THEIRS	(OURS / 10)

struct counted {
	pid_t pid;
	int fd; /* of the set: what is reported, and beside it what is not */
	__u64 sum;
	struct perf_samples samples;
};

FIXTURE(million)
{
	struct counted counted[THREADS];
	struct disturbance *d; /* in shared memory */
	unsigned int nr;
};

static int open_guest(struct guest *guest)
{
	struct guest_work work = { .el1 = 300, .calls = 2, .el0 = 500 };
	int ret = guest_open(guest);

	return ret ? ret : vcpu_set_work(&guest->vcpu[0], work);
}

/* The last of them runs guests, where there is KVM. */
static void __attribute__((noreturn)) work_for_ever(bool guests)
{
	struct guest guest;
	int ret = guests ? open_guest(&guest) : -ENOENT;

	for (;;) {
		loop(10000);
		if (!ret && guest_run(&guest))
			_exit(1);
	}
}

FIXTURE_SETUP(million)
{
	struct pmudev_query query;
	const char *missing = no_deadlines(&query);
	int i;

	for (i = 0; i < THREADS; i++) {
		self->counted[i].fd = -1;
		self->counted[i].samples.fd = -1;
	}
	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
	if (__builtin_popcountll((__u32)query.available) < 2)
		SKIP(return, "too few event counters");
	ASSERT_EQ(0, limit_overflows(false));
	self->d = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->d);
	for (i = 0; i < THREADS; i++) {
		self->counted[i].pid = fork_bound();
		if (!self->counted[i].pid)
			work_for_ever(i == THREADS - 1);
	}
}

FIXTURE_TEARDOWN(million)
{
	int i;

	for (i = 0; i < THREADS; i++) {
		stop_child(self->counted[i].pid);
		if (self->counted[i].fd >= 0)
			close(self->counted[i].fd);
		if (self->counted[i].samples.fd >= 0)
			perf_samples_close(&self->counted[i].samples);
	}
	limit_overflows(true);
}

/* ----------------------------------------------------------- what disturbs them -- */

static int migrate_once(void *arg, unsigned int i)
{
	struct counted *counted = arg;
	int ret = pin_task_to(counted[i % THREADS].pid, i / THREADS % cpus_online());

	/* It is one of those that are offline. */
	return ret == -EINVAL ? -EAGAIN : ret;
}

static int toggle_once(void *arg, unsigned int i)
{
	struct counted *counted = arg;
	int fd = counted[i / 2 % THREADS].fd;

	return i & 1 ? pm_enable(fd, 0) : pm_disable(fd, 0);
}

/* The distance to the next deadline stays. */
static int reset_once(void *arg, unsigned int i)
{
	struct counted *counted = arg;

	return pm_reset(counted[i % THREADS].fd, 0, 0);
}

static int guest_once(void *arg, unsigned int i)
{
	static struct guest guest;
	int ret = i ? 0 : open_guest(&guest);

	(void)arg;
	return ret ? ret : guest_run(&guest);
}

/* Samples of a CPU that come and go. */
static int perf_once(void *arg, unsigned int i)
{
	struct perf_samples samples;
	int ret = perf_samples_open_every(&samples, EVENT_INSTRUCTIONS, 0, 901 + i % 100);

	(void)arg;
	if (ret)
		return ret;
	pause_ns(3000000);
	perf_samples_close(&samples);
	return 0;
}

static int perf_toggle_once(void *arg, unsigned int i)
{
	struct counted *counted = arg;
	int fd = counted[i / 2 % THREADS].samples.fd;

	return ioctl(fd, i & 1 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

static bool has_guests(void)
{
	struct guest guest;

	if (guest_open(&guest))
		return false;
	guest_close(&guest);
	return true;
}

static void disturb(struct __test_metadata *_metadata, struct _test_data_million *self, bool perf)
{
	struct disturbance all[] = {
		DISTURB("migrates", migrate_once, self->counted, 100000),
		DISTURB("user access", access_once, NULL, 500000),
		DISTURB("is disabled and enabled", perf ? perf_toggle_once : toggle_once,
			self->counted, 200000),
		DISTURB("is reset", perf ? NULL : reset_once, self->counted, 300000),
		DISTURB("perf comes and goes", perf || !BESIDE_PERF ? NULL : perf_once, NULL,
			3000000),
		DISTURB("guests run", has_guests() ? guest_once : NULL, NULL, 100000),
		DISTURB("CPUs go and come", guest_forbids_hotplug() ? NULL : hotplug_once,
			(void *)(long)cpus_online(), 3000000),
	};
	unsigned int i;

	self->nr = 0;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i].once)
			continue;
		self->d[self->nr] = all[i];
		ASSERT_EQ(0, disturb_start(&self->d[self->nr++])) TH_LOG("%s", all[i].name);
	}
}

static void end_disturbances(struct __test_metadata *_metadata, struct _test_data_million *self)
{
	unsigned int i;

	for (i = 0; i < self->nr; i++) {
		EXPECT_EQ(0, disturb_end(&self->d[i])) TH_LOG("%s", self->d[i].name);
		EXPECT_GE(self->d[i].times, DISTURBED_LEAST) TH_LOG("%s", self->d[i].name);
	}
}

/* ----------------------------------------------------------------------- the two -- */

/* Now and then: emulated, it takes minutes. */
static void show_progress(struct __test_metadata *_metadata, __u64 sum)
{
	static __u64 shown;

	if (sum / 50000 == shown / 50000)
		return;
	shown = sum;
	TH_LOG("%llu so far", sum);
}

/* Add what was reported since. False: one was early, or it was not asked for. */
static bool take(struct counted *counted)
{
	struct pmudev_report report;
	int ret = pm_reports(counted->fd, &report, 1);

	if (ret > 0)
		counted->sum += report.reached;
	return ret == 0 || (ret == 1 && !report.slot && report.count >= report.value);
}

TEST_F_TIMEOUT(million, reported_once, 600)
{
	struct pmudev_event_attr event[2];
	__u64 sum = 0, value;
	int i;

	event[0] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_EXCLUDE_GUEST);
	event[1] = event[0];
	for (i = 0; i < THREADS; i++) {
		self->counted[i].fd = pm_attach(self->counted[i].pid, 0, event, 2, false);
		ASSERT_GE(self->counted[i].fd, 0);
		ASSERT_EQ(0, pm_deadline(self->counted[i].fd, 0, 0, PERIOD, PERIOD));
		ASSERT_EQ(0, pm_enable(self->counted[i].fd, 0));
	}
	disturb(_metadata, self, false);
	while (sum < OURS || !disturbed(self->d, self->nr, DISTURBED_LEAST)) {
		for (i = 0, sum = 0; i < THREADS; i++) {
			ASSERT_TRUE(take(&self->counted[i]));
			sum += self->counted[i].sum;
		}
		show_progress(_metadata, sum);
		pause_ns(1000000);
	}
	end_disturbances(_metadata, self);
	for (i = 0; i < THREADS; i++) {
		stop_child(self->counted[i].pid);
		self->counted[i].pid = 0;
		ASSERT_TRUE(take(&self->counted[i]));
		value = pm_value(self->counted[i].fd, 1);
		EXPECT_EQ(value / PERIOD, self->counted[i].sum);
	}
	TH_LOG("%llu deadlines", sum);
}

/* Nothing is asked of perf but that it runs: how many does it lose? */
TEST_F_TIMEOUT(million, of_perf, 600)
{
	__u64 sum = 0, samples = 0, lost = 0;
	int i;

	for (i = 0; i < THREADS; i++)
		if (perf_samples_open_thread(&self->counted[i].samples, EVENT_INSTRUCTIONS,
					     self->counted[i].pid, PERIOD))
			SKIP(return, "perf takes no samples here");
	disturb(_metadata, self, true);
	while (sum < THEIRS || !disturbed(self->d, self->nr, DISTURBED_LEAST)) {
		for (i = 0, sum = 0; i < THREADS; i++) {
			samples += perf_samples_take(&self->counted[i].samples);
			sum += perf_count(self->counted[i].samples.fd).value / PERIOD;
		}
		show_progress(_metadata, sum);
		pause_ns(1000000);
	}
	end_disturbances(_metadata, self);
	for (i = 0, sum = 0; i < THREADS; i++) {
		stop_child(self->counted[i].pid);
		self->counted[i].pid = 0;
		samples += perf_samples_take(&self->counted[i].samples);
		sum += perf_count(self->counted[i].samples.fd).value / PERIOD;
		lost += self->counted[i].samples.lost;
	}
	EXPECT_GT(samples, 0ULL);
	TH_LOG("perf: %llu periods, %llu samples; it says that it lost %llu", sum, samples, lost);
}

TEST_HARNESS_MAIN
