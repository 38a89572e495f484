// SPDX-License-Identifier: GPL-2.0
/* Counts of known pieces of code, to the unit: events, rings, CMASK, INV, EDGE and EQ. */
#include "x86.h"

#define N 1000

/* What programmable counter 0 counts of the loop in ring 0. */
static u64 count(u64 sel)
{
	stop_pmu();
	wrmsr(EVTSEL(0), sel | OS | EN);
	count_loop(1, N);
	return rdmsr(PMC(0));
}

/* As CPUID declares it: an event that is missing counts 0. */
static u64 known(int bit, u64 val)
{
	return machine.missing & (1 << bit) ? 0 : val;
}

static void test_events(void)
{
	u64 insns = LOOP_INSNS(N), slots = machine.version >= 5 ? 4 * machine.core * insns : 0;

	equal("core cycles", count(EV_CORE), known(0, machine.core * insns));
	equal("instructions", count(EV_INSN), known(1, insns));
	equal("reference cycles", count(EV_REF), known(2, machine.ref * insns));
	equal("branches", count(EV_BRANCH), known(5, N));
	equal("slots from version 5", count(EV_SLOTS), known(7, slots));
	equal("an event that is not known", count(0x01c0), 0);
	equal("not enabled", count(EV_INSN) * 0 + (stop_pmu(), count_loop(1, N), rdmsr(PMC(0))), 0);
	if (machine.version >= 6)
		equal("UMASK2 makes it another event", count(EV_INSN | 1ULL << 40), 0);
}

/* All counters at once, and only those that GLOBAL_CTRL enables. */
static void test_all_counters(void)
{
	u64 per_insn[] = { 1, machine.core, machine.ref, 4 * machine.core };
	u64 all = BIT64(machine.gp) - 1 + ((u64)machine.fixed << 32), ctl = 0;
	u32 i;

	stop_pmu();
	for (i = 0; i < machine.gp; i++)
		wrmsr(EVTSEL(i), EV_BRANCH | OS | EN);
	for (i = 0; i < 4; i++)
		ctl |= machine.fixed & (1 << i) ? 1ULL << (4 * i) : 0;
	wrmsr(FIXED_CTR_CTRL, ctl);
	count_loop(all, N);
	for (i = 0; i < machine.gp; i++)
		equal("each programmable counter", rdpmc(i), known(5, N));
	for (i = 0; i < 4; i++) {
		if (machine.fixed & (1 << i))
			equal("each fixed counter", rdpmc(i | 1 << 30),
			      per_insn[i] * LOOP_INSNS(N));
	}
	count_loop(all & ~1ULL, N);
	equal("a counter that GLOBAL_CTRL does not enable stands", rdpmc(0), known(5, N));
	if (machine.gp > 1)
		equal("    its neighbour does not", rdpmc(1), known(5, 2 * N));
	stop_pmu();
}

static void test_rings(void)
{
	u64 sel = EV_INSN | EN;

	if (machine.gp < 4 || machine.missing)
		return;
	stop_pmu();
	wrmsr(EVTSEL(0), sel | USR);
	wrmsr(EVTSEL(1), sel | OS);
	wrmsr(EVTSEL(2), sel | OS | USR);
	wrmsr(EVTSEL(3), sel);
	if (machine.fixed & 1)
		wrmsr(FIXED_CTR_CTRL, 2);
	wrmsr(GLOBAL_CTRL, 0xf | (u64)(machine.fixed & 1) << 32);
	user_n = N;
	run_user(user_loop);
	wrmsr(GLOBAL_CTRL, 0);
	equal("ring 3 alone", rdpmc(0), USER_LOOP_INSNS(N));
	check("ring 0 alone", rdpmc(1) > 10 && rdpmc(1) < 100);
	equal("both are the sum", rdpmc(2), rdpmc(0) + rdpmc(1));
	equal("neither", rdpmc(3), 0);
	if (machine.fixed & 1)
		equal("ring 3 on the fixed counter", rdpmc(1 << 30), USER_LOOP_INSNS(N));
	stop_pmu();
	wrmsr(EVTSEL(0), EV_BRANCH | EN | USR);
	wrmsr(GLOBAL_CTRL, 1);
	run_user(user_loop);
	equal("branches in ring 3", rdpmc(0), N);
	stop_pmu();
}

