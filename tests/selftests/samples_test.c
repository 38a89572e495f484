// SPDX-License-Identifier: GPL-2.0
/* Samples: what they say, and what becomes of them when nobody reads. */
#include "samples_fixture.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The loop whose samples are looked at: two instructions, and nothing else that takes time. */
static __attribute__((noinline, noclone)) void known_loop(__u64 n)
{
	loop(n);
}

#define KNOWN_LOOP_BYTES 64

static bool in_loop(__u64 ip)
{
	return ip - (__u64)(uintptr_t)known_loop < KNOWN_LOOP_BYTES;
}

/* Each at the instruction behind the one that reached the deadline. */
TEST_F(samples, where_it_was)
{
	const struct pmudev_sample *sample;
	__u64 value = 0, ip = 0, time = 0;
	unsigned int nr = 0, inside = 0, flags = 0;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, start(self, USER_ONLY));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1 << 20));
	ASSERT_EQ(0, sample_each(self, 0));
	known_loop(5000000);
	ASSERT_EQ(0, pm_disable(self->set.fd, 0));
	while ((sample = next(self))) {
		EXPECT_EQ(sizeof(*sample) + 8, sample->size);
		EXPECT_EQ(0U, sample->slot);
		EXPECT_EQ(1ULL, sample->present);
		EXPECT_EQ(my_tid(), sample->tid);
		EXPECT_EQ(getpid(), sample->pid);
		EXPECT_EQ(0U, sample->cpu);
		EXPECT_EQ(0ULL, sample->dropped);
		EXPECT_GT(sample->time, time);
		EXPECT_LE(sample->value, sample->counts[0]);
		if (nr)
			EXPECT_EQ(value + PERIOD, sample->value);
		if (in_loop(sample->ip) && !sample->flags) {
			/* An odd number of instructions later it is at the other of the two. */
			if (exact_instructions() && inside++)
				EXPECT_NE(ip, sample->ip);
			if (exact_instructions())
				EXPECT_EQ(sample->value, sample->counts[0]);
		}
		flags = sample->flags;
		ip = sample->ip;
		value = sample->value;
		time = sample->time;
		nr++;
	}
	EXPECT_LE(10000000 / PERIOD, nr);
	if (exact_instructions())
		EXPECT_LE(nr - 3, inside) TH_LOG("at %#llx (%x), not in %p", ip, flags, known_loop);
	EXPECT_EQ(0ULL, pmudev_samples_dropped(&self->samples));
}

/* All events of the set at one moment: two of the same are equal, whoever is sampled. */
TEST_F(samples, counts_of_one_moment)
{
	struct pmudev_event_attr event[2];
	const struct pmudev_sample *sample;
	int nr = 0;

	event[0] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	event[1] = event[0];
	ASSERT_EQ(0, pmudev_start(&self->set, event, 2, NULL));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1 << 16));
	ASSERT_EQ(0, sample_each(self, 0));
	ASSERT_EQ(0, pm_deadline(self->set.fd, 1, PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_RELATIVE,
				 5003, 7001));
	known_loop(500000);
	for (; (sample = next(self)); nr++) {
		ASSERT_EQ(3ULL, sample->present);
		EXPECT_EQ(sample->counts[0], sample->counts[1]);
	}
	EXPECT_LT(200, nr);
}

/* Also if it is DISABLE of one of them that finds the deadline. */
TEST_F(samples, counts_at_disable)
{
	struct pmudev_event_attr event[2];
	const struct pmudev_sample *sample;
	int nr = 0, i;

	event[0] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	event[1] = in_group(event[0], 1);
	/* Without interrupts: all but one of them are too many. */
	ASSERT_EQ(0, write_file(MAX_OVERFLOWS, "1"));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pmudev_start(&self->set, event, 2, NULL));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1 << 16));
	ASSERT_EQ(0, sample_each(self, 0));
	for (i = 0; i < 20; i++) {
		known_loop(20 * PERIOD);
		ASSERT_EQ(0, pm_disable(self->set.fd, 0));
		ASSERT_EQ(0, pm_disable(self->set.fd, PMUDEV_ALL));
		ASSERT_EQ(0, pm_reset(self->set.fd, PMUDEV_ALL, 0));
		ASSERT_EQ(0, pm_enable(self->set.fd, PMUDEV_ALL));
	}
	for (; (sample = next(self)); nr++)
		EXPECT_EQ(sample->counts[0], sample->counts[1]);
	EXPECT_LE(20, nr);
}

