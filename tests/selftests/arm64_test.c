// SPDX-License-Identifier: GPL-2.0
/* What is arm64's own: the selector register, events by number, what reading does not give. */
#include "common.h"
#include "kselftest_harness.h"

#include <signal.h>

#if defined(__aarch64__)

static inline __u64 read_selector(void)
{
	return READ_REGISTER("pmselr_el0");
}

static inline void write_selector(__u64 value)
{
	asm volatile("msr pmselr_el0, %0\n\tisb" : : "r"(value) : "memory");
}

static inline __u64 read_selected(void)
{
	return READ_REGISTER("pmxevcntr_el0");
}

FIXTURE(page)
{
	int fd;
	struct pmudev_page *page;
};

static int start(struct pmudev_page **page)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd = pm_set(&event, 1, true);

	*page = fd < 0 ? NULL : pm_map(fd);
	return *page ? fd : -1;
}

FIXTURE_SETUP(page)
{
	ASSERT_EQ(0, set_user_access(true));
	self->fd = start(&self->page);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(page)
{
	pm_unmap(self->page);
	close(self->fd);
	set_user_access(false);
}

/*
 * PMSELR_EL0 is a register that a reader could leave something in for others: whenever the
 * sequence has changed it is 0 again. ER lets user mode write it, and read what it selects.
 */
TEST_F(page, selector_is_zeroed)
{
	__u32 seq;
	int i;

	for (i = 0; i < 10; i++) {
		do {
			seq = READ_ONCE(self->page->seq);
			write_selector(3);
		} while (READ_ONCE(self->page->seq) != seq);
		read_selected();
		/* Somebody else runs in between. */
		ASSERT_EQ(0, pm_reset(self->fd, 0, 1));
		ASSERT_NE(seq, READ_ONCE(self->page->seq));
		EXPECT_EQ(0ULL, read_selector());
	}
}

TEST_F(page, selector_after_a_switch)
{
	struct turns turns;
	int i, child;
	__u32 seq;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork();
	if (!child) {
		turn_wait(&turns, 1);
		for (i = 0; i < 20; i++)
			turn_pass(&turns, 1);
		_exit(0);
	}
	for (i = 0; i < 20; i++) {
		seq = READ_ONCE(self->page->seq);
		write_selector(3);
		turn_pass(&turns, 0);
		EXPECT_EQ(0ULL, read_selector());
		/* Reads on both sides of a switch can be told from those on one. */
		EXPECT_NE(seq, READ_ONCE(self->page->seq));
		EXPECT_EQ(0U, READ_ONCE(self->page->seq) & 1);
	}
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(child));
}

/* Reading is all that is given: whatever would change the PMU faults still. */
static bool write_faults(void (*write)(void))
{
	int child = fork();

	if (!child) {
		struct pmudev_page *page;

		if (start(&page) < 0)
			_exit(1);
		write();
		_exit(0);
	}
	return child_result(child) == 1000 + SIGILL;
}

#define WRITER(name, reg)                                     \
	static void name(void)                                \
	{                                                     \
		asm volatile("msr " reg ", %0" : : "r"(0UL)); \
	}

WRITER(write_swinc, "pmswinc_el0")
WRITER(write_counter, "pmevcntr2_el0")
WRITER(write_cycles, "pmccntr_el0")
WRITER(write_control, "pmcr_el0")
WRITER(write_enable, "pmcntenset_el0")
WRITER(write_disable, "pmcntenclr_el0")
WRITER(write_type, "pmevtyper2_el0")
WRITER(write_filter, "pmccfiltr_el0")
WRITER(write_overflow, "pmovsclr_el0")
WRITER(write_right, "pmuserenr_el0")

TEST_F(page, is_to_read_only)
{
	struct pmudev_query query;

	/* Where counters are given one by one, writes are ignored instead: see below. */
	ASSERT_EQ(0, pm_query(&query));
	if (query.features & PMUDEV_HAS_HIDING)
		SKIP(return, "what may not be written is ignored here");
	EXPECT_TRUE(write_faults(write_swinc));
	EXPECT_TRUE(write_faults(write_counter));
	EXPECT_TRUE(write_faults(write_cycles));
	EXPECT_TRUE(write_faults(write_control));
	EXPECT_TRUE(write_faults(write_enable));
	EXPECT_TRUE(write_faults(write_disable));
	EXPECT_TRUE(write_faults(write_type));
	EXPECT_TRUE(write_faults(write_filter));
	EXPECT_TRUE(write_faults(write_overflow));
	EXPECT_TRUE(write_faults(write_right));
}

static void skip_write(int signal_, siginfo_t *info, void *context)
{
	(void)signal_;
	(void)info;
	skip_counter(context);
}

#define TRY_WRITE(reg, value)                                                       \
	({                                                                          \
		__u64 __value = (value);                                            \
		asm volatile("msr " reg ", %0\n\tisb" : : "r"(__value) : "memory"); \
	})

