// SPDX-License-Identifier: GPL-2.0
/* PMUv3p9: the instruction counter, and what EL0 may do to which counter. */
#include "arm64.h"

#define N    200
#define F0   BIT64(32)
#define C    CYCLE_COUNTER
#define EN   BIT64(0)
#define SW   BIT64(1)
#define CR   BIT64(2)
#define ER   BIT64(3)
#define UEN  BIT64(4)
#define IR   BIT64(5)
#define TID  BIT64(6)
#define EACH (F0 | C | (BIT64(COUNTERS) - 1))

#define PMUACR	  S3_0_C9_C14_4
#define PMICNTR	  S3_3_C9_C4_0
#define PMICFILTR S3_3_C9_C6_0
#define PMZR	  S3_3_C9_C13_4

/* The class of a trapped access to a system register. */
#define TRAP (TRAPPED | 0x18)

#define BOTH(name) u64 get_##name(u64 unused), put_##name(u64 val)

BOTH(evcntr0);
BOTH(evcntr1);
BOTH(evtyper0);
BOTH(evtyper1);
BOTH(xevcntr);
BOTH(xevtyper);
BOTH(selr);
BOTH(ccntr);
BOTH(ccfiltr);
BOTH(icntr);
BOTH(icfiltr);
BOTH(cntenset);
BOTH(cntenclr);
BOTH(ovsset);
BOTH(ovsclr);
BOTH(cr);
u64 get_ceid0(u64 unused), put_swinc(u64 val), put_zr(u64 val);

/* The values of all counters, which stand, and the types of the two with registers here. */
enum {
	CNT0 = 0x1110,
	CNT1 = 0x2220,
	CCNT = 0x3330,
	ICNT = 0x4440,
	TYPE1 = 0x11,
};

static void setup(u64 userenr, u64 acr)
{
	stop_pmu(PMCR_LC);
	set_event(0, EV_INSN);
	set_event(1, TYPE1);
	set_counter(0, CNT0);
	set_counter(1, CNT1);
	write_reg(pmccfiltr_el0, FILTER_P);
	write_reg(PMICFILTR, FILTER_U);
	write_reg(pmccntr_el0, (u64)CCNT);
	write_reg(PMICNTR, (u64)ICNT);
	write_reg(pmuserenr_el0, userenr);
	write_reg(PMUACR, acr);
	write_reg(pmovsset_el0, EACH);
	write_reg(pmselr_el0, 0UL);
}

static u64 get(u64 (*fn)(u64))
{
	return run_user(fn, 0);
}

static void test_registers(void)
{
	equal("ID_AA64DFR0: PMUv3p9", read_reg(id_aa64dfr0_el1) >> 8 & 0xf, 9);
	equal("ID_AA64DFR1: PMICNTR", read_reg(S3_0_C0_C5_1) >> 36 & 0xf, 1);
	write_reg(PMUACR, ~0UL);
	equal("PMUACR has a bit for each counter", read_reg(PMUACR), EACH);
	write_reg(pmuserenr_el0, ~0UL);
	equal("PMUSERENR: UEN, IR and TID are there", read_reg(pmuserenr_el0), 0x7f);
	write_reg(PMICFILTR, FILTER_P | FILTER_U | 0x11);
	equal("PMICFILTR: the event is fixed", read_reg(PMICFILTR), FILTER_P | FILTER_U | EV_INSN);
	setup(0, 0);
	write_reg(pmcntenset_el0, ~0UL);
	equal("PMCNTEN has a bit for it", read_reg(pmcntenclr_el0), EACH);
	write_reg(pmcntenclr_el0, ~0UL);
	write_reg(pmintenset_el1, F0);
	equal("and PMINTEN", read_reg(pmintenclr_el1), F0);
	write_reg(pmintenclr_el1, F0);
	equal("and PMOVS", read_reg(pmovsclr_el0), EACH);
	write_reg(pmovsclr_el0, F0);
	equal("    which can be cleared", read_reg(pmovsset_el0), EACH & ~F0);
}