/* None is lost as long as they are read, over many rounds of a ring of one page. */
TEST_F(samples, many_rounds)
{
	const struct pmudev_sample *sample;
	struct pmudev_report report;
	__u64 value = 0, nr = 0;
	int i;

	ASSERT_EQ(0, start(self, USER_ONLY));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1));
	ASSERT_EQ(0, sample_each(self, 0));
	for (i = 0; i < 300; i++) {
		loop(20 * PERIOD / LOOP_INSTRUCTIONS);
		while ((sample = next(self))) {
			if (value)
				ASSERT_EQ(value + PERIOD, sample->value);
			value = sample->value;
			nr++;
		}
	}
	ASSERT_EQ(0, pm_disable(self->set.fd, 0));
	while ((sample = next(self)))
		nr++;
	EXPECT_LE(6000ULL, nr);
	EXPECT_EQ(0ULL, pmudev_samples_dropped(&self->samples));
	/* REPORT knows how many there were; nobody was told of them. */
	EXPECT_EQ(0, poll_now(self->set.fd));
	ASSERT_EQ(1, pm_reports(self->set.fd, &report, 1));
	EXPECT_EQ(nr, report.reached);
}

TEST_F(samples, dropped_when_full)
{
	struct pmudev_report report;
	const struct pmudev_sample *sample;
	__u64 nr = 0, dropped = 0, first;

	ASSERT_EQ(0, start(self, USER_ONLY));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1));
	ASSERT_EQ(0, sample_each(self, 0));
	loop(200 * PERIOD / LOOP_INSTRUCTIONS);
	first = self->samples.page->data_size / (sizeof(*sample) + 8);
	for (; (sample = next(self)); nr++)
		EXPECT_EQ(dropped, sample->dropped);
	EXPECT_EQ(first, nr);
	loop(3 * PERIOD / LOOP_INSTRUCTIONS);
	ASSERT_EQ(0, pm_disable(self->set.fd, 0));
	dropped = pmudev_samples_dropped(&self->samples);
	EXPECT_LE(200 - first, dropped);
	for (; (sample = next(self)); nr++)
		EXPECT_EQ(dropped, sample->dropped);
	EXPECT_LT(first, nr);
	ASSERT_EQ(1, pm_reports(self->set.fd, &report, 1));
	EXPECT_EQ(nr + dropped, report.reached);
}

TEST_F(samples, told_when_half_full)
{
	struct pmudev_deadline deadline = {
		.flags =
			PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_PERIODIC | PMUDEV_DEADLINE_EVENTFD,
		.value = PERIOD,
		.period = PERIOD,
		.eventfd = eventfd(0, EFD_NONBLOCK),
	};
	__u64 half, told;

	ASSERT_EQ(0, start(self, USER_ONLY));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1));
	ASSERT_EQ(0, pm_deadlines(self->set.fd, &deadline, 1));
	half = self->samples.page->data_size / (sizeof(struct pmudev_sample) + 8) / 2;
	loop((half - 3) * PERIOD / LOOP_INSTRUCTIONS);
	EXPECT_EQ(0, poll_now(self->set.fd));
	EXPECT_EQ(-1, read(deadline.eventfd, &told, sizeof(told)));
	loop(6 * PERIOD / LOOP_INSTRUCTIONS);
	EXPECT_EQ(POLLIN, poll_now(self->set.fd));
	EXPECT_EQ((ssize_t)sizeof(told), read(deadline.eventfd, &told, sizeof(told)));
	EXPECT_EQ(1ULL, told);
	while (next(self))
		;
	EXPECT_EQ(0, poll_now(self->set.fd));
	loop((half + 3) * PERIOD / LOOP_INSTRUCTIONS);
	EXPECT_EQ(POLLIN, poll_now(self->set.fd));
	EXPECT_EQ((ssize_t)sizeof(told), read(deadline.eventfd, &told, sizeof(told)));
	close(deadline.eventfd);
}

/* User addresses only, however late; kernel addresses for what counts the kernel. */
TEST_F(samples, no_kernel_addresses)
{
	const struct pmudev_sample *sample;
	unsigned int kernel = 0, nr = 0;
	__u32 flags = USER_ONLY;
	__u64 period = 501;

	for (;; flags = 0, period = PERIOD) {
		/* An interrupt can take more instructions of the kernel than a period has. */
		if (!flags)
			ASSERT_EQ(0, limit_overflows(true));
		ASSERT_EQ(0, start(self, flags));
		ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1 << 18));
		ASSERT_EQ(0, pm_deadline(self->set.fd, 0,
					 PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_RELATIVE, period,
					 period));
		for (nr = 0; nr < 1000; nr++)
			getppid();
		ASSERT_EQ(0, pm_disable(self->set.fd, 0));
		for (kernel = 0, nr = 0; (sample = next(self)); nr++) {
			kernel += sample->flags & PMUDEV_SAMPLE_KERNEL;
			/* The kernel has the upper half. */
			EXPECT_EQ(!!(sample->flags & PMUDEV_SAMPLE_KERNEL),
				  sample->ip >= (sizeof(long) == 4 ? 0xc0000000 : 1ULL << 63));
		}
		EXPECT_LT(5U, nr);
		if (!flags)
			break;
		EXPECT_EQ(0U, kernel);
		pmudev_samples_close(&self->samples);
		pmudev_close(&self->set);
		ASSERT_EQ(0, pmudev_open(&self->set));
	}
	EXPECT_LT(nr / 10, kernel);
}

