// SPDX-License-Identifier: GPL-2.0
/* Groups that pmudev cannot count as a whole: they become perf's, with all that was told of them */
#include "perf_abi.h"

/* Software and hardware together, whichever leads. */
TEST_F(perf_abi, software_among_them)
{
	struct perf_event_attr faults = software(PERF_COUNT_SW_TASK_CLOCK);
	uint64_t words[3 + 2 * 2];
	int first, i;

	self->attr.read_format = faults.read_format;
	for (first = 0; first < 2; first++) {
		faults.disabled = first;
		self->attr.disabled = !first;
		for (i = 0; i < 2; i++) {
			self->fd[i] = open_event(i == first ? &self->attr : &faults, 0, -1,
						 i ? self->fd[0] : -1, 0);
			ASSERT_LE(0, self->fd[i]) TH_LOG("%s", strerror(errno));
		}
		EXPECT_FALSE(served_by_pmudev(self->fd[0]));
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
		loop(N);
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
		EXPECT_EQ(2ULL, words[0]);
		EXPECT_LE(2 * N, words[3 + 2 * first]);
		EXPECT_LT(0ULL, words[3 + 2 * !first]);
		for (i = 0; i < 2; i++) {
			close(self->fd[i]);
			self->fd[i] = -1;
		}
	}
}

struct member {
	pthread_barrier_t barrier;
	struct perf_event_attr attr;
	int leader;
	int fd;
};

static void *open_member(void *arg)
{
	struct member *member = arg;

	pthread_barrier_wait(&member->barrier);
	member->fd = open_event(&member->attr, getpid(), -1, member->leader, 0);
	return NULL;
}

/* Two threads add members of both kinds at the same time: both are in the group. */
TEST_F(perf_abi, members_of_two_threads)
{
	struct perf_event_attr clock = software(PERF_COUNT_SW_TASK_CLOCK);
	struct member member = { .attr = self->attr };
	uint64_t words[3 + 2 * 3];
	pthread_t thread;
	int i, n;

	member.attr.disabled = 0;
	clock.disabled = 0;
	self->attr.read_format = ALL | PERF_FORMAT_GROUP;
	ASSERT_EQ(0, pthread_barrier_init(&member.barrier, NULL, 2));
	for (i = 0; i < 50; i++) {
		n = 3;
		self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, self->fd[0]);
		member.leader = self->fd[0];
		ASSERT_EQ(0, pthread_create(&thread, NULL, open_member, &member));
		pthread_barrier_wait(&member.barrier);
		self->fd[1] = open_event(&clock, 0, -1, self->fd[0], 0);
		EXPECT_LE(0, self->fd[1]) TH_LOG("%d: %s", i, strerror(errno));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		self->fd[2] = member.fd;
		EXPECT_LE(0, member.fd);
		ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
		EXPECT_EQ(3ULL, words[0]);
		while (n--) {
			close(self->fd[n]);
			self->fd[n] = -1;
		}
	}
	pthread_barrier_destroy(&member.barrier);
}

/* Does a group's reading have these identifiers, and counts of the first two? */
static void check_ids(struct __test_metadata *_metadata, int fd, const uint64_t *id, int nr)
{
	uint64_t words[3 + 2 * MANY];
	int i;

	ASSERT_EQ((ssize_t)(3 + 2 * nr) * 8, read(fd, words, sizeof(words)));
	EXPECT_EQ((uint64_t)nr, words[0]);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(id[i], words[3 + 2 * i + 1]);
	for (i = 0; i < 2; i++)
		EXPECT_LE(2 * N, words[3 + 2 * i]);
}

/* What the program was told of an event stays true when a software event joins its group. */
TEST_F(perf_abi, identifiers_stay)
{
	struct perf_event_attr clock = software(PERF_COUNT_SW_TASK_CLOCK);
	uint64_t id[MANY], now, words[4];
	int copy[2] = { -1, -1 }, i;

	for (i = 0; i < 4; i++) {
		self->attr.read_format = i == 1 ? ALL : ALL | PERF_FORMAT_GROUP;
		clock.read_format = ALL | PERF_FORMAT_GROUP;
		clock.disabled = 0;
		self->fd[i] =
			open_event(i < 2 ? &self->attr : &clock, 0, -1, i ? self->fd[0] : -1, 0);
		ASSERT_LE(0, self->fd[i]) TH_LOG("%d: %s", i, strerror(errno));
		ASSERT_EQ(0, ioctl(self->fd[i], PERF_EVENT_IOC_ID, &id[i]));
		self->attr.disabled = 0;
		if (i == 1)
			copy[0] = dup(self->fd[0]);
	}
	copy[1] = dup(self->fd[0]);
	EXPECT_FALSE(served_by_pmudev(self->fd[0]));
	EXPECT_FALSE(served_by_pmudev(copy[0]));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, ioctl(self->fd[i], PERF_EVENT_IOC_ID, &now));
		EXPECT_EQ(id[i], now);
	}
	ASSERT_EQ(0, ioctl(copy[0], PERF_EVENT_IOC_ID, &now));
	EXPECT_EQ(id[0], now);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	ASSERT_EQ(0, ioctl(copy[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	check_ids(_metadata, self->fd[0], id, 4);
	check_ids(_metadata, self->fd[3], id, 4);
	check_ids(_metadata, copy[0], id, 4);
	check_ids(_metadata, copy[1], id, 4);
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[1], words, sizeof(words)));
	EXPECT_LE(2 * N, words[0]);
	EXPECT_EQ(id[1], words[3]);
	/* Those that are closed are in no reading. */
	ASSERT_EQ(0, close(self->fd[2]));
	self->fd[2] = self->fd[3];
	self->fd[3] = -1;
	id[2] = id[3];
	check_ids(_metadata, copy[1], id, 3);
	close(copy[0]);
	close(copy[1]);
}

