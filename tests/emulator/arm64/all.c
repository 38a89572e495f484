// SPDX-License-Identifier: GPL-2.0
/* All CPUs at the same time: each counts its own instructions and cycles, and none in WFI. */
#include "arm64.h"

#define TURNS(cpu)   (3000UL * ((cpu) + 1) + 7 * (cpu))
#define PMI_AFTER(k) (3 + 70 * (k))
#define SLEEP	     1000000UL /* ticks of the timer */

/* CPUs of the second kind have twice the clock. */
static u64 cpi(u64 cpu)
{
	return cpu >= KIND2 ? 2 * CPI : CPI;
}

/* The timer's interrupt becomes pending, but is masked at the CPU: it only ends the WFI. */
static void sleep(struct percpu *me)
{
	u64 before;

	stop_pmu(PMCR_LC);
	write_reg(pmcntenset_el0, CYCLE_COUNTER);
	before = read_reg(cntvct_el0);
	write_reg(cntv_cval_el0, before + SLEEP);
	write_reg(cntv_ctl_el0, 1UL);
	me->wfi_cycles = cycles_of_wfi();
	me->wfi_ticks = read_reg(cntvct_el0) - before;
	write_reg(cntv_ctl_el0, 0UL);
}

/* Each event that wraps, in turn, while the others do the same at other times. */
static void overflow(struct percpu *me, int cpu)
{
	u64 k, n;

	for (k = 0; k < ARRAY_SIZE(me->pmi); k++) {
		n = PMI_AFTER(k) + cpu;
		stop_pmu(PMCR_LC);
		set_event(0, k % 2 ? EV_CYCLES : EV_INSN);
		set_counter(0, BIT64(32) - (k % 2 ? cpi(cpu) : 1) * n);
		write_reg(pmccntr_el0, k % 3 ? 0UL : -cpi(cpu) * n);
		write_reg(pmintenset_el1, k % 3 ? 1UL : CYCLE_COUNTER);
		count_nops(CYCLE_COUNTER | 1);
		me->pmi[k].pc = me->pmi_pc;
		me->pmi[k].count = me->pmi_count;
		me->pmi[k].status = me->pmi_status;
	}
}

void run_all(struct percpu *me, int cpu)
{
	me->midr = read_reg(midr_el1);
	me->counters = read_reg(pmcr_el0) >> 11 & 0x1f;
	me->events = read_reg(pmceid0_el0);
	stop_pmu(PMCR_LC);
	set_event(0, EV_INSN);
	set_event(1, EV_CYCLES);
	barrier(me, 1);
	count_turns(CYCLE_COUNTER | 3, TURNS(cpu));
	me->insns = counter(0);
	me->cycles = counter(1);
	me->ccnt = read_reg(pmccntr_el0);
	barrier(me, 2);
	overflow(me, cpu);
	barrier(me, 3);
	sleep(me);
	barrier(me, 4);
	me->costs = count_costs(cpu);
	barrier(me, 5);
}

void test_all(void)
{
	u64 i, k;

	for (i = 0; i < CPUS; i++) {
		const struct percpu *p = &percpu[i];

		equal("each CPU is of its kind: counters", p->counters,
		      i < KIND2 ? COUNTERS : KIND2_COUNTERS);
		equal("    the part", (p->midr >> 4 & 0xfff) == 0xd04, i >= KIND2);
		equal("    CHAIN", p->events >> EV_CHAIN & 1, i < KIND2 || !KIND2_MISSING);
		equal("each CPU's instructions", p->insns, TURNS_INSNS(TURNS(i)));
		equal("each CPU's cycles", p->cycles, cpi(i) * TURNS_INSNS(TURNS(i)));
		equal("each CPU's cycle counter", p->ccnt, cpi(i) * TURNS_INSNS(TURNS(i)));
		for (k = 0; k < ARRAY_SIZE(p->pmi); k++) {
			equal("each CPU's interrupt is exact", p->pmi[k].pc,
			      (u64)nops + 4 * (PMI_AFTER(k) + i));
			equal("    and the only one", p->pmi[k].count, 1);
			equal("    status", p->pmi[k].status, k % 3 ? 1 : CYCLE_COUNTER | 1);
		}
		check("each CPU sleeps in WFI", p->wfi_ticks >= SLEEP);
		equal("    and its cycles stand", p->wfi_cycles, 2 * cpi(i));
		equal("each CPU's costs", p->costs, COSTS_OF(i));
	}
}