static void test_count(void)
{
	setup(0, 0);
	write_reg(PMICFILTR, 0UL);
	count_loop(F0 | 1, N);
	equal("the instruction counter counts", read_reg(PMICNTR), ICNT + LOOP_INSNS(N));
	equal("    as does an event counter", counter(0), CNT0 + LOOP_INSNS(N));
	count_loop(1, N);
	equal("    not when it is not enabled", read_reg(PMICNTR), ICNT + LOOP_INSNS(N));
	write_reg(pmcr_el0, 0UL);
	count_loop(F0, N);
	equal("    nor is the PMU", read_reg(PMICNTR), ICNT + LOOP_INSNS(N));
	stop_pmu(0);
	equal("PMCR.P and .C do not touch it", read_reg(PMICNTR), ICNT + LOOP_INSNS(N));
	setup(0, 0);
	write_reg(PMZR, F0 | 2);
	equal("PMZR does", read_reg(PMICNTR), 0);
	equal("    and another counter, too", counter(1), 0);
	equal("    which is not this one", counter(0), CNT0);
	equal("    nor the cycle counter", read_reg(pmccntr_el0), CCNT);
	write_reg(PMICFILTR, FILTER_P);
	write_reg(PMICNTR, 0UL);
	write_reg(pmcntenset_el0, F0);
	run_user(user_loop, N);
	write_reg(pmcntenclr_el0, F0);
	equal("EL0 alone", read_reg(PMICNTR), LOOP_INSNS(N));
	write_reg(PMICFILTR, FILTER_U);
	write_reg(pmcntenset_el0, F0);
	run_user(user_loop, N);
	write_reg(pmcntenclr_el0, F0);
	check("EL1 alone", read_reg(PMICNTR) - LOOP_INSNS(N) < 100);
}

static void test_icntr_overflow(void)
{
	static const u64 after[] = { 1, 2, 57, 399 };
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);
	u64 i;

	for (i = 0; i < ARRAY_SIZE(after); i++) {
		stop_pmu(0);
		write_reg(PMICFILTR, 0UL);
		write_reg(PMICNTR, 0 - after[i]);
		write_reg(pmintenset_el1, F0);
		count_nops(F0);
		equal("the instruction counter's end", me->pmi_pc, (u64)nops + 4 * after[i]);
		equal("    once", me->pmi_count, 1);
		equal("    status", me->pmi_status, F0);
	}
	stop_pmu(0);
	write_reg(PMICNTR, BIT64(32) - 10);
	write_reg(pmintenset_el1, F0);
	count_nops(F0);
	equal("it has no end at 32 bits", me->pmi_count, 0);
	equal("    but goes on", read_reg(PMICNTR), BIT64(32) - 10 + 402);
}

/* Each register from EL0, by what PMUSERENR and PMUACR say. */
static void test_user_reads(void)
{
	static const struct {
		const char *what;
		u64 (*get)(u64 unused);
		u64 bit, value, en, er;
	} regs[] = {
		{ "PMEVCNTR0", get_evcntr0, 1, CNT0, CNT0, CNT0 },
		{ "PMEVCNTR1", get_evcntr1, 2, CNT1, CNT1, CNT1 },
		{ "PMXEVCNTR", get_xevcntr, 1, CNT0, CNT0, CNT0 },
		{ "PMEVTYPER0", get_evtyper0, 1, EV_INSN, EV_INSN, TRAP },
		{ "PMEVTYPER1", get_evtyper1, 2, TYPE1, TYPE1, TRAP },
		{ "PMXEVTYPER", get_xevtyper, 1, EV_INSN, EV_INSN, TRAP },
		{ "PMCCNTR", get_ccntr, C, CCNT, CCNT, TRAP },
		{ "PMCCFILTR", get_ccfiltr, C, FILTER_P, FILTER_P, TRAP },
		{ "PMICNTR", get_icntr, F0, ICNT, TRAP, TRAP },
		{ "PMICFILTR", get_icfiltr, F0, FILTER_U | EV_INSN, TRAP, TRAP },
	};
	u64 i, bit;
	int bad;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		setup(0, EACH);
		equal(regs[i].what, get(regs[i].get), TRAP);
		setup(EN, 0);
		equal("    with EN", get(regs[i].get), regs[i].en);
		setup(ER, 0);
		equal("    with ER", get(regs[i].get), regs[i].er);
		setup(UEN | EN, 0);
		equal("    with UEN, but no permission: 0", get(regs[i].get), 0);
		setup(UEN, regs[i].bit);
		equal("    with UEN and permission", get(regs[i].get), regs[i].value);
		setup(UEN, EACH & ~regs[i].bit);
		equal("    with permission for all others: 0", get(regs[i].get), 0);
		for (bit = 1, bad = 0; bit <= F0; bit <<= 1) {
			setup(UEN | EN | ER | CR, bit);
			bad += get(regs[i].get) != (bit == regs[i].bit ? regs[i].value : 0);
		}
		equal("    each permission alone", bad, 0);
	}
}

