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

static u64 read_counter(unsigned int counter)
{
	return intel_rdpmc(intel_operand(counter));
}

/* @value has no bits beyond the counter's width. */
static __always_inline void write_counter(const struct intel_cpu *cpuc, unsigned int counter,
					  u64 value)
{
	if (is_fixed(counter))
		write_fixed_ctr(counter - PMUDEV_FIXED_BASE, value);
	else
		intel_wrmsr(cpuc->msr + counter, value);
}

/* Returns the bits in which any of the values changed. */
static __always_inline u64 update(struct intel_cpu *cpuc, struct pmudev_hw *const *hw,
				  unsigned int nr, bool live)
{
	struct pmudev_hw *const *end = hw + nr;
	u64 changed = 0;

	for (; hw < end; hw++) {
		struct pmudev_hw *event = *hw;
		const unsigned int counter = event->counter;
		const u64 before = event->value;
		u64 value = pmudev_advance(before, read_counter(counter), event->width);

		changed |= value ^ before;
		event->value = value;
		/* What a counter shows that counts is not known for long. */
		if (!live)
			cpuc->known[counter].value = value;
	}
	return changed;
}

/* Nobody asks which they were, so it is all of ours. */
static noinline void acknowledge_overflows(const struct intel_cpu *cpuc)
{
	write_global_ovf_ctrl(cpuc->kind->caps.counters & ~cpuc->foreign);
}

/* Some counter may have wrapped if a bit above the narrowest has changed. */
static __always_inline void counted(const struct intel_cpu *cpuc, u64 changed)
{
	if (unlikely(changed >> cpuc->narrowest))
		acknowledge_overflows(cpuc);
}

/* IA32_FIXED_CTR_CTRL has bits for each fixed counter; all are written at once, by the caller. */
static noinline void select_event(struct intel_cpu *cpuc, unsigned int counter, u64 config)
{
	struct intel_shadow *known = &cpuc->known[counter];

	if (is_fixed(counter)) {
		cpuc->fixed &= ~intel_fixed_bits(counter - PMUDEV_FIXED_BASE, known->config);
		cpuc->fixed |= intel_fixed_bits(counter - PMUDEV_FIXED_BASE, config);
	} else {
		write_evtsel(counter, config);
	}
	known->config = config;
}

/*
 * Returns @mask, without the counter if that is not to be started: for guests only. The selector
 * does not tell: it is the same for both sides.
 */
static noinline u64 select_hw(struct intel_cpu *cpuc, const struct pmudev_hw *hw, u64 mask)
{
	if (cpuc->known[hw->counter].config != hw->config)
		select_event(cpuc, hw->counter, hw->config);
	return hw->filter == PMUDEV_FILTER_GUEST ? mask & ~BIT_ULL(hw->counter) : mask;
}

static void verify(struct intel_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		WARN(!is_fixed(hw[i]->counter) && read_evtsel(hw[i]->counter) != hw[i]->config,
		     "pmudev: counter %u is %#llx for %#llx\n", hw[i]->counter,
		     read_evtsel(hw[i]->counter), hw[i]->config);
	WARN(read_fixed_ctr_ctrl() != cpuc->fixed, "pmudev: fixed counters are %#llx for %#llx\n",
	     read_fixed_ctr_ctrl(), cpuc->fixed);
}

/* That they are loaded: started, if they are to be in the host. */
static void verify_loaded(const struct intel_cpu *cpuc, struct pmudev_hw *const *hw,
			  unsigned int nr, u64 counters)
{
	unsigned int i;

	WARN_ON(pmudev_hw_counters(hw, nr) != counters);
	for (i = 0; i < nr; i++)
		WARN_ON(!(cpuc->active & BIT_ULL(hw[i]->counter)) !=
			(hw[i]->filter == PMUDEV_FILTER_GUEST));
}

static __always_inline void start(struct intel_cpu *cpuc, u64 counters)
{
	/* WRMSR serializes: all is programmed before it is started. */
	cpuc->active |= counters;
	/* Irqs are off in a guest: it was left, or never entered. */
	cpuc->guest = 0;
	write_global_ctrl(cpuc->active);
}

/* Where the counter is and shows its value already nothing is written. */
static __always_inline void write_value(const struct intel_cpu *cpuc,
					const struct intel_shadow *known,
					const struct pmudev_hw *event)
{
	const unsigned int counter = event->counter;
	const u64 value = event->value;

	/* The counter stands still: to read it costs a fraction of writing it. */
	if (known->value != value || (read_counter(counter) ^ value) << (-event->width & 63))
		write_counter(cpuc, counter, pmudev_low_bits(value, event->width));
}

/* From the first on whose selector is not as it is to be, or that is not to be started here. */
static noinline void load_rest(struct intel_cpu *cpuc, struct pmudev_hw *const *hw,
			       struct pmudev_hw *const *end, u64 counters)
{
	const u64 fixed = cpuc->fixed;