/* Everything that could be stopped, changed or counted up from user mode. */
static void try_all_writes(void)
{
	struct sigaction action = { .sa_sigaction = skip_write, .sa_flags = SA_SIGINFO };
	struct sigaction before;
	unsigned int i;

	sigaction(SIGILL, &action, &before);
	for (i = 0; i < 31; i++) {
		TRY_WRITE("pmselr_el0", i);
		TRY_WRITE("pmxevcntr_el0", 0);
		TRY_WRITE("pmxevtyper_el0", 0);
	}
	TRY_WRITE("pmselr_el0", 0);
	TRY_WRITE("pmevcntr2_el0", 0);
	TRY_WRITE("pmccntr_el0", 0);
	TRY_WRITE("s3_3_c9_c4_0", 0);	   /* PMICNTR_EL0 */
	TRY_WRITE("s3_3_c9_c13_4", ~0ULL); /* PMZR_EL0 */
	TRY_WRITE("pmswinc_el0", ~0ULL);
	TRY_WRITE("pmcr_el0", 6);
	TRY_WRITE("pmcntenclr_el0", ~0ULL);
	TRY_WRITE("pmovsclr_el0", ~0ULL);
	TRY_WRITE("pmccfiltr_el0", 1UL << 30);
	TRY_WRITE("pmuserenr_el0", 1);
	sigaction(SIGILL, &before, NULL);
}

/* Faulting or ignored: neither the reader's own nor other counters are touched. */
TEST_F(page, writes_change_nothing)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS] = {};
	union record before, after;
	struct pmudev_query query;
	struct reader reader = reader_of(self->page);
	__u64 left, own, first, second;
	unsigned int i, nr = 0;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	own = 1ULL << (self->page->slots[0].index - 1);
	for (left = query.available & ~own; left; left &= left - 1)
		events[nr++] = event_on(__builtin_ctzll(left), USER_ONLY);
	fd = pm_set(events, nr, true);
	ASSERT_GE(fd, 0);
	loop(1000);
	ASSERT_EQ(0, pm_read(fd, &before));
	ASSERT_EQ(0, direct_read(&reader, 0, &first));
	try_all_writes();
	loop(1000);
	ASSERT_EQ(0, direct_read(&reader, 0, &second));
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_GE(second - first, 1000ULL * LOOP_INSTRUCTIONS);
	EXPECT_LT(second - first, 1ULL << 31);
	for (i = 0; i < nr; i++) {
		EXPECT_GE(after.r.counts[i].value - before.r.counts[i].value, 2000ULL);
		EXPECT_LT(after.r.counts[i].value - before.r.counts[i].value, 1ULL << 31);
	}
	close(fd);
}

TEST(pmu)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	EXPECT_TRUE(query.width == 32 || query.width == 64);
	EXPECT_EQ(64U, query.width_fixed);
	/* Six of events, one of cycles; other machines have it in their names. */
	if (!strcmp(machine_name(), "vhe") || !strcmp(machine_name(), "nvhe") ||
	    !strcmp(machine_name(), "el1"))
		EXPECT_EQ(0x10000003fULL, query.counters);
}

/* A hypervisor, or what booted the kernel at EL2, may have left it fewer counters. */
TEST(what_is_offered_counts)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_COUNTER);
	struct pmudev_query query;
	union record record;
	__u64 rest;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	for (rest = query.available; rest; rest &= rest - 1) {
		event.counter = __builtin_ctzll(rest);
		event.config =
			event.counter == INSTRUCTION_COUNTER ? EVENT_INSTRUCTIONS : EVENT_CYCLES;
		fd = pm_set(&event, 1, true);
		ASSERT_GE(fd, 0) TH_LOG("counter %u", event.counter);
		loop(1000);
		ASSERT_EQ(0, pm_read(fd, &record));
		EXPECT_LE(1000ULL, record.r.counts[0].value) TH_LOG("counter %u", event.counter);
		close(fd);
	}
	event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	if (!query.available || query.available == 1ULL << FIXED_COUNTER)
		EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_set(&event, 1, false));
}

/* PLACE answers for each event: it is implemented (or not an event of its own), or it is not. */
TEST(events_the_cpu_has_not)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_query query;
	__u64 common = 0, i;
	__s32 counter;
	int fd, ret;

	ASSERT_EQ(0, pm_query(&query));
	if (!(__u32)query.available)
		SKIP(return, "no event counters here, only %#llx", query.available);
	fd = pm_set(&event, 1, false);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 0x40; i++) {
		event = raw_event(i, USER_ONLY);
		ret = pm_place(fd, &event, 1, &counter);
		if (!ret)
			common |= 1ULL << i;
		if (ret == -ENOENT)
			EXPECT_EQ((__u32)PMUDEV_WHY_EVENT, why.code);
		if (ret && ret != -ENOENT)
			EXPECT_EQ(0x1eULL, i); /* CHAIN: half of a chained event */
	}
	EXPECT_TRUE(common & 1ULL << EVENT_CYCLES);
	/* Caches are not emulated. */
	if (emulated())
		EXPECT_FALSE(common & 1ULL << 0x04);
	for (i = 0; i < 0x40 && (common & 1ULL << i || i == 0x1e); i++)
		;
	event = raw_event(i, USER_ONLY);
	if (i < 0x40)
		EXPECT_REFUSED(ENOENT, PMUDEV_WHY_EVENT, pm_add(fd, &event, 1));
	close(fd);
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
