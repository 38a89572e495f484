// SPDX-License-Identifier: GPL-2.0
/* The arm64 backend: loading, reading and stopping PMUv3 counters. */
#include "pmuv3.h"
#include "regs.h"

DEFINE_PER_CPU(struct pmuv3_cpu, pmuv3_cpus);

static __always_inline u64 read_counter(u8 counter)
{
	return read_any_counter(counter);
}

u64 pmuv3_read_counter(unsigned int counter)
{
	return read_counter(counter);
}

static __always_inline void write_counter(unsigned int counter, u64 value)
{
	if (counter < PMUDEV_FIXED_BASE)
		write_pmevcntr(counter, value);
	else if (counter == PMUV3_CYCLE_COUNTER)
		write_pmccntr(value);
	else
		write_pmicntr(value);
}

void pmuv3_write_counter(unsigned int counter, u64 value)
{
	write_counter(counter, value);
}

void pmuv3_write_config(unsigned int counter, u64 config)
{
	/* What PMCCFILTR_EL0's counter counts is cycles, PMICFILTR_EL0's instructions. */
	if (counter < PMUDEV_FIXED_BASE)
		write_pmevtyper(counter, config);
	else if (counter == PMUV3_CYCLE_COUNTER)
		write_pmccfiltr(config & ~PMUV3_TYPER_EVENT);
	else
		write_pmicfiltr(config & ~PMUV3_TYPER_EVENT);
}

static u64 read_config(unsigned int counter)
{
	if (counter < PMUDEV_FIXED_BASE)
		return read_pmevtyper(counter);
	/* PMICFILTR_EL0 says there that it counts INST_RETIRED. */
	return (counter == PMUV3_CYCLE_COUNTER ? read_pmccfiltr() : read_pmicfiltr()) &
	       ~PMUV3_TYPER_EVENT;
}

/* ---------------------------------------------------------------- pairs -- */

/* In this order, whatever the CPU would rather do. */
static noinline u64 read_live_chained(unsigned int even)
{
	u32 high, low, high_after, low_after;

	high = read_pmevcntr(even + 1);
	isb();
	low = read_pmevcntr(even);
	isb();
	high_after = read_pmevcntr(even + 1);
	isb();
	low_after = read_pmevcntr(even);
	return pmudev_chained_raw(high, low, high_after, low_after);
}

static noinline u64 read_stopped_chained(unsigned int even)
{
	return read_pmevcntr(even + 1) << 32 | (u32)read_pmevcntr(even);
}

/* The high half, as its counter's registers are to be. */
static struct pmudev_hw high_half(const struct pmudev_hw *hw)
{
	return (struct pmudev_hw){
		.config = PMUV3_HIGH_HALF,
		.value = hw->value >> 32,
		.counter = hw->counter + 1,
		.width = 32,
	};
}

static noinline bool holds_high_half(const struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	const struct pmuv3_shadow *known = &cpuc->known[hw->counter + 1];

	return known->config == PMUV3_HIGH_HALF && known->value == hw->value &&
	       (u32)read_pmevcntr(hw->counter + 1) == hw->value >> 32;
}

static noinline void program_high_half(struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	unsigned int odd = hw->counter + 1;

	if (holds_high_half(cpuc, hw))
		return;
	if (cpuc->known[odd].config != PMUV3_HIGH_HALF) {
		pmuv3_write_config(odd, PMUV3_HIGH_HALF);
		cpuc->known[odd].config = PMUV3_HIGH_HALF;
	}
	write_counter(odd, hw->value >> 32);
}

/* ---------------------------------------------------- what counters show -- */

static __always_inline u64 read_hw(const struct pmudev_hw *hw, bool live)
{
	if (unlikely(hw->chained))
		return live ? read_live_chained(hw->counter) : read_stopped_chained(hw->counter);
	return read_counter(hw->counter);
}

/* One that has a counter of its own. Returns the bits in which its value changed. */
static __always_inline u64 update_one(struct pmuv3_cpu *cpuc, struct pmudev_hw *event, bool live)
{
	const unsigned int counter = event->counter;
	const u64 before = event->value;
	u64 value = pmudev_advance(before, read_counter(counter), event->width);

	event->value = value;
	/* What a counter shows that counts is not known for long. */
	if (!live)
		cpuc->known[counter].value = value;
	return value ^ before;
}

