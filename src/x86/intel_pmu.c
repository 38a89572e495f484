// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's part of a context switch: load, save, read and clear counters. The index of a
 * counter is its bit in IA32_PERF_GLOBAL_CTRL: fixed counter 0 has 32.
 *
 * A register is not written if its shadow says that it already has the value.
 */
#include "intel.h"
#include "intel_regs.h"

static bool is_fixed(unsigned int counter)
{
	return counter >= PMUDEV_FIXED_BASE;
}

u32 intel_operand(unsigned int counter)
{
	return is_fixed(counter) ? (counter - PMUDEV_FIXED_BASE) | INTEL_RDPMC_FIXED : counter;
}

static u64 read_counter(unsigned int counter)
{
	return x86_rdpmc(intel_operand(counter));
}

/* @value fits the counter's width. */
static __always_inline void write_counter(const struct x86_cpu *cpuc, unsigned int counter,
					  u64 value)
{
	if (is_fixed(counter))
		write_fixed_ctr(counter - PMUDEV_FIXED_BASE, value);
	else
		x86_wrmsr(cpuc->msr + counter, value);
}

/* Update the counts of events. Returns the bits in which any of them changed. */
static __always_inline u64 update(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
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
		/* A live counter has no shadow: it changes. */
		if (!live)
			cpuc->shadow[counter].value = value;
	}
	return changed;
}

/*
 * Without full-width writes a counter has more bits than can be written. It overflows, and
 * interrupts, where bit 31 does if that was written as 1; so that is needed after each overflow.
 */
static bool needs_bit_31(const struct pmudev_hw *event)
{
	return unlikely(event->width == INTEL_NARROW && event->config & INTEL_EVTSEL_INT);
}

static void set_bit_31(struct x86_cpu *cpuc, struct pmudev_hw *event, bool live)
{
	const unsigned int counter = event->counter;
	const u64 on = (cpuc->active ^ cpuc->guest) & BIT_ULL(counter);

	/* Load writes it. */
	cpuc->shadow[counter].value = ~event->value;
	if (!live)
		return;
	/* Not in the register alone: an NMI writes it from these. */
	WRITE_ONCE(cpuc->active, cpuc->active ^ on);
	barrier(); /* an NMI sees that before the counter stops */
	write_global_ctrl(cpuc->active ^ cpuc->guest);
	event->value = pmudev_advance(event->value, read_counter(counter), event->width);
	write_counter(cpuc, counter, (u32)event->value | BIT(31));
	WRITE_ONCE(cpuc->active, cpuc->active ^ on);
	barrier(); /* and this before it starts */
	write_global_ctrl(cpuc->active ^ cpuc->guest);
}

/* The core has the counts, and the overflow status is needed only by NMIs: clear it. */
static noinline void acknowledge_overflows(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
					   unsigned int nr, bool live)
{
	const u64 mine = cpuc->kind->counters & ~cpuc->foreign;
	/* To read costs less than to write. */
	u64 status = cpuc->interrupts ? read_global_status() & mine : mine;
	unsigned int i;

	/* The NMI handler clears what it has seen. */
	if (status & cpuc->interrupts)
		x86_expect_late_nmi(cpuc);
	/* What overflows only now keeps its bit. */
	if (status)
		write_global_ovf_ctrl(status);
	for (i = 0; i < nr; i++)
		if (needs_bit_31(hw[i]))
			set_bit_31(cpuc, hw[i], live);
}

/* A counter may have wrapped if a bit above the narrowest counter changed. */
static __always_inline void check_overflow(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
					   unsigned int nr, u64 changed, bool live)
{
	if (unlikely(changed >> cpuc->narrowest))
		acknowledge_overflows(cpuc, hw, nr, live);
}

/* For fixed counters, the caller writes IA32_FIXED_CTR_CTRL, once for all of them. */
static noinline void select_event(struct x86_cpu *cpuc, unsigned int counter, u64 config)
{
	struct x86_shadow *shadow = &cpuc->shadow[counter];

	if (is_fixed(counter)) {
		cpuc->fixed &= ~intel_fixed_bits(counter - PMUDEV_FIXED_BASE, shadow->config);
		cpuc->fixed |= intel_fixed_bits(counter - PMUDEV_FIXED_BASE, config);
	} else {
		write_evtsel(counter, config);
	}
	if (config & INTEL_EVTSEL_INT)
		WRITE_ONCE(cpuc->interrupts, cpuc->interrupts | BIT_ULL(counter));
	else
		WRITE_ONCE(cpuc->interrupts, cpuc->interrupts & ~BIT_ULL(counter));
	shadow->config = config;
}

