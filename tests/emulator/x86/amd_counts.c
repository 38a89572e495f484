// SPDX-License-Identifier: GPL-2.0
/* AMD's PMU: counts of known code, to the unit: events, rings, CMASK, INV, EDGE, rates. */
#include "x86.h"

#define N 1000

static void test_events(void)
{
	u64 insns = LOOP_INSNS(N);
	u32 v2 = machine.amd >= 2, zen = machine.family >= 0x17;

	equal("cycles", amd_count(0, AMD_CYCLES, N), machine.core * insns);
	equal("instructions", amd_count(0, AMD_INSN, N), insns);
	equal("operations, four an instruction", amd_count(0, AMD_OPS, N), 4 * insns);
	equal("branches", amd_count(0, AMD_BRANCH, N), N);
	equal("reference cycles with PerfMonV2", amd_count(0, AMD_REF, N),
	      v2 ? machine.ref * insns : 0);
	equal("an event that is not known", amd_count(0, 0x00c4, N), 0);
	equal("a unit mask that is not known", amd_count(0, AMD_INSN | 0x100, N), 0);
	equal("12 bits of event", amd_count(0, AMD_INSN | BIT64(32), N), 0);
	equal("    each of them", amd_count(0, AMD_INSN | BIT64(35), N), 0);
	equal("the other families' cache event", amd_count(0, zen ? 0x077d : 0xff60, N), 0);
	amd_stop();
	count_loop(amd_arm(0, AMD_INSN | OS) * 0, N);
	equal("not enabled", rdmsr(amd_ctr(0)), 0);
}

/* Each counter, and its neighbours do not move. */
static void test_each_counter(void)
{
	u32 i, k;
	u64 others;

	for (i = 0; i < machine.gp; i++) {
		equal("each counter", amd_count(i, AMD_INSN, N), LOOP_INSNS(N));
		for (k = 0, others = 0; k < machine.gp; k++)
			others |= k == i ? 0 : rdpmc(k);
		equal("    and no other", others, 0);
	}
}

/* All counters, read at one place. */
static void read_all(u64 val[6])
{
	u32 i;

	for (i = 0; i < 6; i++)
		val[i] = i < machine.gp ? rdpmc(i) : 0;
}

/* All at once: the last one's control starts a loop, the others count on around it. */
static void test_all_counters(void)
{
	u32 i, last = machine.gp - 1;
	u64 start, val[6];

	amd_stop();
	start = amd_arm(last, AMD_INSN | OS);
	for (i = 0; i < last; i++)
		wrmsr(amd_ctl(i), AMD_BRANCH | OS | EN);
	if (machine.amd >= 2) {
		count_loop(0x3f, N);
		for (i = 0; i < last; i++)
			equal("GlobalCtl starts and stops all", rdpmc(i), N);
		equal("    the last one too", rdpmc(last), LOOP_INSNS(N));
		count_loop(start, N);
		equal("GlobalCtl of one of them", rdpmc(last), 2 * LOOP_INSNS(N));
		equal("    the others stand", rdpmc(0), N);
		return;
	}
	count_loop(start, N);
	read_all(val);
	equal("the last one", val[last], LOOP_INSNS(N));
	for (i = 0; i < last; i++)
		check("    and the others with it", val[i] > N && val[i] < N + 50);
}

static void test_rings(void)
{
	u64 sel = AMD_INSN | EN, val[6];

	amd_stop();
	wrmsr(amd_ctl(0), sel | USR);
	wrmsr(amd_ctl(1), sel | OS);
	wrmsr(amd_ctl(3), sel);
	wrmsr(amd_ctl(2), AMD_BRANCH | USR | EN);
	if (machine.amd >= 2)
		wrmsr(AMD_GLOBAL_CTL, 0xf);
	user_n = N;
	run_user(user_loop);
	read_all(val);
	equal("ring 3 alone", val[0], USER_LOOP_INSNS(N));
	check("ring 0 alone", val[1] > 10 && val[1] < 200);
	equal("branches in ring 3", val[2], N);
	equal("neither", val[3], 0);
}

