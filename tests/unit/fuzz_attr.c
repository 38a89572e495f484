// SPDX-License-Identifier: GPL-2.0
/*
 * Events: pmudev_attr_check(), and what it lets pass through all encoders, of whatever PMU. Each
 * is asked twice, and must not have changed its mind, or the event.
 */
#include <pmudev/amd.h>
#include <pmudev/assign.h>
#include <pmudev/attr.h>
#include <pmudev/intel.h>
#include <pmudev/pmuv3.h>

#include "fuzz.h"

static void take_attr(struct input *in, struct pmudev_event_attr *attr)
{
	*attr = (struct pmudev_event_attr){
		.type = take_below(in, 3),
		.flags = take(in, 2) & (take_below(in, 8) ? PMUDEV_EVENT_FLAGS : ~0U),
		.config = take_mask(in),
		.allowed = take_below(in, 2) ? take_mask(in) : 0,
		.tag = take(in, 1),
		.group = take_below(in, 66),
		.threshold = take_below(in, 3) ? 0 : take(in, 2),
		.threshold_compare = take_below(in, 5),
	};
	if (attr->flags & PMUDEV_COUNTER)
		attr->counter = take_below(in, 66);
	if (!take_below(in, 16))
		((u8 *)attr)[take_below(in, sizeof(*attr))] = take(in, 1);
}

static void check_refused(int ret, const struct pmudev_refusal *why)
{
	HOLDS(ret == -EINVAL || ret == -ENOENT || ret == -ENOSPC || ret == -EOPNOTSUPP);
	HOLDS(why->code && why->code < PMUDEV_WHY_NO_TASK + 30);
}

/* What an encoder made: @counters exist. */
static void check_code(const struct pmudev_event_attr *attr, const struct pmudev_code *code,
		       u64 counters)
{
	u64 all = pmudev_places_counters(code->allowed, code->chained);

	HOLDS(code->allowed);
	HOLDS(!(all & ~counters));
	HOLDS(!attr->allowed || !(all & ~attr->allowed));
	HOLDS(!(attr->flags & PMUDEV_COUNTER) || code->allowed == BIT_ULL(attr->counter));
	HOLDS(!code->chained || (attr->flags & PMUDEV_LONG));
	HOLDS(!code->chained || !(code->allowed & ~0x55555555ULL));
	HOLDS(!code->chained || !(attr->flags & PMUDEV_DIRECT));
	/* What user mode alone was asked for counts nothing else. */
	HOLDS(code->privileged == !(attr->flags & PMUDEV_EXCLUDE_KERNEL));
}

static void check_pmuv3(struct input *in, const struct pmudev_event_attr *attr)
{
	struct pmuv3_caps caps = {
		.version = take_below(in, 10),
		.threshold_max = take_below(in, 2) ? 0 : BIT_ULL(take_below(in, 13)) - 1,
		.narrow = take_below(in, 2),
		.shape = take_below(in, 3),
		.guestless = take_below(in, 2),
		.protected_kvm = take_below(in, 2),
		.counters = (BIT_ULL(take_below(in, 32)) - 1) | BIT_ULL(PMUV3_CYCLE_COUNTER),
		.pmceid = take(in, 8) | take(in, 8),
		.pmceid_ext = take(in, 8),
	};
	struct pmudev_refusal why = {}, why_again = {};
	struct pmudev_code code = {}, again = {};
	int ret;

	if (caps.version >= 9)
		caps.counters |= BIT_ULL(PMUV3_INSTRUCTION_COUNTER);
	ret = pmuv3_encode(&caps, attr, &code, &why);
	HOLDS(pmuv3_encode(&caps, attr, &again, &why_again) == ret);
	HOLDS(!memcmp(&why, &why_again, sizeof(why)));
	if (ret) {
		check_refused(ret, &why);
		return;
	}
	check_code(attr, &code, caps.counters);
	HOLDS(code.config == again.config && code.allowed == again.allowed);
	HOLDS(pmuv3_guest_config(&caps, code.config, code.filter) ==
	      pmuv3_guest_config(&caps, again.config, again.filter));
}