/*
 * Select an event if necessary. Returns @mask, without the event's counter if it counts in guests
 * only: load must not start it.
 */
static noinline u64 select_hw(struct x86_cpu *cpuc, const struct pmudev_hw *hw, u64 mask)
{
	if (cpuc->shadow[hw->counter].config != hw->config)
		select_event(cpuc, hw->counter, hw->config);
	return hw->filter == PMUDEV_FILTER_GUEST ? mask & ~BIT_ULL(hw->counter) : mask;
}

/* The fields of foreign counters in IA32_FIXED_CTR_CTRL, AnyThread (bit 2) included */
static u64 foreign_fields(const struct x86_cpu *cpuc)
{
	const u64 field = INTEL_EVTSEL_OS | INTEL_EVTSEL_USR | INTEL_EVTSEL_INT |
			  (cpuc->kind->caps.intel.hiding ? INTEL_EVTSEL_HIDDEN : 0);
	u64 rest, fields = 0;

	for (rest = cpuc->foreign >> PMUDEV_FIXED_BASE; rest; rest &= rest - 1)
		fields |= intel_fixed_bits(__ffs64(rest), field) | BIT_ULL(4 * __ffs64(rest) + 2);
	return fields;
}

/* Select what fixed counters count; foreign ones go on as they are. */
static void write_fixed(const struct x86_cpu *cpuc)
{
	const u64 foreign = foreign_fields(cpuc);

	write_fixed_ctr_ctrl(cpuc->fixed | (foreign ? read_fixed_ctr_ctrl() & foreign : 0));
}

/* Debug kernels: warn if the selectors differ from the events. */
static void verify(struct x86_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		WARN(!is_fixed(hw[i]->counter) && read_evtsel(hw[i]->counter) != hw[i]->config,
		     "pmudev: counter %u: selector %#llx, expected %#llx\n", hw[i]->counter,
		     read_evtsel(hw[i]->counter), hw[i]->config);
	WARN((read_fixed_ctr_ctrl() ^ cpuc->fixed) & ~foreign_fields(cpuc),
	     "pmudev: IA32_FIXED_CTR_CTRL is %#llx, expected %#llx\n", read_fixed_ctr_ctrl(),
	     cpuc->fixed);
}

/* Debug kernels: warn if the events are not loaded, and started unless they are for guests only. */
static void verify_loaded(const struct x86_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr,
			  u64 counters)
{
	unsigned int i;

	WARN_ON(pmudev_hw_counters(hw, nr) != counters);
	for (i = 0; i < nr; i++)
		WARN_ON(!(cpuc->active & BIT_ULL(hw[i]->counter)) !=
			(hw[i]->filter == PMUDEV_FILTER_GUEST));
}

static __always_inline void start(struct x86_cpu *cpuc, u64 counters)
{
	/* WRMSR serializes: counters are programmed before they are started. */
	WRITE_ONCE(cpuc->active, cpuc->active | counters);
	/* KVM hooks and guests run with interrupts disabled: no guest runs now. */
	WRITE_ONCE(cpuc->guest, 0);
	write_global_ctrl(cpuc->active);
}

/* Write the count to its counter, unless the counter holds it already. */
static __always_inline void write_value(const struct x86_cpu *cpuc, const struct x86_shadow *shadow,
					const struct pmudev_hw *event)
{
	const unsigned int counter = event->counter;
	const u64 value = event->value;

	/* The counter is stopped. RDPMC costs a fraction of WRMSR. */
	if (shadow->value != value || (read_counter(counter) ^ value) << (-event->width & 63))
		write_counter(cpuc, counter,
			      needs_bit_31(event) ? (u32)value | BIT(31) :
						    pmudev_low_bits(value, event->width));
}

/* The rest of load(), from the first event that needs a new selector or has a guest filter. */
static noinline void load_rest(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
			       struct pmudev_hw *const *end, u64 counters)
{
	const u64 fixed = cpuc->fixed;

	for (; hw < end; hw++) {
		counters = select_hw(cpuc, *hw, counters);
		write_value(cpuc, &cpuc->shadow[(*hw)->counter], *hw);
	}
	if (cpuc->fixed != fixed)
		write_fixed(cpuc);
	start(cpuc, counters);
}