/* What is no instruction, and what is one although it takes many steps. */
static void test_mixed(void)
{
	if (machine.gp < 2 || machine.missing)
		return;
	stop_pmu();
	wrmsr(EVTSEL(0), EV_INSN | OS | EN);
	wrmsr(EVTSEL(1), EV_BRANCH | OS | EN);
	count_mixed(3);
	equal("REP is one instruction, #GP is none", rdpmc(0), MIXED_INSNS);
	equal("branches among them", rdpmc(1), MIXED_BRANCHES);
	stop_pmu();
}

/*
 * With 2 core and 3 reference cycles an instruction, the increments of its two cycles are:
 * instructions 0 1, core cycles 1 1, reference cycles 1 2, slots 4 4, a branch 0 1 (others 0 0).
 */
static void test_conditions(void)
{
	enum {
		t = LOOP_INSNS(N),
		b = N
	};
	static const struct {
		u64 sel, want;
		u32 version;
	} c[] = {
		{ EV_INSN | CMASK(1), t, 2 },
		{ EV_INSN | CMASK(1) | INV, t, 2 },
		{ EV_INSN | CMASK(2), 0, 2 },
		{ EV_INSN | CMASK(2) | INV, 2 * t, 2 },
		{ EV_INSN | INV, t, 2 },
		{ EV_INSN | EDGE, t, 2 },
		{ EV_INSN | EDGE | CMASK(1), t, 2 },
		{ EV_INSN | EDGE | CMASK(1) | INV, t, 2 },
		{ EV_INSN | EDGE | CMASK(2), 0, 2 },
		{ EV_CORE | CMASK(1), 2 * t, 2 },
		{ EV_CORE | CMASK(1) | INV, 0, 2 },
		{ EV_CORE | CMASK(2), 0, 2 },
		{ EV_CORE | CMASK(255) | INV, 2 * t, 2 },
		{ EV_CORE | EDGE, 0, 2 },
		{ EV_REF | CMASK(1), 2 * t, 2 },
		{ EV_REF | CMASK(2), t, 2 },
		{ EV_REF | CMASK(2) | INV, t, 2 },
		{ EV_REF | CMASK(2) | EDGE, t, 2 },
		{ EV_REF | CMASK(2) | EDGE | INV, t, 2 },
		{ EV_REF | CMASK(3), 0, 2 },
		{ EV_BRANCH | CMASK(1), b, 2 },
		{ EV_BRANCH | CMASK(1) | INV, 2 * t - b, 2 },
		{ EV_BRANCH | CMASK(2), 0, 2 },
		{ EV_BRANCH | CMASK(2) | INV, 2 * t, 2 },
		{ EV_BRANCH | EDGE, b, 2 },
		{ EV_BRANCH | EDGE | CMASK(1) | INV, b, 2 },
		{ EV_BRANCH | EDGE | CMASK(2) | INV, 0, 2 },
		{ 0x01c0 | CMASK(1) | INV, 2 * t, 2 },
		{ EV_SLOTS | CMASK(4), 2 * t, 5 },
		{ EV_SLOTS | CMASK(5), 0, 5 },
		{ EV_SLOTS | CMASK(5) | INV, 2 * t, 5 },
		{ EV_INSN | CMASK(1) | EQ, t, 6 },
		{ EV_INSN | CMASK(1) | EQ | INV, t, 6 },
		{ EV_INSN | EQ, t, 6 },
		{ EV_REF | CMASK(1) | EQ, t, 6 },
		{ EV_REF | CMASK(2) | EQ, t, 6 },
		{ EV_REF | CMASK(1) | EQ | EDGE, t, 6 },
		{ EV_SLOTS | CMASK(3) | EQ, 0, 6 },
		{ EV_SLOTS | CMASK(3) | EQ | INV, 2 * t, 6 },
		{ EV_SLOTS | CMASK(4) | EQ, 2 * t, 6 },
		{ EV_BRANCH | CMASK(1) | EQ, b, 6 },
		{ EV_BRANCH | CMASK(2) | EQ | INV, 2 * t, 6 },
	};
	u32 i;

	if (machine.core != 2 || machine.ref != 3 || machine.missing)
		return;
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		if (machine.version >= c[i].version)
			equal("CMASK, INV, EDGE, EQ", count(c[i].sel), c[i].want);
	}
}

void test_counts(void)
{
	test_events();
	test_all_counters();
	test_rings();
	test_mixed();
	test_conditions();
	stop_pmu();
}