static u64 update_chained(struct pmuv3_cpu *cpuc, struct pmudev_hw *event, bool live)
{
	const unsigned int counter = event->counter;
	const u64 before = event->value;
	u64 value = pmudev_advance(before, read_hw(event, live), event->width);

	event->value = value;
	if (!live) {
		cpuc->known[counter].value = value;
		cpuc->known[counter + 1].value = value;
	}
	return value ^ before;
}

/* From the first pair on. */
static noinline u64 update_rest(struct pmuv3_cpu *cpuc, struct pmudev_hw *const *hw,
				struct pmudev_hw *const *end, bool live)
{
	u64 changed = 0;

	for (; hw < end; hw++)
		changed |= (*hw)->chained ? update_chained(cpuc, *hw, live) :
					    update_one(cpuc, *hw, live);
	return changed;
}

/* Returns the bits in which any of the values changed. */
static __always_inline u64 update(struct pmuv3_cpu *cpuc, struct pmudev_hw *const *hw,
				  unsigned int nr, bool live)
{
	struct pmudev_hw *const *end = hw + nr;
	u64 changed = 0;

	for (; hw < end; hw++) {
		if (unlikely((*hw)->chained))
			return changed | update_rest(cpuc, hw, end, live);
		changed |= update_one(cpuc, *hw, live);
	}
	return changed;
}

static __always_inline bool shows(const struct pmudev_hw *hw, u64 raw)
{
	return !((raw ^ hw->value) & pmudev_width_mask(hw->width));
}

/*
 * The counter's registers are as load() would write them. What it shows is looked at: perf zeroes
 * counters, and one of the probes that tell of it may be missed.
 */
static __always_inline bool holds(const struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	const struct pmuv3_shadow *known = &cpuc->known[hw->counter];

	return known->config == hw->config && known->value == hw->value &&
	       shows(hw, read_counter(hw->counter));
}

static void verify_counter(const struct pmudev_hw *hw)
{
	u64 config = hw->config, found = read_config(hw->counter);
	u64 value = read_counter(hw->counter);

	if (hw->counter >= PMUDEV_FIXED_BASE)
		config &= ~PMUV3_TYPER_EVENT;
	WARN(found != config || (value ^ hw->value) & pmudev_width_mask(hw->width),
	     "pmudev: counter %u is %#llx for %#llx, shows %#llx for %#llx\n", hw->counter, found,
	     config, value, hw->value);
}

static void verify(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct pmudev_hw low, high;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		low = *hw[i];
		if (low.chained) {
			high = high_half(&low);
			verify_counter(&high);
			low.width = 32;
		}
		verify_counter(&low);
	}
}

/* Without VHE what counts in guests only is started there, at EL2. */
static bool idles(const struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	return hw->filter == PMUDEV_FILTER_GUEST &&
	       pmuv3_kinds[cpuc->info->index].caps.shape != PMUV3_VHE;
}

/* Write what is not there. Returns the counters that are not to be started here. */
static noinline u64 program(struct pmuv3_cpu *cpuc, struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i, counter;
	u64 idle = 0;

	for (i = 0; i < nr; i++) {
		counter = hw[i]->counter;
		if (unlikely(idles(cpuc, hw[i])))
			idle |= pmudev_hw_counters(hw + i, 1);
		if (unlikely(hw[i]->chained))
			program_high_half(cpuc, hw[i]);
		if (cpuc->known[counter].config != hw[i]->config) {
			pmuv3_write_config(counter, hw[i]->config);
			cpuc->known[counter].config = hw[i]->config;
		} else if (cpuc->known[counter].value == hw[i]->value &&
			   shows(hw[i], read_hw(hw[i], false))) {
			continue;
		}
		write_counter(counter, hw[i]->value);
	}
	cpuc->idle |= idle;
	/* Programmed before started. */
	isb();
	return idle;
}

void pmudev_backend_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	struct pmudev_hw *const *next = hw, *const *end = hw + nr;

	/* Of a thread that comes back to its CPU, if no other was counted there meanwhile: all. */
	while (next < end && !(*next)->special && holds(cpuc, *next))
		next++;
	if (PMUV3_VERIFY && !cpuc->changed)
		verify(hw, next - hw);
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
	/* Stopped before read. */
	isb();
	return update(cpuc, hw, nr, false);
}

