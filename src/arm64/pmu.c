// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUv3 backend's part of a context switch: load, save, read and clear counters.
 *
 * A register is not written if its shadow says that it already has the value.
 */
#include "pmuv3.h"
#include "regs.h"

/* Update an event that is not chained. Returns the bits in which its count changed. */
static __always_inline u64 update_single(struct pmuv3_cpu *cpuc, struct pmudev_hw *event, bool live)
{
	const unsigned int counter = event->counter;
	const u64 before = event->value;
	u64 value = pmudev_advance(before, read_any_counter(counter), event->width);

	event->value = value;
	/* A live counter has no shadow: it changes. */
	if (!live)
		cpuc->shadow[counter].value = value;
	return value ^ before;
}

static u64 update_chained(struct pmuv3_cpu *cpuc, struct pmudev_hw *event, bool live)
{
	const unsigned int counter = event->counter;
	const u64 before = event->value;
	u64 value = pmudev_advance(before, pmuv3_read_chained(counter, live), event->width);

	event->value = value;
	if (!live) {
		cpuc->shadow[counter].value = value;
		cpuc->shadow[counter + 1].value = value;
	}
	return value ^ before;
}

/* The rest of update(), from the first chained event on. Keeps its calls out of the loop there. */
static noinline u64 update_rest(struct pmuv3_cpu *cpuc, struct pmudev_hw *const *hw,
				struct pmudev_hw *const *end, bool live)
{
	u64 changed = 0;

	for (; hw < end; hw++)
		changed |= (*hw)->chained ? update_chained(cpuc, *hw, live) :
					    update_single(cpuc, *hw, live);
	return changed;
}

/* Update the counts of events. Returns the bits in which any of them changed. */
static __always_inline u64 update(struct pmuv3_cpu *cpuc, struct pmudev_hw *const *hw,
				  unsigned int nr, bool live)
{
	struct pmudev_hw *const *end = hw + nr;
	u64 changed = 0;

	for (; hw < end; hw++) {
		if (unlikely((*hw)->chained))
			return changed | update_rest(cpuc, hw, end, live);
		changed |= update_single(cpuc, *hw, live);
	}
	return changed;
}

static __always_inline bool value_matches(const struct pmudev_hw *hw, u64 raw)
{
	return !((raw ^ hw->value) & pmudev_width_mask(hw->width));
}

/*
 * The counter's registers hold what load would write. Reads the counter, which costs less than to
 * find out late that somebody else wrote it.
 */
static __always_inline bool holds(const struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	const struct pmuv3_shadow *shadow = &cpuc->shadow[hw->counter];

	return shadow->config == hw->config && shadow->value == hw->value &&
	       value_matches(hw, read_any_counter(hw->counter));
}

/* Without VHE, KVM's code at EL2 starts events that count in guests only. */
static bool is_idle(const struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	return hw->filter == PMUDEV_FILTER_GUEST &&
	       pmuv3_kinds[cpuc->info->index].caps.shape != PMUV3_VHE;
}

static u64 read_stopped(const struct pmudev_hw *hw)
{
	return hw->chained ? pmuv3_read_chained(hw->counter, false) : read_any_counter(hw->counter);
}

/* Write the registers that differ. Returns the counters that load must not start. */
static noinline u64 program(struct pmuv3_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i, counter;
	u64 config, idle = 0;

	for (i = 0; i < nr; i++) {
		counter = hw[i]->counter;
		config = hw[i]->config;
		if (unlikely(is_idle(cpuc, hw[i])))
			idle |= pmudev_hw_counters(hw + i, 1);
		if (unlikely(hw[i]->chained)) {
			pmuv3_program_high_half(cpuc, hw[i]);
			/* The high half interrupts. */
			config &= ~PMUV3_INTERRUPT;
		}
		if (cpuc->shadow[counter].config != config) {
			pmuv3_write_config(counter, config);
			/* PMUV3_UNKNOWN has the bit, too. */
			if ((cpuc->shadow[counter].config | config) & PMUV3_INTERRUPT)
				pmuv3_set_interrupt(cpuc, counter, config & PMUV3_INTERRUPT);
			cpuc->shadow[counter].config = config;
		} else if (cpuc->shadow[counter].value == hw[i]->value &&
			   value_matches(hw[i], read_stopped(hw[i]))) {
			continue;
		}
		write_any_counter(counter, hw[i]->value);
	}
	cpuc->idle |= idle;
	/* Program counters before they are started. */
	isb();
	return idle;
}

static u64 read_config(unsigned int counter)
{
	if (counter < PMUDEV_FIXED_BASE)
		return read_pmevtyper(counter);
	/* PMICFILTR_EL0.evtCount reads as INST_RETIRED. */
	return (counter == PMUV3_CYCLE_COUNTER ? read_pmccfiltr() : read_pmicfiltr()) &
	       ~PMUV3_TYPER_EVENT;
}

static void verify_counter(unsigned int counter, u64 config, u64 count, unsigned int width)
{
	u64 found = read_config(counter), value = pmuv3_read_counter(counter);

	config &= ~PMUV3_INTERRUPT;
	if (counter >= PMUDEV_FIXED_BASE)
		config &= ~PMUV3_TYPER_EVENT;
	WARN(found != config || (value ^ count) & pmudev_width_mask(width),
	     "pmudev: counter %u: selector %#llx, expected %#llx; value %#llx, expected %#llx\n",
	     counter, found, config, value, count);
}

/* Debug kernels: warn if the registers of stopped counters differ from the events. */
static void verify(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct pmudev_hw *const *end = hw + nr;

	for (; hw < end; hw++) {
		const struct pmudev_hw *event = *hw;

		if (event->chained)
			verify_counter(event->counter + 1, PMUV3_HIGH_HALF, event->value >> 32, 32);
		verify_counter(event->counter, event->config, event->value,
			       event->chained ? 32 : event->width);
	}
}

void pmudev_backend_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	struct pmudev_hw *const *next = hw, *const *end = hw + nr;

	/* Skip events that need nothing but their start. */
	while (next < end && !(*next)->chained && !(*next)->filter && holds(cpuc, *next))
		next++;
	if (PMUV3_VERIFY && !cpuc->changed)
		verify(hw, next - hw);
	if (PMUV3_VERIFY)
		WARN_ON_ONCE(counters & ~READ_ONCE(cpuc->ours));
	if (unlikely(next < end))
		counters &= ~program(cpuc, next, end - next);
	write_pmcntenset(pmuv3_enable_bits(counters));
	cpuc->active |= counters;
}

u64 pmudev_backend_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (PMUV3_VERIFY)
		WARN_ON(counters & ~(cpuc->active | cpuc->idle) ||
			counters != pmudev_hw_counters(hw, nr));
	cpuc->active &= ~counters;
	cpuc->idle &= ~counters;
	write_pmcntenclr(pmuv3_enable_bits(counters));
	/* Stop counters before they are read. */
	isb();
	return update(cpuc, hw, nr, false);
}

u64 pmudev_backend_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	/* Do not read counters before the caller's earlier instructions. */
	isb();
	return update(this_cpu_ptr(&pmuv3_cpus), hw, nr, true);
}

void pmudev_backend_clear(u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	unsigned int c;

	/* perf has written those that it uses by now. */
	counters &= ~pmuv3_perf_counters_here(cpuc);
	for (; counters; counters &= counters - 1) {
		c = __ffs64(counters);
		pmuv3_write_counter(c, 0);
		cpuc->shadow[c].value = 0;
	}
	/* Clear counters before they are started: load has no barrier if it writes no counter. */
	isb();
}
