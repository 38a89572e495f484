// SPDX-License-Identifier: GPL-2.0
/* What the tests of AMD's PMU share: its registers' names, and how counting starts and stops. */
#include "x86.h"

void amd_set_up(void)
{
	u32 r[4];

	cpuid(1, 0, r);
	machine.family = (r[0] >> 8 & 0xf) + (r[0] >> 20 & 0xff);
}

/* With six counters, by their own names; else by those that the first AMD64 CPUs gave them. */
u32 amd_ctl(u32 i)
{
	return machine.gp == 6 ? AMD_CTL(i) : AMD_OLD_CTL(i);
}

u32 amd_ctr(u32 i)
{
	return machine.gp == 6 ? AMD_CTR(i) : AMD_OLD_CTR(i);
}

/* All counters and their controls are 0, and the interrupt is armed. */
void amd_stop(void)
{
	u32 i;

	for (i = 0; i < machine.gp; i++) {
		wrmsr(amd_ctl(i), 0);
		wrmsr(amd_ctr(i), 0);
	}
	if (machine.amd >= 2) {
		wrmsr(AMD_GLOBAL_CTL, 0);
		wrmsr(AMD_GLOBAL_CLR, ~0ULL);
	}
	arm_interrupt();
}

/*
 * A counter waits: the value returned starts it when it is written to control_msr, and 0 stops it.
 * Without global registers that is its own control.
 */
u64 amd_arm(u32 i, u64 sel)
{
	if (machine.amd < 2) {
		control_msr = amd_ctl(i);
		return sel | EN;
	}
	control_msr = AMD_GLOBAL_CTL;
	wrmsr(amd_ctl(i), sel | EN);
	return BIT64(i);
}

/* What a counter counts of the loop in ring 0. */
u64 amd_count(u32 i, u64 sel, u32 n)
{
	amd_stop();
	count_loop(amd_arm(i, sel | OS), n);
	return rdmsr(amd_ctr(i));
}

u64 amd_llc_ref(void)
{
	return machine.family >= 0x17 ? 0xff60 : 0x077d;
}

u64 amd_llc_miss(void)
{
	return machine.family >= 0x17 ? 0x0964 : 0x077e;
}
