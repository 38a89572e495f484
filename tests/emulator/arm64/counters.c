// SPDX-License-Identifier: GPL-2.0
/* The event counters among themselves: as many as were asked for, independent, and chained. */
#include "arm64.h"

#define N    200
#define WRAP BIT64(32)

/* The value that a counter of 32 bits has, whether or not 64 are there to hold it. */
#define PAST(x) ((LONG ? WRAP : 0) + (x))

/* The pieces of code come with room for this many NOPs. */
static const u64 after[] = { 1, 2, 57, 399 };

static u64 each(int k)
{
	return 100000 + 1000UL * k;
}

static void test_number(void)
{
	u64 mask = CYCLE_COUNTER | (BIT64(COUNTERS) - 1);

	equal("PMCR.N", read_reg(pmcr_el0) >> 11 & 0x1f, COUNTERS);
	write_reg(pmcntenset_el0, ~0UL);
	equal("that many can be enabled, and the cycle counter",
	      read_reg(pmcntenset_el0) & ~0UL >> 32, mask);
	write_reg(pmcntenclr_el0, ~0UL);
	write_reg(pmovsset_el0, ~0UL);
	equal("    and overflow", read_reg(pmovsclr_el0) & ~0UL >> 32, mask);
	stop_pmu(PMCR_LC);
	count_loop(CYCLE_COUNTER, N);
	equal("the cycle counter counts beside any number", read_reg(pmccntr_el0),
	      CPI * LOOP_INSNS(N));
}

/* Each counts alone, another number each time: the others stand, and know nothing of it. */
static void test_independent(void)
{
	int i, k, bad = 0;

	stop_pmu(0);
	for (k = 0; k < COUNTERS; k++) {
		set_event(k, EV_INSN);
		set_counter(k, each(k));
	}
	for (k = 0; k < COUNTERS; k++) {
		count_loop(BIT64(k), N + k);
		for (i = 0; i < COUNTERS; i++)
			bad += counter(i) != each(i) + (i <= k ? LOOP_INSNS(N + i) : 0);
	}
	equal("each counter counts for itself", bad, 0);
	count_loop(BIT64(COUNTERS) - 1, N);
	for (i = 0; i < COUNTERS; i++)
		bad += counter(i) != each(i) + LOOP_INSNS(N + i) + LOOP_INSNS(N);
	equal("all of them at once", bad, 0);
}

/* One of them wraps, in turn. */
static void test_overflows(void)
{
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);
	int k, bad = 0;

	for (k = 0; k < COUNTERS; k++) {
		stop_pmu(0);
		set_event(k, EV_INSN);
		set_counter(k, WRAP - (k + 3));
		write_reg(pmintenset_el1, BIT64(k));
		count_nops(BIT64(k));
		bad += me->pmi_pc != (u64)nops + 4 * (k + 3UL) || me->pmi_count != 1 ||
		       me->pmi_status != BIT64(k);
	}
	equal("each counter's overflow is its own, and exact", bad, 0);
}

/* Counter low comes to its end n events later, the one above it counts that. */
static void pair(int low, u64 pmcr, u64 event, u64 n)
{
	stop_pmu(pmcr);
	set_event(low, event);
	set_event(low + 1, EV_CHAIN);
	set_counter(low, WRAP - n);
	set_counter(low + 1, each(low));
}

static void test_pairs(void)
{
	u64 insns = LOOP_INSNS(N);
	int i, k, bad = 0;

	for (k = 0; k + 1 < COUNTERS; k += 2) {
		stop_pmu(0);
		for (i = 0; i + 1 < COUNTERS; i += 2) {
			set_event(i, EV_INSN);
			set_event(i + 1, EV_CHAIN);
		}
		set_counter(k, WRAP - insns);
		count_loop(BIT64(COUNTERS) - 1, N);
		for (i = 0; i + 1 < COUNTERS; i += 2)
			bad += counter(i) != (i == k ? PAST(0) : insns) ||
			       counter(i + 1) != (i == k);
		bad += read_reg(pmovsclr_el0) != BIT64(k);
	}
	equal("a pair carries, the others do not", bad, 0);
}

static void test_carry(void)
{
	u64 insns = LOOP_INSNS(N);

	pair(0, 0, EV_INSN, insns);
	count_loop(3, N);
	equal("the last instruction carries", counter(1), each(0) + 1);
	equal("    and the low half is 0", counter(0), PAST(0));
	equal("    and says so", read_reg(pmovsclr_el0), 1);
	pair(0, 0, EV_INSN, insns + 1);
	count_loop(3, N);
	equal("one instruction less does not", counter(1), each(0));
	equal("    nor is there an overflow", read_reg(pmovsclr_el0), 0);
	count_loop(3, N);
	equal("but the next one does", counter(1), each(0) + 1);
	pair(0, 0, EV_CYCLES, CPI * insns);
	count_loop(3, N);
	equal("cycles carry", counter(1), each(0) + 1);
	pair(0, 0, EV_CYCLES, CPI * insns + 1);
	count_loop(3, N);
	equal("    no cycle too early", counter(1), each(0));
	pair(0, 0, 0, 1);
	write_reg(pmcntenset_el0, 3UL);
	write_reg(pmswinc_el0, 1UL);
	equal("a software increment carries", counter(1), each(0) + 1);
	write_reg(pmswinc_el0, 3UL);
	equal("    once, and is no increment of the high half", counter(1), each(0) + 1);
	equal("    but of the low one", counter(0), PAST(1));
}

