// SPDX-License-Identifier: GPL-2.0
/* AMD's PMU: the interrupt right behind the instruction that overflows a counter; the status. */
#include "x86.h"

/* In count_nops and count_jumps: the 400, CLI and the write that ends it; the handler. */
#define INSNS	(400 + 5)
#define HANDLER 7

/* The value that starts a counter which overflows at the event so many from now. */
static u64 start(u32 i, u64 event, u32 before)
{
	u64 go;

	amd_stop();
	go = amd_arm(i, event | OS | INT);
	wrmsr(amd_ctr(i), 0ULL - before);
	return go;
}

/* PerfMonV2 tells which counters have overflowed. */
static void status_is(u64 want)
{
	if (machine.amd >= 2)
		equal("    status", rdmsr(AMD_GLOBAL_STATUS), want);
}

static void test_exact(u32 i)
{
	static const u32 before[] = { 1, 2, 3, 10, 100, 399 };
	u32 k;

	for (k = 0; k < ARRAY_SIZE(before); k++) {
		count_nops(start(i, AMD_INSN, before[k]));
		equal("one interrupt", pmi_count, 1);
		equal("    behind the instruction", pmi_eip, (u32)nops + before[k]);
		equal("    the counter goes on", rdpmc(i), INSNS + HANDLER - before[k]);
		status_is(BIT64(i));
	}
	count_jumps(start(i, AMD_BRANCH, 10));
	equal("one interrupt of branches", pmi_count, 1);
	equal("    behind the branch", pmi_eip, (u32)jumps + 2 * 10);
	count_nops(start(i, AMD_CYCLES, machine.core * 10));
	equal("behind the cycle", pmi_eip, (u32)nops + 10);
	count_nops(start(i, AMD_OPS, 4 * 10 - 3));
	equal("in the middle of an instruction: behind it", pmi_eip, (u32)nops + 10);
}

/* An event of every Nth instruction: the first comes within N instructions, the others N apart. */
static void test_rate(u64 event, u32 every)
{
	u32 first;

	if (!every || every > 100)
		return;
	count_nops(start(0, event, 1));
	first = pmi_eip - (u32)nops;
	equal("one interrupt of every Nth", pmi_count, 1);
	check("    within N instructions", first >= 1 && first <= every);
	equal("    and those after it", rdpmc(0), (INSNS + HANDLER - first) / every);
}

static void test_lvt(void)
{
	count_nops(start(0, AMD_INSN, 10));
	wrmsr(amd_ctr(0), 0ULL - 20);
	if (machine.amd >= 2)
		wrmsr(AMD_GLOBAL_CLR, 1);
	count_nops(amd_arm(0, AMD_INSN | OS | INT));
	equal("the interrupt does not mask its LVT entry", pmi_count, 2);
	equal("    the second one is exact too", pmi_eip, (u32)nops + 20);
	status_is(1);

	amd_stop();
	wrmsr(amd_ctr(0), 0ULL - 10);
	count_nops(amd_arm(0, AMD_INSN | OS));
	equal("without INT none", pmi_count, 0);
	status_is(1);
}

static void test_user(void)
{
	amd_stop();
	wrmsr(amd_ctr(0), 0ULL - 37);
	wrmsr(amd_ctl(0), AMD_INSN | USR | EN | INT);
	if (machine.amd >= 2)
		wrmsr(AMD_GLOBAL_CTL, 1);
	run_user(user_nops);
	equal("one interrupt in ring 3", pmi_count, 1);
	equal("    behind the instruction", pmi_eip, (u32)user_nops + 37);
	equal("    the handler does not count", rdpmc(0), 101 - 37);
}

/* Late interrupts: never too late, not all equally late, one for each overflow. */
static void test_skid(void)
{
	u32 i, late, least = ~0u, most = 0, other = 0;

	for (i = 0; i < 500; i++) {
		count_nops(start(0, AMD_INSN, 50));
		late = pmi_eip - (u32)nops - 50;
		other += pmi_count != 1;
		least = late < least ? late : least;
		most = late > most ? late : most;
	}
	equal("each overflow has one interrupt", other, 0);
	check("some are soon", least < machine.skid / 10);
	check("others late", most > machine.skid - machine.skid / 10 - 1);
	check("but not too late", most <= machine.skid);
}

void amd_test_interrupts(void)
{
	u32 i;

	if (machine.skid) {
		test_skid();
		amd_stop();
		return;
	}
	for (i = 0; i < machine.gp; i++)
		test_exact(i);
	test_rate(amd_llc_ref(), machine.llc_ref);
	test_rate(amd_llc_miss(), machine.llc_miss);
	test_lvt();
	test_user();
	amd_stop();
}