static void test_user_controls(void)
{
	static u64 (*const gets[])(u64) = { get_cntenset, get_cntenclr, get_ovsset, get_ovsclr };
	u64 i, acr = F0 | 2;

	for (i = 0; i < ARRAY_SIZE(gets); i++) {
		setup(0, EACH);
		write_reg(pmcr_el0, 0UL);
		write_reg(pmcntenset_el0, EACH);
		equal("PMCNTEN, PMOVS", get(gets[i]), TRAP);
		write_reg(pmuserenr_el0, EN);
		equal("    with EN: all but the instruction counter", get(gets[i]), EACH & ~F0);
		write_reg(pmuserenr_el0, UEN);
		write_reg(PMUACR, acr);
		equal("    with UEN: what is permitted", get(gets[i]), acr);
		write_reg(PMUACR, 0UL);
		equal("    nothing", get(gets[i]), 0);
	}
	setup(UEN, acr);
	run_user(put_cntenset, ~0UL);
	equal("EL0 enables what it is permitted", read_reg(pmcntenset_el0), acr);
	write_reg(pmcntenset_el0, EACH);
	run_user(put_cntenclr, ~0UL);
	equal("    and disables", read_reg(pmcntenset_el0), EACH & ~acr);
	run_user(put_ovsclr, ~0UL);
	equal("    and clears", read_reg(pmovsset_el0), EACH & ~acr);
	setup(UEN | ER | IR | CR, EACH);
	write_reg(pmcr_el0, 0UL);
	run_user(put_cntenset, ~0UL);
	equal("    nothing where it may only read", read_reg(pmcntenset_el0), 0);
	setup(UEN | EN, EACH);
	equal("PMCR is not for EL0 with UEN", get(get_cr), TRAP);
	equal("    nor to be written", run_user(put_cr, 0), TRAP);
	write_reg(pmuserenr_el0, EN);
	check("    it is with EN", (get(get_cr) & ~0xffffffUL) != TRAPPED);
	setup(UEN, 0);
	equal("PMSELR is", run_user(put_selr, 1), 0);
	equal("    and keeps it", get(get_selr), 1);
	equal("PMCEID is", get(get_ceid0), read_reg(pmceid0_el0));
	write_reg(pmuserenr_el0, UEN | TID);
	equal("    not with TID", get(get_ceid0), TRAP);
}

/* A write from EL0: permitted, not, read-only, read-only without UEN, others read-only. */
static void test_user_writes(void)
{
	static u64 (*const puts[])(u64) = { put_evcntr0, put_xevcntr, put_ccntr, put_icntr };
	static const u64 bits[] = { 1, 1, C, F0 }, only[] = { ER, ER, CR, IR };
	static const u64 before[] = { CNT0, CNT0, CCNT, ICNT };
	u64 i, k, after[4];

	for (i = 0; i < ARRAY_SIZE(puts); i++) {
		for (k = 0; k < 5; k++) {
			u64 userenr = k == 2 ? UEN | only[i] : k == 3 ? only[i] & ~IR : UEN;
			u64 res, other = i < 2 ? 2 : 0;

			setup(userenr, k == 1 ? EACH & ~bits[i] : bits[i]);
			if (k == 4)
				write_reg(pmuserenr_el0, UEN | ((ER | CR | IR) & ~only[i]));
			res = run_user(puts[i], 0x77);
			after[0] = counter(0);
			after[1] = after[0];
			after[2] = read_reg(pmccntr_el0);
			after[3] = read_reg(PMICNTR);
			if (k == 0)
				equal("EL0 writes a counter", after[i], 0x77);
			else if (k == 1)
				equal("    not without permission", after[i], before[i]);
			else if (k == 2)
				equal("    not when it is read-only", after[i], before[i]);
			else if (k == 3)
				equal("    read-only without UEN: that traps", res, TRAP);
			else
				equal("    when others are read-only", after[i], 0x77);
			equal("    no other", after[other], before[other]);
		}
	}
	setup(UEN, F0 | 2);
	run_user(put_zr, ~0UL);
	equal("PMZR from EL0", counter(1) | read_reg(PMICNTR), 0);
	equal("    no other counter", counter(0) + read_reg(pmccntr_el0), CNT0 + CCNT);
	setup(UEN, 2);
	set_event(0, 0);
	set_event(1, 0);
	write_reg(pmcntenset_el0, 3UL);
	run_user(put_swinc, 3);
	equal("PMSWINC from EL0", counter(1), CNT1 + 1);
	equal("    no other counter", counter(0), CNT0);
	write_reg(pmuserenr_el0, UEN | SW);
	run_user(put_swinc, 3);
	equal("    with SW all", counter(0), CNT0 + 1);
}

void test_user(void)
{
	if (!V3P9) {
		check("not PMUv3p9", (read_reg(id_aa64dfr0_el1) >> 8 & 0xf) < 9);
		write_reg(pmuserenr_el0, ~0UL);
		equal("PMUSERENR has no UEN", read_reg(pmuserenr_el0), 0xf);
		write_reg(pmuserenr_el0, 0UL);
		return;
	}
	test_registers();
	test_count();
	test_icntr_overflow();
	test_user_reads();
	test_user_controls();
	test_user_writes();
	setup(0, 0);
	write_reg(PMICFILTR, 0UL);
	stop_pmu(0);
}
