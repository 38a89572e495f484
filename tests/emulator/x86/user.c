// SPDX-License-Identifier: GPL-2.0
/* RDPMC in ring 3: CR4.PCE allows it, and RDPMC user disable hides the value of one counter. */
#include "x86.h"

void allow_rdpmc(int yes)
{
	u32 cr4;

	__asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
	cr4 = yes ? cr4 | 0x100 : cr4 & ~0x100u;
	__asm__ volatile("movl %0, %%cr4" : : "r"(cr4));
}

static void test_pce(void)
{
	stop_pmu();
	wrmsr(EVTSEL(0), EV_INSN | USR | EN);
	wrmsr(GLOBAL_CTRL, 1);
	user_index = 0;
	gp_seen = 0;
	run_user(user_rdpmc);
	check("RDPMC in ring 3 without CR4.PCE", gp_seen);
	allow_rdpmc(1);
	gp_seen = 0;
	run_user(user_rdpmc);
	check("RDPMC in ring 3 with CR4.PCE", !gp_seen);
	equal("    counts", user_result[0], machine.missing & 2 ? 0 : 10);
	user_index = machine.gp;
	run_user(user_rdpmc);
	check("    a counter that is not there", gp_seen);
	stop_pmu();
}

/* What ring 3 reads, without #GP. */
static u64 user_reads(u32 index)
{
	user_index = index;
	gp_seen = 0;
	run_user(user_read);
	check("RDPMC in ring 3 does not fault", !gp_seen);
	return user_result[0] | (u64)user_result[1] << 32;
}

static void hide(u32 index, int yes)
{
	if (index >> 30)
		wrmsr(FIXED_CTR_CTRL, yes ? FIXED_HIDE(index & 0xff) : 0);
	else
		wrmsr(EVTSEL(index), yes ? HIDE : 0);
}

/* A counter that stands: ring 3 reads its value, or 0 if it is hidden; ring 0 always the value. */
static void test_hidden(u32 index, u32 msr)
{
	u64 val = 0xffff80012345ULL + index % 8;

	stop_pmu();
	wrmsr(msr, val);
	equal("ring 3 reads the value", user_reads(index), val);
	if (!machine.hide)
		return;
	hide(index, 1);
	equal("user disable: ring 3 reads 0", user_reads(index), 0);
	equal("    ring 0 the value", rdpmc(index), val);
	equal("    by RDMSR too", rdmsr(msr), val);
	allow_rdpmc(0);
	gp_seen = 0;
	run_user(user_read);
	check("    without CR4.PCE it is a fault as ever", gp_seen);
	allow_rdpmc(1);
	hide(index, 0);
	equal("    enabled again, ring 3 reads the value", user_reads(index), val);
}

static void test_each(void)
{
	u32 i;

	for (i = 0; i < machine.gp; i++)
		test_hidden(i, PMC(i));
	for (i = 0; i < 4; i++) {
		if (machine.fixed & (1 << i))
			test_hidden(i | 1 << 30, FIXED_CTR(i));
	}
}

/* It concerns one counter only, and that one counts on. */
static void test_counting(void)
{
	u32 fixed = machine.fixed & 1;

	if (!machine.hide || machine.gp < 2 || machine.missing)
		return;
	stop_pmu();
	wrmsr(EVTSEL(0), EV_INSN | USR | EN | HIDE);
	wrmsr(EVTSEL(1), EV_INSN | USR | EN);
	wrmsr(FIXED_CTR_CTRL, fixed ? 2 | FIXED_HIDE(0) : 0);
	wrmsr(GLOBAL_CTRL, 3 | (u64)fixed << 32);
	user_index = 0;
	run_user(user_rdpmc);
	equal("a hidden counter does not move for ring 3", user_result[0], 0);
	user_index = 1;
	run_user(user_rdpmc);
	equal("    its neighbour does", user_result[0], 10);
	wrmsr(GLOBAL_CTRL, 0);
	check("    what it counted is there", rdpmc(0) > 20);
	equal("    and is the same", rdpmc(0), rdpmc(1));
	if (fixed)
		equal("    also on a fixed counter", rdpmc(1 << 30), rdpmc(1));
	stop_pmu();
}

void test_user_reads(void)
{
	test_pce();
	test_each();
	test_counting();
	allow_rdpmc(0);
	stop_pmu();
}