static void check_intel(struct input *in, const struct pmudev_event_attr *attr)
{
	struct intel_cpuid id = {};
	struct intel_caps caps, caps_again;
	struct pmudev_refusal why = {};
	struct pmudev_code code = {};
	unsigned int i;
	u64 counters;
	int ret;

	id.signature = take(in, 4);
	id.type = take_below(in, 2) ? INTEL_TYPE_ATOM : 0;
	/* Version, counters, width and length of EBX, in bytes; fixed counters. */
	id.leaf0a[0] = take_below(in, 8) | take_below(in, 10) << 8 |
		       (take_below(in, 4) ? 48 : take(in, 1)) << 16 | take_below(in, 14) << 24;
	id.leaf0a[1] = take(in, 1);
	id.leaf0a[2] = take_below(in, 16);
	id.leaf0a[3] = take_below(in, 6) | (take_below(in, 4) ? 48 : take(in, 1)) << 5;
	for (i = 0; take_below(in, 2) && i < 16; i++)
		id.leaf23[i / 4][i % 4] = take_below(in, 2) ? take(in, 1) : take(in, 4);
	counters = take(in, 4) << 10;
	memset(&caps, 0xa5, sizeof(caps));
	memset(&caps_again, 0x5a, sizeof(caps_again));
	ret = intel_enumerate(&caps, &id, counters, take_below(in, 2));
	if (ret) {
		HOLDS(ret == -ENODEV);
		return;
	}
	HOLDS(caps.counters && caps.version >= 2 && caps.width <= 64 && caps.width_fixed <= 64);
	HOLDS(caps.width <= caps.width_hw);
	HOLDS(!(intel_generic_events(&caps) >> PMUDEV_GENERIC_MAX));
	ret = intel_encode(&caps, attr, &code, &why);
	if (ret) {
		check_refused(ret, &why);
		return;
	}
	check_code(attr, &code, caps.counters);
	HOLDS(!code.chained);
	HOLDS(!(code.config & INTEL_EVTSEL_INT));
	for (counters = code.allowed >> PMUDEV_FIXED_BASE; counters; counters &= counters - 1)
		intel_fixed_bits(__ffs64(counters), code.config);
}

static void check_amd(struct input *in, const struct pmudev_event_attr *attr)
{
	struct amd_cpuid id = {};
	struct pmudev_refusal why = {};
	struct pmudev_code code = {};
	struct amd_caps caps, again;

	id.signature = take_below(in, 16) << 8 | take_below(in, 16) << 20;
	id.features =
		take_below(in, 4) ? take_below(in, 2) << 23 | take_below(in, 2) << 2 : take(in, 4);
	id.perfmon[0] = take_below(in, 2);
	id.perfmon[1] = take(in, 1);
	memset(&caps, 0xa5, sizeof(caps));
	memset(&again, 0x5a, sizeof(again));
	if (amd_enumerate(&caps, &id))
		return;
	HOLDS(!amd_enumerate(&again, &id) && !memcmp(&caps, &again, sizeof(caps)));
	HOLDS(caps.counters && !(caps.counters & ~0x3fULL));
	HOLDS(!(amd_generic_events(&caps) >> PMUDEV_GENERIC_MAX));
	if (amd_encode(&caps, attr, &code, &why)) {
		HOLDS(why.code);
		return;
	}
	check_code(attr, &code, caps.counters);
	HOLDS(!code.chained && !(code.config & AMD_CTL_INT));
	HOLDS(!(code.config & AMD_CTL_HOST) || !(code.config & AMD_CTL_GUEST));
	HOLDS(caps.filters || !(code.config & (AMD_CTL_HOST | AMD_CTL_GUEST)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct pmudev_refusal why = { .event = 7 }, again = { .event = 7 };
	struct pmudev_event_attr attr, before;
	int ret;

	take_attr(&in, &attr);
	before = attr;
	ret = pmudev_attr_check(&attr, &why);
	HOLDS(pmudev_attr_check(&attr, &again) == ret && !memcmp(&why, &again, sizeof(why)));
	HOLDS(!memcmp(&attr, &before, sizeof(attr)) && why.event == 7);
	if (ret) {
		HOLDS(ret == -EINVAL && why.code);
		return 0;
	}
	check_pmuv3(&in, &attr);
	check_intel(&in, &attr);
	check_amd(&in, &attr);
	HOLDS(!memcmp(&attr, &before, sizeof(attr)));
	return 0;
}