static void test_mixed(void)
{
	amd_stop();
	count_mixed(amd_arm(0, AMD_INSN | OS));
	equal("REP is one instruction, #GP is none", rdpmc(0), MIXED_INSNS);
	amd_stop();
	count_mixed(amd_arm(0, AMD_BRANCH | OS));
	equal("branches among them", rdpmc(0), MIXED_BRANCHES);
}

/* With 2 cycles an instruction: instructions 0 1, cycles 1 1, operations 2 2, a branch 0 1. */
static void test_conditions(void)
{
	enum {
		t = LOOP_INSNS(N),
		b = N
	};
	static const struct {
		u64 sel, want;
	} c[] = {
		{ AMD_INSN | CMASK(1), t },
		{ AMD_INSN | CMASK(1) | INV, t },
		{ AMD_INSN | CMASK(2), 0 },
		{ AMD_INSN | CMASK(2) | INV, 2 * t },
		{ AMD_INSN | INV, t },
		{ AMD_INSN | EDGE, t },
		{ AMD_INSN | EDGE | CMASK(1) | INV, t },
		{ AMD_CYCLES | CMASK(1), 2 * t },
		{ AMD_CYCLES | CMASK(1) | INV, 0 },
		{ AMD_CYCLES | CMASK(255) | INV, 2 * t },
		{ AMD_CYCLES | EDGE, 0 },
		{ AMD_OPS | CMASK(2), 2 * t },
		{ AMD_OPS | CMASK(3), 0 },
		{ AMD_OPS | CMASK(3) | INV, 2 * t },
		{ AMD_BRANCH | CMASK(1), b },
		{ AMD_BRANCH | CMASK(1) | INV, 2 * t - b },
		{ AMD_BRANCH | CMASK(2) | INV, 2 * t },
		{ AMD_BRANCH | EDGE, b },
		{ AMD_BRANCH | EDGE | CMASK(1) | INV, b },
		{ 0x00c4 | CMASK(1) | INV, 2 * t },
	};
	u32 i;

	if (machine.core != 2)
		return;
	for (i = 0; i < ARRAY_SIZE(c); i++)
		equal("CMASK, INV, EDGE", amd_count(0, c[i].sel, N), c[i].want);
}

/* Every Nth instruction, wherever they begin; ring 3 has numbers of its own. */
static void test_rate(u64 event, u32 every)
{
	u32 n = 5 * every - 3, i;

	if (!every) {
		equal("a rate of 0: none", amd_count(0, event, 10000), 0);
		return;
	}
	for (i = 0; i < 3; i++)
		equal("one in N instructions", amd_count(0, event, n), 10);
	equal("CMASK=1 INV", amd_count(0, event | CMASK(1) | INV, n),
	      every > 1 ? machine.core * LOOP_INSNS(n) - 10 : (machine.core - 1) * LOOP_INSNS(n));
	amd_stop();
	wrmsr(amd_ctl(1), event | USR | EN);
	if (machine.amd >= 2)
		wrmsr(AMD_GLOBAL_CTL, 2);
	user_n = 2 * every;
	run_user(user_loop);
	user_n = 3 * every - 2;
	run_user(user_loop);
	equal("ring 3 has numbers of its own", rdpmc(1), 10);
}

static void test_branch_misses(void)
{
	u32 every = machine.branch_miss;

	if (!every) {
		equal("no branch misses", amd_count(0, AMD_BRANCH_MISS, 10000), 0);
		return;
	}
	equal("one in N branches is missed", amd_count(0, AMD_BRANCH_MISS, 10 * every), 10);
	equal("    on another counter", amd_count(3, AMD_BRANCH_MISS, 10 * every), 10);
}

void amd_test_counts(void)
{
	test_events();
	test_each_counter();
	test_all_counters();
	test_rings();
	test_mixed();
	test_conditions();
	test_rate(amd_llc_ref(), machine.llc_ref);
	test_rate(amd_llc_miss(), machine.llc_miss);
	test_branch_misses();
	amd_stop();
}
