// SPDX-License-Identifier: GPL-2.0
/* On one CPU: registers, counts to the unit, thresholds, exception levels, overflow. */
#include "arm64.h"

#define N   1000
#define ALL (CYCLE_COUNTER | 0x3f)

static void test_registers(void)
{
	u64 mask = THWIDTH ? 7UL << 61 | (BIT64(THWIDTH) - 1) << 32 : 0;

	equal("PMCEID: INST_RETIRED and CPU_CYCLES",
	      read_reg(pmceid0_el0) & (BIT64(EV_INSN) | BIT64(EV_CYCLES)),
	      BIT64(EV_INSN) | BIT64(EV_CYCLES));
	if (LONG)
		equal("PMMIR: THWIDTH", read_reg(S3_0_C9_C14_6) >> 20 & 0xf, THWIDTH);
	stop_pmu(0);
	set_event(0, ~0UL << 32 | EV_INSN);
	equal("PMEVTYPER: the threshold's fields", read_reg(pmxevtyper_el0) >> 32, mask >> 32);
	set_event(0, EV_INSN);
	equal("all six event counters are 0",
	      counter(0) | counter(1) | counter(2) | counter(3) | counter(4) | counter(5), 0);
}

static void test_counts(void)
{
	stop_pmu(PMCR_LC);
	set_event(0, EV_INSN);
	set_event(1, EV_CYCLES);
	set_event(2, 0x23);
	set_event(3, 0x00);
	set_event(4, EV_INSN);
	set_event(5, 0x3ff);
	count_loop(ALL & ~0x10UL, N);
	equal("instructions", counter(0), LOOP_INSNS(N));
	equal("cycles", counter(1), CPI * LOOP_INSNS(N));
	equal("the cycle counter", read_reg(pmccntr_el0), CPI * LOOP_INSNS(N));
	equal("stalls", counter(2), 0);
	equal("software increments", counter(3), 0);
	equal("not enabled", counter(4), 0);
	equal("an event that is not known", counter(5), 0);
	count_loop(ALL, N);
	equal("they go on", counter(0), 2 * LOOP_INSNS(N));
	equal("cycles too", read_reg(pmccntr_el0), 2 * CPI * LOOP_INSNS(N));
	equal("and one begins", counter(4), LOOP_INSNS(N));
	write_reg(pmcr_el0, 0UL);
	count_loop(ALL, N);
	equal("PMCR.E stops all", counter(0) + read_reg(pmccntr_el0),
	      2 * (1 + CPI) * LOOP_INSNS(N));
}

static void test_levels(void)
{
	stop_pmu(PMCR_LC);
	set_event(0, EV_INSN | FILTER_P);
	set_event(1, EV_CYCLES | FILTER_P);
	set_event(2, EV_INSN);
	set_event(3, EV_INSN | FILTER_U);
	write_reg(pmccfiltr_el0, FILTER_P);
	write_reg(pmcntenset_el0, ALL);
	run_user(user_loop, N);
	write_reg(pmcntenclr_el0, ALL);
	equal("EL0 alone", counter(0), LOOP_INSNS(N));
	equal("its cycles", counter(1), CPI * LOOP_INSNS(N));
	equal("its cycles on the cycle counter", read_reg(pmccntr_el0), CPI * LOOP_INSNS(N));
	equal("both levels are the sum", counter(2), counter(0) + counter(3));
	check("EL1 alone", counter(3) > 5 && counter(3) < 100);
}

/*
 * An instruction takes CPI cycles, in one of which it retires. The pairs are what TC says of the
 * value and of the cycle count, for NE, EQ, GE and LT.
 */
static void test_thresholds(void)
{
	enum {
		t = LOOP_INSNS(N),
		c = CPI * LOOP_INSNS(N)
	};
	static const struct {
		u64 event, th, want[8];
	} tests[] = {
		{ EV_INSN, 1, { 0, c - t, t, t, t, t, 0, c - t } },
		{ EV_INSN, 2, { t, c, 0, 0, 0, 0, t, c } },
		{ EV_INSN, 0, { t, t, 0, c - t, t, c, 0, 0 } },
		{ EV_CYCLES, 1, { 0, 0, c, c, c, c, 0, 0 } },
		{ EV_CYCLES, 2, { c, c, 0, 0, 0, 0, c, c } },
		{ EV_CYCLES, 0, { c, c, 0, 0, c, c, 0, 0 } },
	};
	u64 i, tc;

	if (!THWIDTH)
		return;
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		for (tc = 0; tc < 8; tc++) {
			stop_pmu(0);
			set_event(0, tests[i].event | tests[i].th << 32 | tc << 61);
			count_loop(1, N);
			equal("a threshold", counter(0), tests[i].want[tc]);
		}
	}
}

/* A counter that wraps, from before its end, and the NOP behind which the interrupt must come. */
static void overflow(const char *what, u64 pmcr, u64 typer, u64 start, u64 nth)
{
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);

	stop_pmu(pmcr);
	set_event(0, typer);
	set_counter(0, start);
	write_reg(pmintenset_el1, 1UL);
	count_nops(1);
	equal(what, me->pmi_pc, (u64)nops + 4 * nth);
	equal("    once", me->pmi_count, 1);
	equal("    status", me->pmi_status, 1);
}

