// SPDX-License-Identifier: GPL-2.0
/*
 * The Intel backend: loading, reading and stopping counters. Our index of a counter is its bit in
 * IA32_PERF_GLOBAL_CTRL: fixed counter 0 is 32 in both.
 */
#include "intel.h"
#include "regs.h"

DEFINE_PER_CPU(struct intel_cpu, intel_cpus);

static bool is_fixed(unsigned int counter)
{
	return counter >= PMUDEV_FIXED_BASE;
}

static u32 intel_operand(unsigned int counter)
{
	return is_fixed(counter) ? (counter - PMUDEV_FIXED_BASE) | INTEL_RDPMC_FIXED : counter;
}

static void write_counter(unsigned int counter, u64 value)
{
	if (is_fixed(counter))
		write_fixed_ctr(counter - PMUDEV_FIXED_BASE,
				value & GENMASK_ULL(intel_caps.width_fixed - 1, 0));
	else if (intel_caps.full_width)
		write_a_pmc(counter, value & GENMASK_ULL(intel_caps.width - 1, 0));
	else
		write_pmc(counter, value & GENMASK_ULL(intel_caps.width - 1, 0));
}

/* Of counters that wrapped meanwhile the overflow status is acknowledged. */
static void bring_forward(struct pmudev_hw *const *hw, unsigned int nr)
{
	u64 wrapped = 0, value;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		value = pmudev_advance(hw[i]->value, intel_rdpmc(intel_operand(hw[i]->counter)),
				       hw[i]->width);
		if ((value ^ hw[i]->value) >> hw[i]->width)
			wrapped |= BIT_ULL(hw[i]->counter);
		hw[i]->value = value;
	}
	if (wrapped)
		write_global_ovf_ctrl(wrapped);
}

static void intel_load(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);
	u64 fixed = 0;
	unsigned int i, field;

	for (i = 0; i < nr; i++) {
		write_counter(hw[i]->counter, hw[i]->value);
		if (is_fixed(hw[i]->counter)) {
			field = 4 * (hw[i]->counter - PMUDEV_FIXED_BASE);
			pc->fixed &= ~(0xfULL << field);
			fixed |= (u64)intel_fixed_field(hw[i]->config) << field;
		} else {
			write_evtsel(hw[i]->counter, hw[i]->config);
		}
	}
	if (fixed) {
		pc->fixed |= fixed;
		write_fixed_ctr_ctrl(pc->fixed);
	}
	/* WRMSR serializes: all is programmed before it is started. */
	pc->on |= pmudev_hw_counters(hw, nr);
	write_global_ctrl(pc->on);
}

static void intel_save(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);

	/* Selectors stay as they are: what GLOBAL_CTRL has not enabled does not count. */
	pc->on &= ~pmudev_hw_counters(hw, nr);
	write_global_ctrl(pc->on);
	bring_forward(hw, nr);
}

static void intel_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	bring_forward(hw, nr);
}

void intel_clear(u64 counters)
{
	for (; counters; counters &= counters - 1)
		write_counter(__ffs64(counters), 0);
}

static int intel_encode_event(const struct pmudev_pmu_info *info,
			      const struct pmudev_event_attr *attr, struct pmudev_code *code,
			      struct pmudev_refusal *why)
{
	return intel_encode(&intel_caps, attr, code, why);
}

const struct pmudev_backend_ops pmudev_backend = {
	.probe = intel_probe,
	.remove = intel_remove,
	.cpu_up = intel_cpu_up,
	.cpu_down = intel_cpu_down,
	.explain = intel_explain,
	.encode = intel_encode_event,
	.operand = intel_operand,
	.load = intel_load,
	.save = intel_save,
	.read = intel_read,
	.clear = intel_clear,
	.user_access = intel_user_access,
	.spare_reader = intel_spare_reader,
	.grant = intel_grant,
	.revoke = intel_revoke,
	.forked = intel_forked,
};