/* It was told by read(2). */
TEST_F(perf_abi, identifiers_that_were_read)
{
	struct perf_event_attr clock = software(PERF_COUNT_SW_TASK_CLOCK);
	uint64_t words[5], again[7];

	self->attr.read_format = ALL | PERF_FORMAT_GROUP;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
	clock.disabled = 0;
	self->fd[1] = open_event(&clock, 0, -1, self->fd[0], 0);
	ASSERT_LE(0, self->fd[1]) TH_LOG("%s", strerror(errno));
	ASSERT_EQ((ssize_t)sizeof(again), read(self->fd[0], again, sizeof(again)));
	EXPECT_EQ(words[4], again[4]);
	EXPECT_NE(again[4], again[6]);
}

/* A sample that reads its group has the identifiers that the program was told, or none. */
TEST_F(perf_abi, identifiers_in_samples)
{
	struct perf_event_attr clock = software(PERF_COUNT_SW_TASK_CLOCK);
	uint64_t id[2];

	clock.sample_period = 1000000;
	clock.sample_type = PERF_SAMPLE_READ;
	clock.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ID, &id[0]));
	self->fd[1] = open_event(&clock, 0, -1, self->fd[0], 0);
	/* Its ring would be perf's. */
	if (getenv("PMUDEV_PERF")) {
		EXPECT_EQ(-1, self->fd[1]);
		EXPECT_EQ(EINVAL, errno);
		EXPECT_TRUE(served_by_pmudev(self->fd[0]));
	} else {
		EXPECT_LE(0, self->fd[1]);
	}
	/* One that carries only its own, or a group that was told nothing */
	clock.read_format = PERF_FORMAT_ID;
	self->fd[2] = open_event(&clock, 0, -1, self->fd[0], 0);
	ASSERT_LE(0, self->fd[2]) TH_LOG("%s", strerror(errno));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ID, &id[1]));
	EXPECT_EQ(id[0], id[1]);
	clock.read_format = ALL | PERF_FORMAT_GROUP;
	self->fd[3] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[3]);
	close(self->fd[2]);
	self->fd[2] = open_event(&clock, 0, -1, self->fd[3], 0);
	EXPECT_LE(0, self->fd[2]) TH_LOG("%s", strerror(errno));
}

/* The ring of one event for samples of another one, and what fcntl(2) has set of each */
TEST_F(perf_abi, one_ring_for_two)
{
	const long page_size = sysconf(_SC_PAGESIZE);
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = getpid() };
	struct perf_event_mmap_page *ring;
	int i;

	self->attr.sample_period = N;
	self->attr.sample_type = PERF_SAMPLE_TIME;
	for (i = 0; i < 2; i++) {
		self->fd[i] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, self->fd[i]);
		ASSERT_EQ(0, fcntl(self->fd[i], F_SETSIG, SIGRTMIN + i));
	}
	ASSERT_EQ(0, fcntl(self->fd[0], F_SETOWN_EX, &owner));
	EXPECT_EQ(-1, ioctl(self->fd[0], PERF_EVENT_IOC_SET_OUTPUT, (long)self->fd[0]));
	EXPECT_EQ(EINVAL, errno);
	/* It has no ring. */
	EXPECT_EQ(-1, ioctl(self->fd[1], PERF_EVENT_IOC_SET_OUTPUT, (long)self->fd[0]));
	EXPECT_EQ(EINVAL, errno);
	ring = mmap(NULL, 9 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd[0], 0);
	ASSERT_NE(MAP_FAILED, ring) TH_LOG("%s", strerror(errno));
	ASSERT_EQ(0, ioctl(self->fd[1], PERF_EVENT_IOC_SET_OUTPUT, (long)self->fd[0]));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(SIGRTMIN + i, fcntl(self->fd[i], F_GETSIG));
	owner.pid = 0;
	ASSERT_EQ(0, fcntl(self->fd[0], F_GETOWN_EX, &owner));
	EXPECT_EQ(getpid(), owner.pid);
	ASSERT_EQ(0, fcntl(self->fd[1], F_GETOWN_EX, &owner));
	EXPECT_EQ(0, owner.pid);
	munmap(ring, 9 * page_size);
}

int main(int argc, char **argv)
{
	return test_harness_run(argc, argv);
}
