// SPDX-License-Identifier: GPL-2.0
/* pmu-costs=on: how often costly instructions were executed, by class, to the unit. */
#include "arm64.h"
#include "../counted.h"

#define PMUACR	  S3_0_C9_C14_4
#define PMICNTR	  S3_3_C9_C4_0
#define PMICFILTR S3_3_C9_C6_0
#define ICC_SGI1R S3_0_C12_C11_5

/* The instruction alone: write_reg() has an ISB. */
#define put(r, v) ({ __asm__ volatile("msr " STRING(r) ", %0" : : "r"((u64)(v)) : "memory"); })

static void read_costs(u64 cost[NR_COSTS])
{
	cost[RDPMC] = read_reg(S3_3_C15_C0_0);
	cost[COUNTER_READ] = read_reg(S3_3_C15_C0_1);
	cost[COUNTER_WRITE] = read_reg(S3_3_C15_C0_2);
	cost[CONTROL_READ] = read_reg(S3_3_C15_C0_3);
	cost[CONTROL_WRITE] = read_reg(S3_3_C15_C0_4);
	cost[OTHER_READ] = read_reg(S3_3_C15_C0_5);
	cost[OTHER_WRITE] = read_reg(S3_3_C15_C0_6);
	cost[SERIALIZE] = read_reg(S3_3_C15_C0_7);
	cost[BARRIER] = read_reg(S3_3_C15_C1_0);
	cost[LOCKED] = read_reg(S3_3_C15_C1_1);
	cost[TRANSLATION] = read_reg(S3_3_C15_C1_2);
	cost[IPI] = read_reg(S3_3_C15_C1_3);
}

static void test_registers(void)
{
	begin();
	COUNTED("reading the counts is not counted", { 0 });

	begin();
	read_reg(pmccntr_el0);
	read_reg(pmevcntr0_el0);
	read_reg(pmevcntr5_el0);
	read_reg(pmxevcntr_el0);
	put(pmccntr_el0, 0);
	put(pmevcntr1_el0, 0);
	put(pmxevcntr_el0, 0);
	COUNTED("the counters", { [COUNTER_READ] = 4, [COUNTER_WRITE] = 3 });

	begin();
	read_reg(pmcr_el0);
	read_reg(pmcntenset_el0);
	read_reg(pmintenset_el1);
	read_reg(pmovsset_el0);
	read_reg(pmselr_el0);
	read_reg(pmevtyper0_el0);
	read_reg(pmxevtyper_el0);
	read_reg(pmccfiltr_el0);
	read_reg(pmuserenr_el0);
	put(pmcntenclr_el0, ~0UL);
	put(pmintenclr_el1, ~0UL);
	put(pmovsclr_el0, ~0UL);
	put(pmselr_el0, 0);
	put(pmevtyper5_el0, 0);
	put(pmccfiltr_el0, 0);
	put(pmuserenr_el0, 0);
	COUNTED("the PMU's other registers", { [CONTROL_READ] = 9, [CONTROL_WRITE] = 7 });

	begin();
	read_reg(midr_el1);
	read_reg(tpidr_el1);
	read_reg(cntvct_el0);
	read_reg(esr_el1);
	put(tpidr_el0, 0);
	put(contextidr_el1, 0);
	__asm__ volatile("msr daifset, #2" : : : "memory");
	COUNTED("other registers, not the flags of the state",
		{ [OTHER_READ] = 4, [OTHER_WRITE] = 2 });

	begin();
	put(ICC_SGI1R, 0);
	put(ICC_SGI1R, 0);
	COUNTED("interrupts to others", { [IPI] = 2 });
}

static void test_v3p9(void)
{
	begin();
	read_reg(PMICNTR);
	put(PMICNTR, 0);
	put(PMICFILTR, 0);
	put(PMUACR, 0);
	COUNTED("PMUv3p9's registers",
		{ [COUNTER_READ] = 1, [COUNTER_WRITE] = 1, [CONTROL_WRITE] = 2 });
}

static void test_barriers(void)
{
	begin();
	__asm__ volatile("isb; isb; isb" : : : "memory");
	COUNTED("ISB", { [SERIALIZE] = 3 });

	begin();
	__asm__ volatile("dsb sy; dsb ishst; dmb ish; dmb ishld; dmb oshst" : : : "memory");
	COUNTED("DSB and DMB", { [BARRIER] = 5 });

	begin();
	__asm__ volatile("tlbi vmalle1; tlbi vaae1is, xzr; dsb sy" : : : "memory");
	COUNTED("TLBI", { [TRANSLATION] = 2, [BARRIER] = 1 });
}

static void test_locked(void)
{
	static u64 words[2] __attribute__((aligned(16)));
	u32 failed;

	begin();
	__asm__ volatile("ldxr x9, [%1]; stxr %w0, x9, [%1]"
			 : "=&r"(failed)
			 : "r"(words)
			 : "x9", "memory");
	__asm__ volatile("ldaxp x9, x10, [%1]; stlxp %w0, x9, x10, [%1]"
			 : "=&r"(failed)
			 : "r"(words)
			 : "x9", "x10", "memory");
	COUNTED("exclusive stores, not loads", { [LOCKED] = 2 });

	begin();
	__asm__ volatile("clrex; stxr %w0, x9, [%1]" : "=&r"(failed) : "r"(words) : "x9", "memory");
	check("an exclusive store that fails", failed);
	COUNTED("    is counted as well", { [LOCKED] = 1 });

	begin();
	__asm__ volatile("ldar x9, [%0]; stlr x9, [%0]" : : "r"(words) : "x9", "memory");
	COUNTED("an acquire or release alone is not", { 0 });

	/* LSE */
	if (!(read_reg(id_aa64isar0_el1) >> 20 & 0xf))
		return;
	begin();
	__asm__ volatile("ldadd x9, x10, [%0]; stset w9, [%0]; swpal w9, w9, [%0]; "
			 "cas x9, x10, [%0]; casp x10, x11, x12, x13, [%0]"
			 :
			 : "r"(words)
			 : "x9", "x10", "x11", "x12", "x13", "memory");
	COUNTED("LSE", { [LOCKED] = 5 });
}

/* EL0 reads what EL1 does; on the way to it are the writes of ELR and SPSR. */
static void test_el0(void)
{
	u64 got;

	begin();
	got = run_user(get_other_writes, 0);
	equal("EL0 reads them too", got, before[OTHER_WRITE] + 2);
}

void test_costs(void)
{
	if (!COSTS) {
		equal("there are no costs without pmu-costs", run_user(get_other_writes, 0),
		      TRAPPED);
		return;
	}
	equal("there is no FEAT_TIDCP1, which traps them", read_reg(id_aa64mmfr1_el1) >> 52 & 0xf,
	      0);
	begin();
	check("what went before was counted",
	      before[COUNTER_READ] && before[CONTROL_WRITE] && before[SERIALIZE]);
	test_registers();
	if (V3P9)
		test_v3p9();
	test_barriers();
	test_locked();
	test_el0();
}

/* Of all CPUs at the same time, each another number. */
u64 count_costs(u64 cpu)
{
	u64 start, n;

	if (!COSTS)
		return 0;
	start = read_reg(S3_3_C15_C0_1);
	for (n = COSTS_OF(cpu); n; n--) {
		read_reg(pmccntr_el0);
		__asm__ volatile("yield");
	}
	return read_reg(S3_3_C15_C0_1) - start;
}