static void cycle_overflow(const char *what, u64 pmcr, u64 start, u64 nth)
{
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);

	stop_pmu(pmcr);
	write_reg(pmccntr_el0, start);
	write_reg(pmintenset_el1, CYCLE_COUNTER);
	count_nops(CYCLE_COUNTER);
	equal(what, me->pmi_pc, (u64)nops + 4 * nth);
	equal("    once", me->pmi_count, 1);
	equal("    status", me->pmi_status, CYCLE_COUNTER);
}

static void test_overflow(void)
{
	static const u64 after[] = { 1, 2, 10, 100, 399 };
	u64 i, n, wrap = BIT64(32);

	for (i = 0; i < ARRAY_SIZE(after); i++) {
		n = after[i];
		overflow("32 bits: instructions", 0, EV_INSN, wrap - n, n);
		overflow("32 bits: cycles", 0, EV_CYCLES, wrap - CPI * n, n);
		cycle_overflow("32 bits: the cycle counter", 0, wrap - CPI * n, n);
		cycle_overflow("64 bits: the cycle counter", PMCR_LC, 0 - CPI * n, n);
		if (LONG) {
			overflow("64 bits: instructions", PMCR_LP, EV_INSN, 0 - n, n);
			overflow("64 bits: cycles", PMCR_LP, EV_CYCLES, 0 - CPI * n, n);
		}
		if (THWIDTH) {
			overflow("a threshold: GE 1", 0, EV_INSN | 1UL << 32 | 4UL << 61, wrap - n,
				 n);
			overflow("a threshold: LT 2, cycles", 0, EV_INSN | 2UL << 32 | 7UL << 61,
				 wrap - CPI * n, n);
		}
	}
	if (SHIFT)
		cycle_overflow("in the middle of an instruction: behind it", PMCR_LC,
			       0 - (CPI * 10 - 1), 10);
	stop_pmu(0);
	set_event(0, EV_INSN);
	set_counter(0, wrap - 10);
	count_nops(1);
	equal("without its interrupt enabled: the status", read_reg(pmovsclr_el0), 1);
	if (LONG) {
		equal("    and all 64 bits of the counter", counter(0), wrap + 400 + 2 - 10);
		stop_pmu(PMCR_LP);
		set_counter(0, wrap - 10);
		count_nops(1);
		equal("64 bits: no overflow at 32", read_reg(pmovsclr_el0), 0);
		equal("    and it goes on", counter(0), wrap + 400 + 2 - 10);
	} else {
		equal("    and 32 bits of the counter", counter(0), 400 + 2 - 10);
	}
	stop_pmu(0);
}

/*
 * Late interrupts: never too late, not all equally late, once for each overflow; none for one that
 * was cleared meanwhile, and at once if the CPU sleeps. What they add up to is the seed's.
 */
void test_skid(void)
{
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);
	const u64 skid = SKID;
	u64 i, late, least = ~0UL, most = 0, sum = 0, other = 0;

	for (i = 0; i < 500; i++) {
		stop_pmu(0);
		set_event(0, EV_INSN);
		set_counter(0, BIT64(32) - 50);
		write_reg(pmintenset_el1, 1UL);
		count_nops(1);
		late = (me->pmi_pc - (u64)nops) / 4 - 50;
		other += me->pmi_count != 1 || me->pmi_status != 1;
		least = late < least ? late : least;
		most = late > most ? late : most;
		sum += late;
	}
	equal("each overflow has one interrupt", other, 0);
	check("some are soon", least < skid / 10);
	check("others late", most > skid - skid / 10 - 1);
	check("but not too late", most <= skid);
	check("the mean is in between", sum / 500 > skid / 3 && sum / 500 < 2 * skid / 3);
	note("late in all", sum);

	for (i = 0, sum = 0, other = 0; i < 500; i++) {
		stop_pmu(0);
		set_event(0, EV_INSN);
		set_counter(0, BIT64(32) - 399);
		write_reg(pmintenset_el1, 1UL);
		count_nops(1);
		sum += !me->pmi_count;
		late = me->pmi_count;
		write_reg(pmovsclr_el0, 1UL);
		count_nops(0);
		other += me->pmi_count != late;
	}
	check("most are still on their way when the counter stands", sum > 400);
	equal("    and do not come once the status is cleared", other, 0);

	for (i = 0, other = 0; i < 100; i++) {
		stop_pmu(0);
		set_event(0, EV_INSN);
		set_counter(0, BIT64(32) - 1);
		write_reg(pmintenset_el1, 1UL);
		write_reg(pmcntenset_el0, 1UL);
		cycles_of_wfi();
		other += read_reg(pmovsclr_el0) != 1;
	}
	equal("a CPU that sleeps is woken", other, 0);
	stop_pmu(0);
}

void test_one(void)
{
	test_registers();
	test_counts();
	test_levels();
	test_thresholds();
	test_overflow();
}
