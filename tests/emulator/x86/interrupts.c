// SPDX-License-Identifier: GPL-2.0
/* Overflow: the status bit, and the interrupt right behind the instruction that brings it about. */
#include "x86.h"

/* In count_nops and count_jumps: the 400, CLI and the write that ends it; the handler. */
#define INSNS	(400 + 5)
#define HANDLER 7

static void start(u64 event, u32 before)
{
	stop_pmu();
	wrmsr(EVTSEL(0), event | OS | EN | INT);
	wrmsr(PMC(0), 0u - before);
}

static void test_exact(void)
{
	static const u32 before[] = { 1, 2, 3, 10, 100, 399 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		start(EV_INSN, before[i]);
		count_nops(1);
		equal("one interrupt", pmi_count, 1);
		equal("    behind the instruction", pmi_eip, (u32)nops + before[i]);
		equal("    status", rdmsr(GLOBAL_STATUS), 1);
		equal("    the counter goes on", rdpmc(0), INSNS + HANDLER - before[i]);

		start(EV_BRANCH, before[i]);
		count_jumps(1);
		equal("one interrupt of branches", pmi_count, 1);
		equal("    behind the branch", pmi_eip, (u32)jumps + 2 * before[i]);

		start(EV_CORE, machine.core * before[i]);
		count_nops(1);
		equal("    behind the cycle", pmi_eip, (u32)nops + before[i]);
	}
	if (machine.core > 1) {
		start(EV_CORE, machine.core * 10 - 1);
		count_nops(1);
		equal("in the middle of an instruction: behind it", pmi_eip, (u32)nops + 10);
	}
	start(EV_INSN | CMASK(1) | INV, (machine.core - 1) * 20);
	count_nops(1);
	if (machine.core > 1)
		equal("of cycles without a retirement", pmi_eip, (u32)nops + 20);
}

/* An event of every Nth instruction: the first comes within N instructions, the others N apart. */
static void test_rate(u64 event, u32 every)
{
	u32 first, k;

	if (!every || every > 100)
		return;
	start(event, 1);
	count_nops(1);
	first = pmi_eip - (u32)nops;
	equal("one interrupt of every Nth", pmi_count, 1);
	check("    within N instructions", first >= 1 && first <= every);
	equal("    and those after it", rdpmc(0), (INSNS + HANDLER - first) / every);
	for (k = 2; k <= 3; k++) {
		start(event, k);
		count_nops(1);
		first = pmi_eip - (u32)nops;
		check("the kth within k N instructions",
		      first > (k - 1) * every && first <= k * every);
		equal("    and those after it", rdpmc(0), (INSNS + HANDLER - first) / every);
	}
}

static void test_branch_misses(void)
{
	u32 every = machine.branch_miss, first;

	if (!every || every > 100)
		return;
	start(EV_BRANCH_MISS, 2);
	count_jumps(1);
	first = (pmi_eip - (u32)jumps) / 2;
	check("the second missed branch within 2 N", first > every && first <= 2 * every);
	/* Of the handler's instructions IRET is a branch. */
	equal("    and those after it", rdpmc(0), (400 + 1 - first) / every);
}

static void test_lvt(void)
{
	start(EV_INSN, 10);
	count_nops(1);
	wrmsr(PMC(0), 0u - 10u);
	wrmsr(GLOBAL_OVF_CTRL, 1);
	count_nops(1);
	equal("the interrupt masks its LVT entry", pmi_count, 1);
	equal("    but the status is set", rdmsr(GLOBAL_STATUS), 1);
	wrmsr(GLOBAL_OVF_CTRL, 1);
	equal("    and cleared", rdmsr(GLOBAL_STATUS), 0);

	stop_pmu();
	wrmsr(EVTSEL(0), EV_INSN | OS | EN);
	wrmsr(PMC(0), 0u - 10u);
	count_nops(1);
	equal("without INT none", pmi_count, 0);
	equal("    but the status", rdmsr(GLOBAL_STATUS), 1);
}