static __always_inline void load(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
				 struct pmudev_hw *const *end, u64 counters)
{
	for (; hw < end; hw++) {
		const struct pmudev_hw *event = *hw;
		const struct x86_shadow *shadow = &cpuc->shadow[event->counter];

		if (unlikely(shadow->config != event->config || event->filter)) {
			load_rest(cpuc, hw, end, counters);
			return;
		}
		write_value(cpuc, shadow, event);
	}
	start(cpuc, counters);
}

void intel_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);

	load(cpuc, hw, hw + nr, counters);
	if (X86_VERIFY)
		verify(cpuc, hw, nr);
}

u64 intel_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 changed;

	if (X86_VERIFY)
		verify_loaded(cpuc, hw, nr, counters);
	WRITE_ONCE(cpuc->guest, 0);
	WRITE_ONCE(cpuc->active, cpuc->active & ~counters);
	/* Selectors stay: a counter that IA32_PERF_GLOBAL_CTRL does not enable does not count. */
	write_global_ctrl(cpuc->active);
	changed = update(cpuc, hw, nr, false);
	check_overflow(cpuc, hw, nr, changed, false);
	return changed;
}

u64 intel_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 changed = update(cpuc, hw, nr, true);

	check_overflow(cpuc, hw, nr, changed, true);
	return changed;
}

void intel_clear(u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	const u32 msr = cpuc->msr;
	unsigned int c;
	u64 rest;

	for (rest = counters & X86_PROGRAMMABLE; rest; rest &= rest - 1) {
		c = __ffs64(rest);
		x86_wrmsr(msr + c, 0);
		cpuc->shadow[c].value = 0;
	}
	for (rest = counters & ~X86_PROGRAMMABLE; rest; rest &= rest - 1) {
		c = __ffs64(rest);
		write_fixed_ctr(c - PMUDEV_FIXED_BASE, 0);
		cpuc->shadow[c].value = 0;
	}
}

void intel_silence(bool hide)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 mine = cpuc->kind->counters & ~cpuc->foreign, rest;
	u64 nothing = hide && cpuc->kind->caps.intel.hiding ? INTEL_EVTSEL_HIDDEN : 0;

	write_global_ctrl(0);
	cpuc->fixed = 0;
	for (rest = mine; rest; rest &= rest - 1)
		select_event(cpuc, __ffs64(rest), nothing);
	write_fixed(cpuc);
	intel_clear(mine);
	write_global_ovf_ctrl(mine);
	WRITE_ONCE(cpuc->active, cpuc->found & cpuc->foreign);
	WRITE_ONCE(cpuc->guest, 0);
	if (cpuc->active)
		write_global_ctrl(cpuc->active);
}

/* Write another value and read it back. */
static bool takes_writes(const struct x86_cpu *cpuc, unsigned int counter)
{
	u64 mask = pmudev_width_mask(cpuc->kind->caps.intel.width);
	u64 value = ~read_counter(counter) & mask;

	write_counter(cpuc, counter, value);
	return (read_counter(counter) & mask) == value;
}

u64 intel_find_foreign(u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 foreign = 0, fixed = read_fixed_ctr_ctrl();
	unsigned int c;

	for (; counters; counters &= counters - 1) {
		c = __ffs64(counters);
		/* perf has no event, and clears EN, or the rings, with its last one. */
		if (is_fixed(c)) {
			if (fixed >> 4 * (c - PMUDEV_FIXED_BASE) & 3)
				foreign |= BIT_ULL(c);
			continue;
		}
		if (read_evtsel(c) & INTEL_EVTSEL_EN || !takes_writes(cpuc, c))
			foreign |= BIT_ULL(c);
	}
	return foreign;
}

u64 intel_global_ctrl(void)
{
	return read_global_ctrl();
}

void intel_set_global_ctrl(u64 counters)
{
	write_global_ctrl(counters);
}

u64 intel_both_modes(const struct x86_kind *kind)
{
	const u64 select = INTEL_EVTSEL_EN | INTEL_EVTSEL_OS | INTEL_EVTSEL_USR;
	const u64 counters = read_global_ctrl() & kind->counters;
	u64 rest, fixed = read_fixed_ctr_ctrl(), both = 0;

	for (rest = counters & X86_PROGRAMMABLE; rest; rest &= rest - 1)
		if ((read_evtsel(__ffs64(rest)) & select) == select)
			both |= rest & -rest;
	for (rest = counters >> PMUDEV_FIXED_BASE; rest; rest &= rest - 1)
		if ((fixed >> (4 * __ffs64(rest)) & 3) == 3)
			both |= (rest & -rest) << PMUDEV_FIXED_BASE;
	return both;
}
