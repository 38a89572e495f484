// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's part of a context switch: load, save, read and clear counters.
 *
 * PerfMonV2 starts and stops all counters at once by a global register. Older CPUs have none: each
 * counter is started and stopped by its selector, one after the other. All that runs at ring 0, so
 * counts of user mode are exact. For the kernel's, the same code starts and stops, in the same
 * order: a counter that starts some instructions late stops as many late.
 *
 * A register is not written if its shadow says that it already has the value.
 */
#include "amd.h"
#include "amd_regs.h"

static u64 read_counter(unsigned int counter)
{
	return x86_rdpmc(counter);
}

u32 amd_operand(unsigned int counter)
{
	return counter;
}

static __always_inline u32 ctl(const struct x86_cpu *cpuc, unsigned int counter)
{
	return cpuc->ctl + (counter << cpuc->step);
}

static __always_inline void write_counter(const struct x86_cpu *cpuc, unsigned int counter,
					  u64 value)
{
	x86_wrmsr(cpuc->msr + (counter << cpuc->step), value);
}

/* What the selector of a counter has while it counts */
static __always_inline u64 started(const struct x86_cpu *cpuc, unsigned int counter)
{
	return amd_ctl(cpuc->shadow[counter].config, cpuc->svme);
}

/* Update the counts of events. Returns the bits in which any of them changed. */
static __always_inline u64 update(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
				  unsigned int nr, bool live)
{
	struct pmudev_hw *const *end = hw + nr;
	u64 changed = 0;

	for (; hw < end; hw++) {
		struct pmudev_hw *event = *hw;
		const u64 before = event->value;
		u64 value = pmudev_advance(before, read_counter(event->counter), AMD_WIDTH);

		changed |= value ^ before;
		event->value = value;
		/* A live counter has no shadow: it changes. */
		if (!live)
			cpuc->shadow[event->counter].value = value;
	}
	return changed;
}

/*
 * Without a status register, a counter has overflowed if its highest bit was 1 and no longer is.
 * Remember those in which it is 1, which is how counts begin that have an interrupt to expect
 * within half of the counter's range.
 */
static noinline void arm(struct x86_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr)
{
	u64 armed = cpuc->armed;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const u64 bit = BIT_ULL(hw[i]->counter);

		if (hw[i]->config & AMD_CTL_INT && hw[i]->value >> (AMD_WIDTH - 1) & 1)
			armed |= bit;
		else
			armed &= ~bit;
	}
	WRITE_ONCE(cpuc->armed, armed);
}

static __always_inline void check_overflow(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
					   unsigned int nr, u64 changed)
{
	/* The core has the counts, which tell more than the status of overflows: clear that. */
	if (unlikely(changed >> AMD_WIDTH))
		amd_acknowledge(cpuc);
	if (unlikely(cpuc->interrupts && !cpuc->global))
		arm(cpuc, hw, nr);
}

/* The counter is stopped. Without a global register, that of its selector will start it. */
static noinline void select_event(struct x86_cpu *cpuc, unsigned int counter, u64 config)
{
	const u64 bit = BIT_ULL(counter);

	cpuc->shadow[counter].config = config;
	if (config & AMD_CTL_INT)
		WRITE_ONCE(cpuc->interrupts, cpuc->interrupts | bit);
	else
		WRITE_ONCE(cpuc->interrupts, cpuc->interrupts & ~bit);
	if (cpuc->global)
		x86_wrmsr(ctl(cpuc, counter), started(cpuc, counter));
}

/* The only code that starts and stops without a global register: always the same instructions. */
static noinline void write_selectors(const struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
				     struct pmudev_hw *const *end, u64 mask)
{
	for (; hw < end; hw++)
		x86_wrmsr(ctl(cpuc, (*hw)->counter), started(cpuc, (*hw)->counter) & mask);
}

static __always_inline void start(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
				  struct pmudev_hw *const *end, u64 counters)
{
	WRITE_ONCE(cpuc->active, cpuc->active | counters);
	/* WRMSR serializes: counters are programmed before they are started. */
	if (cpuc->global) {
		amd_write_global_ctl(cpuc->active);
		return;
	}
	write_selectors(cpuc, hw, end, ~0ULL);
}

static __always_inline void stop(struct x86_cpu *cpuc, struct pmudev_hw *const *hw,
				 struct pmudev_hw *const *end, u64 counters)
{
	WRITE_ONCE(cpuc->active, cpuc->active & ~counters);
	if (cpuc->global) {
		amd_write_global_ctl(cpuc->active);
		return;
	}
	write_selectors(cpuc, hw, end, ~AMD_CTL_EN);
}

/* Debug kernels: warn if the selectors differ from the events. */
static void verify(struct x86_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		WARN(x86_rdmsr(ctl(cpuc, hw[i]->counter)) != amd_ctl(hw[i]->config, cpuc->svme),
		     "pmudev: counter %u: selector %#llx, expected %#llx\n", hw[i]->counter,
		     x86_rdmsr(ctl(cpuc, hw[i]->counter)), amd_ctl(hw[i]->config, cpuc->svme));
	WARN(cpuc->global && amd_read_global_ctl() != cpuc->active,
	     "pmudev: PerfCntrGlobalCtl is %#llx, expected %#llx\n", amd_read_global_ctl(),
	     cpuc->active);
}