	for (; hw < end; hw++) {
		counters = select_hw(cpuc, *hw, counters);
		write_value(cpuc, &cpuc->known[(*hw)->counter], *hw);
	}
	if (cpuc->fixed != fixed)
		write_fixed_ctr_ctrl(cpuc->fixed);
	start(cpuc, counters);
}

static __always_inline void load(struct intel_cpu *cpuc, struct pmudev_hw *const *hw,
				 struct pmudev_hw *const *end, u64 counters)
{
	for (; hw < end; hw++) {
		const struct pmudev_hw *event = *hw;
		const struct intel_shadow *known = &cpuc->known[event->counter];

		if (unlikely(known->config != event->config || event->special)) {
			load_rest(cpuc, hw, end, counters);
			return;
		}
		write_value(cpuc, known, event);
	}
	start(cpuc, counters);
}

void pmudev_backend_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	load(cpuc, hw, hw + nr, counters);
	if (INTEL_VERIFY)
		verify(cpuc, hw, nr);
}

u64 pmudev_backend_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);
	u64 changed;

	if (INTEL_VERIFY)
		verify_loaded(cpuc, hw, nr, counters);
	cpuc->guest = 0;
	cpuc->active &= ~counters;
	/* Selectors stay as they are: what GLOBAL_CTRL has not enabled does not count. */
	write_global_ctrl(cpuc->active);
	changed = update(cpuc, hw, nr, false);
	counted(cpuc, changed);
	return changed;
}

void pmudev_backend_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	counted(cpuc, update(cpuc, hw, nr, true));
}

/* At switches, where somebody may look: so each is one write. */
void pmudev_backend_clear(u64 counters)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);
	const u32 msr = cpuc->msr;
	unsigned int c;
	u64 rest;

	for (rest = counters & INTEL_PROGRAMMABLE; rest; rest &= rest - 1) {
		c = __ffs64(rest);
		intel_wrmsr(msr + c, 0);
		cpuc->known[c].value = 0;
	}
	for (rest = counters & ~INTEL_PROGRAMMABLE; rest; rest &= rest - 1) {
		c = __ffs64(rest);
		write_fixed_ctr(c - PMUDEV_FIXED_BASE, 0);
		cpuc->known[c].value = 0;
	}
}

void intel_silence(bool hide)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);
	u64 mine = cpuc->kind->caps.counters & ~cpuc->foreign, rest;
	u64 nothing = hide && cpuc->kind->caps.hiding ? INTEL_EVTSEL_HIDDEN : 0;

	write_global_ctrl(0);
	cpuc->fixed = 0;
	for (rest = mine; rest; rest &= rest - 1)
		select_event(cpuc, __ffs64(rest), nothing);
	write_fixed_ctr_ctrl(cpuc->fixed);
	pmudev_backend_clear(mine);
	write_global_ovf_ctrl(mine);
	cpuc->active = cpuc->found & cpuc->foreign;
	cpuc->guest = 0;
	if (cpuc->active)
		write_global_ctrl(cpuc->active);
}

/* Where a write is ignored, something else is shown than what was there not. */
static bool takes_writes(const struct intel_cpu *cpuc, unsigned int counter)
{
	u64 mask = pmudev_width_mask(cpuc->kind->caps.width);
	u64 value = ~read_counter(counter) & mask;

	write_counter(cpuc, counter, value);
	return (read_counter(counter) & mask) == value;
}

u64 intel_find_foreign(u64 counters)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);
	u64 foreign = 0;
	unsigned int c;

	for (; counters; counters &= counters - 1) {
		c = __ffs64(counters);
		/* perf takes EN away with its last event. */
		if (read_evtsel(c) & INTEL_EVTSEL_EN || !takes_writes(cpuc, c))
			foreign |= BIT_ULL(c);
	}
	return foreign;
}

static int intel_encode_event(const struct pmudev_pmu_info *info,
			      const struct pmudev_event_attr *attr, struct pmudev_code *code,
			      struct pmudev_refusal *why)
{
	return intel_encode(&intel_kinds[info->index].caps, attr, code, why);
}

const struct pmudev_backend_ops pmudev_backend = {
	.probe = intel_probe,
	.remove = intel_remove,
	.identify = intel_identify,
	.cpu_up = intel_cpu_up,
	.cpu_down = intel_cpu_down,
	.held = intel_held,
	.explain = intel_explain,
	.encode = intel_encode_event,
	.operand = intel_operand,
	.keep_user_access = intel_keep_user_access,
	.grant = intel_grant,
	.revoke = intel_revoke,
	.forked = intel_forked,
	.guest_entry = intel_on_guest_entry,
	.guest_exit = intel_on_guest_exit,
	.guest_enter = intel_guest_enter,
	.guest_leave = intel_guest_leave,
};