TEST_F(samples, of_children)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	const struct pmudev_sample *sample;
	unsigned int of[4] = { 0 };
	int child[4], i;

	ASSERT_EQ(0, pmudev_bind_task(&self->set, 0, PMUDEV_BIND_INHERIT));
	ASSERT_EQ(0, pmudev_start(&self->set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1 << 18));
	ASSERT_EQ(0, sample_each(self, 0));
	for (i = 0; i < 4; i++) {
		child[i] = fork_bound();
		if (!child[i]) {
			loop(100 * PERIOD / LOOP_INSTRUCTIONS);
			_exit(0);
		}
	}
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, child_result(child[i]));
	while ((sample = next(self))) {
		EXPECT_EQ(sample->pid, sample->tid);
		for (i = 0; i < 4; i++)
			of[i] += sample->tid == child[i];
	}
	for (i = 0; i < 4; i++) {
		EXPECT_LE(100U, of[i]);
		EXPECT_GE(101U, of[i]);
	}
}

/* A reader that lies about what it has read hurts itself only. */
TEST_F(samples, lies)
{
	static const __u32 lie[] = { 1, 0x80000000, ~0U, 8, 4096, 0 };
	unsigned int i;

	ASSERT_EQ(0, start(self, USER_ONLY));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1));
	ASSERT_EQ(0, sample_each(self, 0));
	for (i = 0; i < ARRAY_SIZE(lie); i++) {
		self->samples.page->tail = lie[i];
		self->samples.page->head = ~lie[i];
		self->samples.page->data_size = lie[i];
		self->samples.page->data_offset = ~0U;
		loop(100 * PERIOD / LOOP_INSTRUCTIONS);
		poll_now(self->set.fd);
	}
	EXPECT_LT(100ULL, self->samples.page->dropped);
}

static int map(int fd, size_t pages, int flags)
{
	void *p = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE, flags, fd,
		       PMUDEV_SAMPLES_OFFSET);
	int error = p == MAP_FAILED ? -errno : 0;
	struct pmudev_why ask = { .size = sizeof(ask) };

	if (!error) {
		munmap(p, pages * PAGE_BYTES);
		return 0;
	}
	if (!ioctl(fd, PMUDEV_IOC_WHY, &ask))
		why = ask.refusal;
	return error;
}

TEST_F(samples, refusals)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int fd = self->set.fd;

	/* A set that counts nothing yet has a ring, too. */
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RING, map(fd, 1, MAP_SHARED));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RING, map(fd, 4, MAP_SHARED));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RING, map(fd, 3, MAP_PRIVATE));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RING,
		       map(fd, 1 + 2 * PMUDEV_SAMPLES_MAX / PAGE_BYTES, MAP_SHARED));
	ASSERT_EQ(0, pmudev_start(&self->set, &event, 1, NULL));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SAMPLES, sample_each(self, 0));
	ASSERT_EQ(0, map(fd, 3, MAP_SHARED));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RING, map(fd, 2, MAP_SHARED));
	EXPECT_EQ(0, map(fd, 3, MAP_SHARED));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       pm_deadline(fd, 0, PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_TOTAL, 1, 0));
	/* It writes although nobody has it mapped. */
	ASSERT_EQ(0, sample_each(self, 0));
	loop(10 * PERIOD);
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 2 * PAGE_BYTES));
	EXPECT_NE(NULL, next(self));
}

/* It is locked memory of the user, until the set is closed. */
TEST_F(samples, locked_memory)
{
	struct rlimit limit = { 5 * PAGE_BYTES, 5 * PAGE_BYTES };
	int child = fork_bound(), other, fd[3], i;

	if (!child) {
		for (i = 0; i < 3; i++)
			fd[i] = pm_open();
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresgid(1000, 1000, 1000) ||
		    setresuid(1000, 1000, 1000))
			_exit(1);
		if (map(fd[0], 9, MAP_SHARED) != -EPERM || why.code != PMUDEV_WHY_MEMLOCK ||
		    why.limit != limit.rlim_cur)
			_exit(2);
		if (map(fd[0], 5, MAP_SHARED))
			_exit(3);
		if (map(fd[1], 2, MAP_SHARED) != -EPERM)
			_exit(4);
		other = fork();
		if (!other)
			_exit(map(fd[1], 2, MAP_SHARED) == -EPERM ? 0 : 6);
		if (child_result(other))
			_exit(6);
		/* The other's copy is closed too. */
		close(fd[0]);
		_exit(map(fd[2], 5, MAP_SHARED) ? 5 : 0);
	}
	EXPECT_EQ(0, child_result(child));
}

TEST_HARNESS_MAIN