static void test_each_counter(void)
{
	u32 per_insn[] = { 1, machine.core, machine.ref, 4 * machine.core }, i;

	for (i = 0; i < machine.gp; i++) {
		stop_pmu();
		wrmsr(EVTSEL(i), EV_INSN | OS | EN | INT);
		wrmsr(PMC(i), 0u - 50u);
		count_nops(BIT64(i));
		equal("each counter has its status bit", rdmsr(GLOBAL_STATUS), BIT64(i));
		equal("    and its interrupt", pmi_eip, (u32)nops + 50);
	}
	for (i = 0; i < 4; i++) {
		if (!(machine.fixed & (1 << i)) || !per_insn[i])
			continue;
		stop_pmu();
		wrmsr(FIXED_CTR_CTRL, 9ULL << (4 * i));
		wrmsr(FIXED_CTR(i), (0 - 50ULL * per_insn[i]) & WIDTH_MASK);
		count_nops(BIT64(32 + i));
		equal("each fixed counter has its status bit", rdmsr(GLOBAL_STATUS), BIT64(32 + i));
		equal("    and its interrupt", pmi_eip, (u32)nops + 50);
	}
}

static void test_user(void)
{
	stop_pmu();
	wrmsr(EVTSEL(0), EV_INSN | USR | EN | INT);
	wrmsr(PMC(0), 0u - 37u);
	wrmsr(GLOBAL_CTRL, 1);
	run_user(user_nops);
	wrmsr(GLOBAL_CTRL, 0);
	equal("one interrupt in ring 3", pmi_count, 1);
	equal("    behind the instruction", pmi_eip, (u32)user_nops + 37);
	equal("    the handler does not count", rdpmc(0), 101 - 37);
}

static void test_freeze(void)
{
	if (!machine.full_width)
		return;
	wrmsr(DEBUGCTL, BIT64(12));
	start(EV_INSN, 10);
	count_nops(1);
	equal("freeze on interrupt", rdpmc(0), 0);
	if (machine.version >= 4) {
		equal("    CTR_FRZ", rdmsr(GLOBAL_STATUS), 1 | BIT64(59));
		wrmsr(GLOBAL_OVF_CTRL, 1);
		count_nops(1);
		equal("    it holds", rdpmc(0), 0);
		wrmsr(GLOBAL_OVF_CTRL, BIT64(59));
		count_nops(1);
		equal("    until it is cleared", rdpmc(0), INSNS);
	}
	wrmsr(DEBUGCTL, 0);
	if (machine.version >= 4) {
		stop_pmu();
		wrmsr(EVTSEL(0), EV_INSN | OS | EN);
		wrmsr(GLOBAL_STATUS_SET, BIT64(59));
		count_nops(1);
		equal("STATUS_SET freezes", rdpmc(0), 0);
	}
}

/*
 * Late interrupts: never too late, not all equally late, once for each overflow, and for one that
 * was cleared meanwhile, too. What they add up to is the seed's.
 */
static void test_skid(void)
{
	u32 i, late, least = ~0u, most = 0, sum = 0, other = 0;

	for (i = 0; i < 500; i++) {
		start(EV_INSN, 50);
		count_nops(1);
		late = pmi_eip - (u32)nops - 50;
		other += pmi_count != 1 || rdmsr(GLOBAL_STATUS) != 1;
		least = late < least ? late : least;
		most = late > most ? late : most;
		sum += late;
	}
	equal("each overflow has one interrupt", other, 0);
	check("some are soon", least < machine.skid / 10);
	check("others late", most > machine.skid - machine.skid / 10 - 1);
	check("but not too late", most <= machine.skid);
	check("the mean is in between",
	      sum / 500 > machine.skid / 3 && sum / 500 < 2 * machine.skid / 3);
	note("late in all", sum);

	for (i = 0, sum = 0, other = 0; i < 500; i++) {
		start(EV_INSN, 399);
		count_nops(1);
		sum += !pmi_count;
		wrmsr(GLOBAL_OVF_CTRL, 1);
		count_nops(0);
		other += pmi_count != 1;
	}
	check("most come when the counter stands and its status is cleared", sum > 400);
	equal("    and they do come", other, 0);
}

void test_interrupts(void)
{
	if (machine.missing)
		return;
	if (machine.skid) {
		test_skid();
		stop_pmu();
		return;
	}
	test_exact();
	test_rate(EV_LLC_REF, machine.llc_ref);
	test_rate(EV_LLC_MISS, machine.llc_miss);
	test_branch_misses();
	test_lvt();
	test_each_counter();
	test_user();
	test_freeze();
	stop_pmu();
}
