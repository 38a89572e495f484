// SPDX-License-Identifier: GPL-2.0
/* pmu-costs=on: how often costly instructions were executed, by class, to the unit. */
#include "x86.h"
#include "../counted.h"

#define APIC_BASE   0x1b
#define X2APIC	    BIT64(10)
#define X2APIC_ICR  0x830
#define SYSENTER_CS 0x174
/* An APIC that is not there. */
#define NOBODY 0xe

static u64 cost(u32 class)
{
	u32 r[4];

	cpuid(COSTS_LEAF + class, 0, r);
	return r[0] | (u64)r[3] << 32;
}

static void read_costs(u64 cost_of[NR_COSTS])
{
	u32 i;

	for (i = 0; i < NR_COSTS; i++)
		cost_of[i] = cost(i);
}

static void test_counters(void)
{
	u32 ctr = machine.amd ? amd_ctr(0) : PMC(0), ctl = machine.amd ? amd_ctl(0) : EVTSEL(0);
	u64 val;

	begin();
	rdpmc(0);
	rdpmc(0);
	rdpmc(0);
	COUNTED("RDPMC", { [RDPMC] = 3 });

	begin();
	rdmsr(ctr);
	rdmsr(ctr);
	wrmsr(ctr, 1);
	wrmsr(ctr, 2);
	wrmsr(ctr, 0);
	COUNTED("RDMSR and WRMSR of a counter", { [COUNTER_READ] = 2, [COUNTER_WRITE] = 3 });

	begin();
	rdmsr(ctl);
	wrmsr(ctl, 0);
	wrmsr(ctl, 0);
	COUNTED("    of its selector", { [CONTROL_READ] = 1, [CONTROL_WRITE] = 2 });

	begin();
	rdmsr(SYSENTER_CS);
	rdmsr(SYSENTER_CS);
	rdmsr(APIC_BASE);
	wrmsr(SYSENTER_CS, 0);
	COUNTED("    of something else", { [OTHER_READ] = 3, [OTHER_WRITE] = 1 });

	begin();
	check("an RDPMC that faults", try_rdpmc(0x40, &val));
	COUNTED("    is not counted, the handler's IRET is", { [SERIALIZE] = 1 });
}

static void test_intel(void)
{
	u32 i;

	begin();
	for (i = PMC(0); i < PMC(machine.gp); i++)
		rdmsr(i);
	for (i = EVTSEL(0); i < EVTSEL(machine.gp); i++)
		wrmsr(i, 0);
	check("each counter and selector",
	      cost(COUNTER_READ) - before[COUNTER_READ] == machine.gp &&
		      cost(CONTROL_WRITE) - before[CONTROL_WRITE] == machine.gp);

	begin();
	rdmsr(FIXED_CTR_CTRL);
	rdmsr(GLOBAL_STATUS);
	rdmsr(GLOBAL_CTRL);
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(GLOBAL_OVF_CTRL, 0);
	COUNTED("Intel's global registers", { [CONTROL_READ] = 3, [CONTROL_WRITE] = 2 });

	if (machine.fixed & 1) {
		begin();
		rdmsr(FIXED_CTR(0));
		wrmsr(FIXED_CTR(0), 0);
		COUNTED("a fixed counter", { [COUNTER_READ] = 1, [COUNTER_WRITE] = 1 });
	}
	if (machine.full_width) {
		begin();
		wrmsr(A_PMC(0), 0);
		wrmsr(A_PMC(machine.gp - 1), 0);
		rdmsr(PERF_CAPABILITIES);
		COUNTED("a full-width write", { [COUNTER_WRITE] = 2, [CONTROL_READ] = 1 });
	}
}

static void test_amd(void)
{
	if (machine.gp == 6) {
		begin();
		rdmsr(AMD_CTR(5));
		rdmsr(AMD_CTL(5));
		wrmsr(AMD_CTR(5), 0);
		wrmsr(AMD_OLD_CTR(3), 0);
		wrmsr(AMD_OLD_CTL(3), 0);
		check("AMD's counters by both names",
		      cost(COUNTER_READ) - before[COUNTER_READ] == 1 &&
			      cost(CONTROL_READ) - before[CONTROL_READ] == 1 &&
			      cost(COUNTER_WRITE) - before[COUNTER_WRITE] == 2 &&
			      cost(CONTROL_WRITE) - before[CONTROL_WRITE] == 1);
	}
	if (machine.amd >= 2) {
		begin();
		rdmsr(AMD_GLOBAL_STATUS);
		wrmsr(AMD_GLOBAL_CTL, 0);
		wrmsr(AMD_GLOBAL_CLR, 0);
		COUNTED("AMD's global registers", { [CONTROL_READ] = 1, [CONTROL_WRITE] = 2 });
	}
}