void amd_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	struct pmudev_hw *const *end = hw + nr;
	struct pmudev_hw *const *at;

	for (at = hw; at < end; at++) {
		const struct pmudev_hw *event = *at;
		struct x86_shadow *shadow = &cpuc->shadow[event->counter];
		const u64 value = event->value;

		if (unlikely(shadow->config != event->config))
			select_event(cpuc, event->counter, event->config);
		/* The counter is stopped. RDPMC costs a fraction of WRMSR. */
		if (shadow->value != value ||
		    pmudev_low_bits(read_counter(event->counter) ^ value, AMD_WIDTH))
			write_counter(cpuc, event->counter, pmudev_low_bits(value, AMD_WIDTH));
	}
	/* Before an NMI can ask. */
	if (unlikely(cpuc->interrupts && !cpuc->global))
		arm(cpuc, hw, nr);
	start(cpuc, hw, end, counters);
	if (X86_VERIFY)
		verify(cpuc, hw, nr);
}

u64 amd_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 changed;

	if (X86_VERIFY)
		WARN_ON(pmudev_hw_counters(hw, nr) != counters || (counters & ~cpuc->active));
	stop(cpuc, hw, hw + nr, counters);
	changed = update(cpuc, hw, nr, false);
	check_overflow(cpuc, hw, nr, changed);
	return changed;
}

u64 amd_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 changed = update(cpuc, hw, nr, true);

	check_overflow(cpuc, hw, nr, changed);
	return changed;
}

void amd_clear(u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);

	/* 0 is no overflow. */
	WRITE_ONCE(cpuc->armed, cpuc->armed & ~counters);
	for (; counters; counters &= counters - 1) {
		unsigned int c = __ffs64(counters);

		write_counter(cpuc, c, 0);
		cpuc->shadow[c].value = 0;
	}
}

u64 amd_global_ctrl(void)
{
	return this_cpu_read(x86_cpus.global) ? amd_read_global_ctl() : 0;
}

void amd_set_global_ctrl(u64 counters)
{
	if (this_cpu_read(x86_cpus.global))
		amd_write_global_ctl(counters);
}

void amd_silence(bool hide)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 mine = cpuc->kind->counters & ~cpuc->foreign, rest;

	amd_set_global_ctrl(0);
	cpuc->svme = amd_read_svme();
	for (rest = mine; rest; rest &= rest - 1) {
		cpuc->shadow[__ffs64(rest)].config = 0;
		x86_wrmsr(ctl(cpuc, __ffs64(rest)), 0);
	}
	/* While the counts still tell what has overflowed. */
	amd_acknowledge(cpuc);
	WRITE_ONCE(cpuc->interrupts, 0);
	WRITE_ONCE(cpuc->armed, 0);
	amd_clear(mine);
	WRITE_ONCE(cpuc->active, cpuc->found & cpuc->foreign);
	if (cpuc->active)
		amd_set_global_ctrl(cpuc->active);
}

/*
 * perf's driver has started all counters (amd_pmu_reload_virt() on PerfMonV2). Only kernel code ran
 * since: stop ours again, and clear what they show.
 */
void amd_virt_changed(void)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 mine, rest;

	if (!cpuc->owned)
		return;
	amd_set_global_ctrl(cpuc->active);
	cpuc->svme = amd_read_svme();
	mine = cpuc->kind->counters & ~cpuc->foreign;
	for (rest = cpuc->global ? mine : mine & cpuc->active; rest; rest &= rest - 1)
		if (cpuc->shadow[__ffs64(rest)].config & AMD_CTL_HOST)
			x86_wrmsr(ctl(cpuc, __ffs64(rest)), started(cpuc, __ffs64(rest)));
	if (cpuc->global)
		amd_clear(mine & ~cpuc->active);
}

/* Write another value and read it back. */
static bool takes_writes(const struct x86_cpu *cpuc, unsigned int counter)
{
	u64 mask = pmudev_width_mask(AMD_WIDTH), value = ~read_counter(counter) & mask;

	write_counter(cpuc, counter, value);
	return (read_counter(counter) & mask) == value;
}

/*
 * perf has no event, and clears EN with its last one. With a global register it may not have, if
 * another kernel ran before this one (kexec): that counter is stopped.
 */
static bool counts(const struct x86_cpu *cpuc, unsigned int counter)
{
	return x86_rdmsr(ctl(cpuc, counter)) & AMD_CTL_EN &&
	       (!cpuc->global || cpuc->found & BIT_ULL(counter));
}

u64 amd_find_foreign(u64 counters)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 foreign = 0;

	for (; counters; counters &= counters - 1) {
		unsigned int c = __ffs64(counters);

		if (counts(cpuc, c) || !takes_writes(cpuc, c))
			foreign |= BIT_ULL(c);
	}
	return foreign;
}

u64 amd_both_modes(const struct x86_kind *kind)
{
	const u64 select = AMD_CTL_EN | AMD_CTL_OS | AMD_CTL_USR;
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 rest, both = 0;

	for (rest = kind->counters; rest; rest &= rest - 1)
		if ((x86_rdmsr(ctl(cpuc, __ffs64(rest))) & select) == select)
			both |= rest & -rest;
	return cpuc->global ? both & amd_read_global_ctl() : both;
}
