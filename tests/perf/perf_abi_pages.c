// SPDX-License-Identifier: GPL-2.0
/* What mmap(2) of an event gives: a page to read by, or a ring of samples */
#include "perf_abi.h"

static long page_size;

static struct perf_event_mmap_page *map(int fd, long pages)
{
	void *page = mmap(NULL, pages * page_size, pages > 1 ? PROT_READ | PROT_WRITE : PROT_READ,
			  MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* The counter of an index less one */
static uint64_t counter(uint32_t index)
{
	uint64_t value = 0;

#if defined(__aarch64__)
	/* There is an instruction for each. */
#define IF_IT_IS(n)                                                                       \
	do {                                                                              \
		if (index == (n))                                                         \
			__asm__ __volatile__("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
	} while (0)
	IF_IT_IS(0);
	IF_IT_IS(1);
	IF_IT_IS(2);
	IF_IT_IS(3);
	IF_IT_IS(4);
	IF_IT_IS(5);
	IF_IT_IS(6);
	IF_IT_IS(7);
	if (index == 31)
		__asm__ __volatile__("mrs %0, pmccntr_el0" : "=r"(value));
#else
	uint32_t low, high;

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	value = (uint64_t)high << 32 | low;
#endif
	return value;
}

/* By the page alone, as linux/perf_event.h has it; false: read(2) must be asked. */
static bool look(const struct perf_event_mmap_page *page, uint64_t *count)
{
	uint32_t lock, index, shift;
	bool can;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		__asm__ __volatile__("" : : : "memory");
		index = page->index;
		can = page->cap_user_rdpmc;
		*count = page->offset;
		if (can && index) {
			shift = 64 - page->pmc_width;
			*count += (int64_t)(counter(index - 1) << shift) >> shift;
		}
		__asm__ __volatile__("" : : : "memory");
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock);
	return can;
}

/* As many reads as are asked for; how many of them were direct; -1: one was wrong */
static int compare(int fd, const struct perf_event_mmap_page *page, int reads)
{
	uint64_t before, count, after;
	int direct = 0;

	while (reads--) {
		loop(N / 100);
		before = value(fd);
		if (!look(page, &count))
			continue;
		after = value(fd);
		if (count <= before || count >= after)
			return -1;
		direct++;
	}
	return direct;
}

/* arm64 asks for user reads in config1; elsewhere it means nothing to these events. */
static void allow_user_reads(struct perf_event_attr *attr)
{
#if defined(__aarch64__)
	attr->config1 = 2;
#else
	(void)attr;
#endif
}

TEST_F(perf_abi, page)
{
	const struct perf_event_mmap_page *page[2];
	int i, direct;

	allow_user_reads(&self->attr);
	for (i = 0; i < 2; i++) {
		self->fd[i] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, self->fd[i]);
		page[i] = map(self->fd[i], 1);
		ASSERT_NE(NULL, page[i]);
		EXPECT_EQ(0U, page[i]->index);
		ASSERT_EQ(0, ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0));
	}
	for (i = 0; i < 2; i++) {
		direct = compare(self->fd[i], page[i], 100);
		EXPECT_LE(0, direct);
		/* pmudev serves pages: most reads find an index. */
		if (getenv("PMUDEV_PAGES"))
			EXPECT_LT(50, direct);
	}
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0U, page[0]->index);
	EXPECT_EQ(-1, compare(self->fd[0], page[0], 1) > 0 ? 0 : -1);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_LE(0, compare(self->fd[0], page[0], 10));
	for (i = 0; i < 2; i++)
		munmap((void *)page[i], page_size);
	EXPECT_NE(~0ULL, value(self->fd[0]));
}

/* libperf asks for one that it could write, and only reads. */
TEST_F(perf_abi, page_to_be_written)
{
	const struct perf_event_mmap_page *page;
	int direct;

	allow_user_reads(&self->attr);
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd[0], 0);
	ASSERT_NE(MAP_FAILED, page);
	direct = compare(self->fd[0], page, 100);
	EXPECT_LE(0, direct);
	if (getenv("PMUDEV_PAGES"))
		EXPECT_LT(50, direct);
	munmap((void *)page, page_size);
}

/* An event that counts already: nothing of it is lost. */
TEST_F(perf_abi, page_of_one_that_counts)
{
	const struct perf_event_mmap_page *page;
	uint64_t before;

	allow_user_reads(&self->attr);
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	loop(N);
	before = value(self->fd[0]);
	page = map(self->fd[0], 1);
	ASSERT_NE(NULL, page);
	EXPECT_LE(before, value(self->fd[0]));
	EXPECT_LE(2 * N, before);
	/* On x86 perf's page is wrong until it is written again: no index, and an old count. */
	if (getenv("PMUDEV_PERF"))
		EXPECT_LE(0, compare(self->fd[0], page, 100));
}

/* A thread that loops each time it is told */
struct other {
	int go[2];
	int done[2];
	pid_t tid;
};