void pmudev_backend_read(struct pmudev_hw *const *hw, unsigned int nr)
{
	/* Not read ahead of what the caller did before. */
	isb();
	update(this_cpu_ptr(&pmuv3_cpus), hw, nr, true);
}

bool pmudev_backend_user_readable(void)
{
	return read_pmuserenr();
}

void pmudev_backend_clear(u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	unsigned int c;

	for (; counters; counters &= counters - 1) {
		c = __ffs64(counters);
		pmuv3_write_counter(c, 0);
		cpuc->known[c].value = 0;
	}
	/* Before anything is started: load() does not wait for what it has not written. */
	isb();
}

/* Which counters EL0 can read, with cpuc->hides: it takes effect at the return there. */
static __always_inline void show(struct pmuv3_cpu *cpuc, u64 counters)
{
	u64 bits = pmuv3_enable_bits(counters);

	/* Looked at: perf writes it, and one of the probes that tell of it may be missed. */
	if (read_pmuacr() != bits)
		write_pmuacr(bits);
	cpuc->shown = bits;
}

/* A leaf: it has no frame, which would be a third of it. */
bool pmudev_backend_try_user_access_enable(u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 enable = PMUSERENR_ER | PMUSERENR_CR;

	if (unlikely(read_pmuserenr() & PMUSERENR_EN) || unlikely(!cpuc->owned))
		return false;
	cpuc->user = true;
	if (cpuc->hides) {
		show(cpuc, counters);
		enable |= PMUSERENR_UEN | PMUSERENR_IR;
	}
	/* PMXEVCNTR_EL0 reads what PMSELR_EL0 selects: nothing that others left there. */
	write_pmselr(0);
	write_pmuserenr(enable);
	return true;
}

bool pmudev_backend_try_user_access_disable(void)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (unlikely(read_pmuserenr() & PMUSERENR_EN) || unlikely(!cpuc->owned))
		return false;
	cpuc->user = false;
	if (cpuc->hides)
		show(cpuc, 0);
	write_pmuserenr(0);
	return true;
}

/*
 * KVM has the register, or it is not ours.
 *
 * From a vcpu's load to its put KVM has PMUSERENR_EL0 on VHE, and sets EN in it. It puts back what
 * it found, whatever is written meanwhile.
 */
static bool leave_right(bool allow)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (read_pmuserenr() & PMUSERENR_EN) {
		if (cpuc->hides)
			show(cpuc, 0);
		return false;
	}
	/* Given back meanwhile: what there is now is perf's, but for what KVM has put back. */
	if (!allow && cpuc->user)
		write_pmuserenr(0);
	cpuc->user = false;
	return true;
}

bool pmudev_backend_user_access_enable(u64 counters)
{
	return pmudev_backend_try_user_access_enable(counters) || leave_right(true);
}

bool pmudev_backend_user_access_disable(void)
{
	return pmudev_backend_try_user_access_disable() || leave_right(false);
}

void pmuv3_hide(struct pmuv3_cpu *cpuc)
{
	if (cpuc->hides)
		show(cpuc, 0);
}

static u32 pmuv3_operand(unsigned int counter)
{
	return counter < PMUDEV_FIXED_BASE ? counter : counter - 1;
}

static int pmuv3_encode_event(const struct pmudev_pmu_info *info,
			      const struct pmudev_event_attr *attr, struct pmudev_code *code,
			      struct pmudev_refusal *why)
{
	return pmuv3_encode(&pmuv3_kinds[info->index].caps, attr, code, why);
}

const struct pmudev_backend_ops pmudev_backend = {
	.probe = pmuv3_probe,
	.remove = pmuv3_remove,
	.identify = pmuv3_identify,
	.cpu_up = pmuv3_cpu_up,
	.cpu_down = pmuv3_cpu_down,
	.held = pmuv3_held,
	.used_now = pmuv3_used_now,
	.encode = pmuv3_encode_event,
	.operand = pmuv3_operand,
	.guest_entry = pmuv3_on_guest_entry,
	.guest_exit = pmuv3_on_guest_exit,
	.guest_enter = pmuv3_guest_enter,
	.guest_leave = pmuv3_guest_leave,
};