static void test_no_carry(void)
{
	u64 insns = LOOP_INSNS(N);

	pair(0, 0, EV_INSN, 10);
	count_loop(1, N);
	equal("a high half that is not enabled stands", counter(1), each(0));
	pair(0, 0, EV_INSN, 10);
	count_loop(2, N);
	equal("and one whose low half is not", counter(1), each(0));
	pair(0, 0, EV_INSN, 10);
	set_event(1, EV_CHAIN | FILTER_P);
	count_loop(3, N);
	equal("and one that does not count at EL1", counter(1), each(0));
	pair(0, 0, EV_INSN, 10);
	set_event(2, EV_CHAIN);
	set_event(3, EV_CHAIN);
	count_loop(0xf, N);
	equal("an even counter never chains", counter(2), 0);
	equal("    nor a counter with none below that wraps", counter(3), 0);
	pair(0, 0, EV_INSN, 10);
	set_event(1, EV_INSN);
	set_counter(1, WRAP - 20);
	set_event(2, EV_CHAIN);
	count_loop(7, N);
	equal("the end of an odd counter is no CHAIN", counter(2), 0);
	if (!LONG)
		return;
	pair(0, PMCR_LP, EV_INSN, 10);
	count_loop(3, N);
	equal("64 bits: no CHAIN at 32", counter(1), each(0));
	equal("    the low half just goes on", counter(0), WRAP + insns - 10);
	set_counter(0, 0UL - 10);
	count_loop(3, N);
	equal("    nor at 64", counter(1), each(0));
	equal("    though that overflows", read_reg(pmovsclr_el0), 1);
}

/* At which level the low half comes to its end decides. */
static void test_chain_levels(void)
{
	static const struct {
		const char *what;
		u64 low, high, want;
	} tests[] = {
		{ "an end at EL0, a high half of EL0", FILTER_P, FILTER_P, 1 },
		{ "an end at EL0, a high half of EL1", FILTER_P, FILTER_U, 0 },
		{ "an end at EL0, a high half of both", FILTER_P, 0, 1 },
	};
	u64 i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		pair(0, 0, EV_INSN | tests[i].low, LOOP_INSNS(N));
		set_event(1, EV_CHAIN | tests[i].high);
		write_reg(pmcntenset_el0, 3UL);
		run_user(user_loop, N);
		write_reg(pmcntenclr_el0, 3UL);
		equal(tests[i].what, counter(1), each(0) + tests[i].want);
	}
}

/* The high half comes to its end, by the nth NOP; all 64 bits then are 0. */
static void test_chain_overflow(void)
{
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);
	u64 i;

	for (i = 0; i < ARRAY_SIZE(after); i++) {
		pair(0, 0, EV_INSN, after[i]);
		set_counter(1, WRAP - 1);
		write_reg(pmintenset_el1, 2UL);
		count_nops(3);
		equal("the interrupt of a pair's end", me->pmi_pc, (u64)nops + 4 * after[i]);
		equal("    once", me->pmi_count, 1);
		equal("    status", me->pmi_status, 3);
		equal("    all is 0", counter(1), PAST(0));
	}
	pair(0, 0, EV_INSN, 10);
	write_reg(pmintenset_el1, 2UL);
	count_nops(3);
	equal("no interrupt of a high half that does not end", me->pmi_count, 0);
}

/* What MRS finds in the high half right behind ten NOPs, and in the low one at the same place. */
static void test_chain_read(void)
{
	u64 n, low;

	for (n = 8; n < 14; n++) {
		pair(0, 0, EV_INSN, n);
		low = counter_behind_nops(3, 0);
		pair(0, 0, EV_INSN, n);
		equal("both halves, read at the same place, agree", counter_behind_nops(3, 1),
		      each(0) + (low < WRAP - n || low >= WRAP));
		if (n == 8)
			check("    where it has carried", low < WRAP - n || low >= WRAP);
		if (n == 13)
			check("    and where it has not", low >= WRAP - n && low < WRAP);
	}
}

void test_counters(void)
{
	test_number();
	test_independent();
	test_overflows();
	equal("PMCEID: CHAIN", read_reg(pmceid0_el0) >> EV_CHAIN & 1, 1);
	if (COUNTERS < 4)
		return;
	test_pairs();
	test_carry();
	test_no_carry();
	test_chain_levels();
	test_chain_overflow();
	test_chain_read();
	stop_pmu(0);
}