static void *loop_when_told(void *arg)
{
	struct other *other = arg;
	char byte = 0;

	other->tid = syscall(SYS_gettid);
	while (write(other->done[1], &byte, 1) == 1 && read(other->go[0], &byte, 1) == 1)
		loop(N);
	return NULL;
}

/* Until it waits to be told: nothing of the last time is left to be counted. */
static bool wait_for_sleep(const struct other *other)
{
	char name[64], state = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", other->tid);
	while (state != 'S') {
		file = fopen(name, "re");
		if (!file)
			return false;
		if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(file);
	}
	return true;
}

/* Nobody reads another thread's counter: its page says that read(2) must be asked. */
TEST_F(perf_abi, page_of_another_thread)
{
	const struct perf_event_mmap_page *page;
	uint64_t before, counted, last = 0;
	struct other other;
	pthread_t thread;
	char byte = 0;
	int i;

	allow_user_reads(&self->attr);
	self->attr.disabled = 0;
	ASSERT_EQ(0, pipe(other.go));
	ASSERT_EQ(0, pipe(other.done));
	ASSERT_EQ(0, pthread_create(&thread, NULL, loop_when_told, &other));
	ASSERT_EQ(1, read(other.done[0], &byte, 1));
	self->fd[0] = open_event(&self->attr, other.tid, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	page = map(self->fd[0], 1);
	ASSERT_NE(NULL, page);
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(wait_for_sleep(&other));
		before = value(self->fd[0]);
		ASSERT_EQ(1, write(other.go[1], &byte, 1));
		ASSERT_EQ(1, read(other.done[0], &byte, 1));
		ASSERT_TRUE(wait_for_sleep(&other));
		counted = value(self->fd[0]) - before;
		EXPECT_LE(2 * N, counted);
		EXPECT_GT(2 * N + 1000, counted);
		/* perf's shows a counter, which is wrong in this thread. */
		if (!getenv("PMUDEV_PERF"))
			continue;
		EXPECT_FALSE(!!page->cap_user_rdpmc);
		EXPECT_EQ(0U, page->index);
		if (exact() && i > 1)
			EXPECT_EQ(last, counted);
		last = counted;
	}
	close(other.go[1]);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	close(other.go[0]);
	close(other.done[0]);
	close(other.done[1]);
}

/* Samples that this library cannot write are perf's, with all that belongs to them. */
TEST_F(perf_abi, ring)
{
	struct perf_event_mmap_page *ring;
	uint64_t end;

	/* Not so often that perf would stop it. */
	self->attr.sample_period = 5 * N;
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	ring = map(self->fd[0], 1 + 8);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(10 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	end = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	if (getenv("PMUDEV_INTERRUPTS"))
		EXPECT_LE(3 * 16ULL, end);
	if (!getenv("PMUDEV_THROTTLED"))
		EXPECT_LE(20 * N, value(self->fd[0]));
}

/* The identifier that was told before is that of the samples. */
TEST_F(perf_abi, ring_with_identifiers)
{
	struct perf_event_mmap_page *ring;
	uint64_t id = 0, other = 0, end;
	const uint64_t *sample;

	self->attr.sample_period = 5 * N;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ID;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ID, &id));
	ring = map(self->fd[0], 1 + 8);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ID, &other));
	EXPECT_EQ(id, other);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(10 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	end = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	if (getenv("PMUDEV_INTERRUPTS"))
		ASSERT_LE(3 * 24ULL, end);
	/* A header, an address, and it */
	sample = (const uint64_t *)((const char *)ring + page_size);
	if (end)
		EXPECT_EQ(id, sample[2]);
}

/* What has counted cannot become perf's: then the program must know that there are no samples. */
TEST_F(perf_abi, ring_that_is_refused)
{
	self->attr.sample_period = 5 * N;
	self->attr.sample_type = PERF_SAMPLE_TIME;
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	if (!getenv("PMUDEV_PERF")) {
		EXPECT_NE(NULL, map(self->fd[0], 1 + 8));
		return;
	}
	errno = 0;
	EXPECT_EQ(NULL, map(self->fd[0], 1 + 8));
	EXPECT_EQ(EINVAL, errno);
	loop(N);
	EXPECT_LE(2 * N, value(self->fd[0]));
}

/* A ring of an event that has not counted, without a period */
TEST_F(perf_abi, ring_without_samples)
{
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_NE(NULL, map(self->fd[0], 1 + 2));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	EXPECT_LE(2 * N, value(self->fd[0]));
}

/* A ring is a page and a power of two; children would write into one. */
TEST_F(perf_abi, sizes)
{
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	EXPECT_EQ(NULL, map(self->fd[0], 4));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[0]));
	self->attr.inherit = 1;
	self->fd[1] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	EXPECT_EQ(NULL, map(self->fd[1], 1));
	EXPECT_EQ(EINVAL, errno);
}

int main(int argc, char **argv)
{
	page_size = sysconf(_SC_PAGESIZE);
	return test_harness_run(argc, argv);
}
