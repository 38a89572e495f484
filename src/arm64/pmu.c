// SPDX-License-Identifier: GPL-2.0
/* The arm64 backend: loading, reading and stopping PMUv3 counters. */
#include "pmuv3.h"
#include "regs.h"

DEFINE_PER_CPU(struct pmuv3_cpu, pmuv3_cpus);

u64 pmuv3_read_counter(unsigned int counter)
{
	return counter == PMUV3_CYCLE_COUNTER ? read_pmccntr() : read_pmevcntr(counter);
}

void pmuv3_write_counter(unsigned int counter, u64 value)
{
	if (counter == PMUV3_CYCLE_COUNTER)
		write_pmccntr(value);
	else
		write_pmevcntr(counter, value);
}

/* Our index space has the cycle counter at 32, the registers have it at bit 31. */
u64 pmuv3_enable_bits(u64 counters)
{
	u64 bits = counters & GENMASK_ULL(30, 0);

	if (counters & BIT_ULL(PMUV3_CYCLE_COUNTER))
		bits |= PMCNTEN_CYCLE;
	return bits;
}

static void bring_forward(struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		hw[i]->value = pmudev_advance(hw[i]->value, pmuv3_read_counter(hw[i]->counter),
					      hw[i]->width);
}

static void pmuv3_load(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct pmuv3_cpu *pc = this_cpu_ptr(&pmuv3_cpus);
	u64 mask = pmudev_hw_counters(hw, nr);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		/* PMCCFILTR_EL0 has no event field: it counts cycles. */
		if (hw[i]->counter == PMUV3_CYCLE_COUNTER)
			write_pmccfiltr(hw[i]->config & ~PMUV3_TYPER_EVENT);
		else
			write_pmevtyper(hw[i]->counter, hw[i]->config);
		pmuv3_write_counter(hw[i]->counter, hw[i]->value);
	}
	/* Programmed before started. */
	isb();
	write_pmcntenset(pmuv3_enable_bits(mask));
	pc->on |= mask;
}

static void pmuv3_save(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct pmuv3_cpu *pc = this_cpu_ptr(&pmuv3_cpus);
	u64 mask = pmudev_hw_counters(hw, nr);

	write_pmcntenclr(pmuv3_enable_bits(mask));
	pc->on &= ~mask;
	/* Stopped before read. */
	isb();
	bring_forward(hw, nr);
}

static void pmuv3_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	/* Not read ahead of what the caller did before. */
	isb();
	bring_forward(hw, nr);
}

static void pmuv3_clear(u64 counters)
{
	unsigned int c;

	for (; counters; counters &= counters - 1) {
		c = __ffs64(counters);
		pmuv3_write_counter(c, 0);
	}
}

bool pmuv3_user_access(bool allow)
{
	/*
	 * From a vcpu's load to its put KVM has the register on VHE, and sets EN in it. It puts
	 * back what it found, whatever is written meanwhile.
	 */
	if (read_pmuserenr() & PMUSERENR_EN)
		return false;
	this_cpu_ptr(&pmuv3_cpus)->user = allow;
	/* PMXEVCNTR_EL0 reads what PMSELR_EL0 selects: nothing that others left there. */
	if (allow)
		write_pmselr(0);
	write_pmuserenr(allow ? PMUSERENR_ER | PMUSERENR_CR : 0);
	return true;
}

static u32 pmuv3_operand(unsigned int counter)
{
	return counter == PMUV3_CYCLE_COUNTER ? 31 : counter;
}

static int pmuv3_encode_event(const struct pmudev_pmu_info *info,
			      const struct pmudev_event_attr *attr, struct pmudev_code *code,
			      struct pmudev_refusal *why)
{
	return pmuv3_encode(&pmuv3_caps, attr, code, why);
}

const struct pmudev_backend_ops pmudev_backend = {
	.probe = pmuv3_probe,
	.remove = pmuv3_remove,
	.cpu_up = pmuv3_cpu_up,
	.cpu_down = pmuv3_cpu_down,
	.encode = pmuv3_encode_event,
	.operand = pmuv3_operand,
	.load = pmuv3_load,
	.save = pmuv3_save,
	.read = pmuv3_read,
	.clear = pmuv3_clear,
	.user_access = pmuv3_user_access,
};