static void test_instructions(void)
{
	static u32 word;
	static u64 pair;
	u32 r[4], val = 1;

	begin();
	COUNTED("reading the counts is not counted", { 0 });

	begin();
	cpuid(0, 0, r);
	cpuid(1, 0, r);
	__asm__ volatile("movl %%cr0, %0; movl %0, %%cr0" : "+r"(val) : : "memory");
	__asm__ volatile("pushfl; pushl %%cs; pushl $1f; iret; 1:" : : : "memory", "cc");
	COUNTED("CPUID, MOV to CR0 and IRET", { [SERIALIZE] = 4 });

	begin();
	__asm__ volatile("lfence; mfence; lfence; sfence" : : : "memory");
	COUNTED("LFENCE and MFENCE, not SFENCE", { [BARRIER] = 3 });

	begin();
	__asm__ volatile("lock incl %0; lock xaddl %1, %0; lock btsl $5, %0; lock notl %0"
			 : "+m"(word), "+r"(val)
			 :
			 : "memory", "cc");
	__asm__ volatile("lock cmpxchgl %1, %0" : "+m"(word), "+r"(val) : : "eax", "memory", "cc");
	__asm__ volatile("lock cmpxchg8b %0"
			 : "+m"(pair)
			 :
			 : "eax", "ebx", "ecx", "edx", "memory", "cc");
	__asm__ volatile("xchgl %1, %0" : "+m"(word), "+r"(val) : : "memory");
	COUNTED("LOCK, and XCHG with memory", { [LOCKED] = 7 });

	begin();
	__asm__ volatile("incl %0; xaddl %1, %0; btsl $5, %0; xchgl %1, %%eax"
			 : "+m"(word), "+r"(val)
			 :
			 : "eax", "memory", "cc");
	COUNTED("    the same without them are not counted", { 0 });

	begin();
	__asm__ volatile("movl %%cr3, %0; movl %0, %%cr3; movl %%cr4, %0; movl %0, %%cr4; invlpg %1"
			 : "+r"(val)
			 : "m"(word)
			 : "memory");
	COUNTED("MOV to CR3 and CR4, and INVLPG", { [TRANSLATION] = 3 });

	begin();
	apic_write(0x310, NOBODY << 24);
	apic_write(0x300, 0x40);
	apic_write(0x300, 0x40);
	COUNTED("the APIC's ICR, not its upper half", { [IPI] = 2 });
	apic_write(0x310, 0);
}

/* Ring 3 reads what ring 0 does. */
static void test_user(void)
{
	begin();
	user_index = COSTS_LEAF + SERIALIZE;
	run_user(user_cpuid);
	equal("ring 3 reads them too", user_result[0], (u32)before[SERIALIZE] + 1);
	equal("    with the signature", user_result[1], COSTS_SIGNATURE);
	COUNTED("    the IRET to it is one", { [SERIALIZE] = 1 });
}

/* There is no way back without a reset: the last of all tests. */
static void test_x2apic(void)
{
	u32 r[4];

	cpuid(1, 0, r);
	if (!(r[2] & BIT64(21)) || machine.atom_from != 255)
		return;
	begin();
	wrmsr(APIC_BASE, rdmsr(APIC_BASE) | X2APIC);
	wrmsr(X2APIC_ICR, (u64)NOBODY << 32 | 0x40);
	rdmsr(X2APIC_ICR);
	COUNTED("the x2APIC's ICR", { [OTHER_READ] = 2, [OTHER_WRITE] = 1, [IPI] = 1 });
}

void test_costs_alone(void)
{
	/* Of a CPU that has executed only the BIOS, while another one used its PMU a lot. */
	if (machine.costs)
		equal("the other CPU's costs are not this one's",
		      cost(RDPMC) + cost(COUNTER_READ) + cost(COUNTER_WRITE) + cost(CONTROL_WRITE),
		      0);
}

void test_costs(void)
{
	u32 r[4];

	cpuid(COSTS_LEAF, 0, r);
	if (!machine.costs) {
		check("there are no costs without pmu-costs", r[1] != COSTS_SIGNATURE);
		return;
	}
	equal("CPUID: the signature of the costs", r[1], COSTS_SIGNATURE);
	equal("    and how many classes", r[2], NR_COSTS);
	cpuid(COSTS_LEAF + NR_COSTS, 0, r);
	check("    beyond them is nothing", r[1] != COSTS_SIGNATURE);
	check("what went before was counted",
	      cost(RDPMC) && cost(COUNTER_WRITE) && cost(CONTROL_WRITE));
	if (machine.amd) {
		amd_stop();
		test_amd();
	} else {
		stop_pmu();
		test_intel();
	}
	test_counters();
	test_instructions();
	test_user();
	test_x2apic();
}
