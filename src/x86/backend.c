// SPDX-License-Identifier: GPL-2.0
/* The Intel backend's operations: what the core calls. */
#include "intel.h"

static int intel_probe(struct pmudev_pmu_info *const *info, const struct pmudev_upcalls *upcalls)
{
	unsigned int i;
	int ret, user;

	intel_upcalls = upcalls;
	ret = intel_find_kinds(info);
	if (ret)
		return ret;
	ret = intel_reserve_init();
	if (ret)
		return ret;
	user = intel_user_init(intel_kinds[0].perf);
	if (user == -ENOMEM) {
		intel_reserve_exit();
		return user;
	}
	if (user)
		pr_warn("pmudev: no user reads: perf in this kernel lacks functions that they need\n");
	for (i = 0; i < intel_nr_kinds && !user; i++) {
		info[i]->user = info[i]->counters;
		info[i]->features |= PMUDEV_HAS_USER_READ;
		if (intel_kinds[i].caps.full_width || (info[i]->counters & ~INTEL_PROGRAMMABLE))
			info[i]->features |= PMUDEV_HAS_DIRECT;
		if (intel_kinds[i].caps.hiding)
			info[i]->features |= PMUDEV_HAS_HIDING;
	}
	return intel_nr_kinds;
}

static int intel_encode_event(const struct pmudev_pmu_info *info,
			      const struct pmudev_event_attr *attr, struct pmudev_code *code,
			      struct pmudev_refusal *why)
{
	return intel_encode(&intel_kinds[info->index].caps, attr, code, why);
}

const struct pmudev_backend_ops pmudev_backend = {
	.probe = intel_probe,
	.remove = intel_reserve_exit,
	.identify = intel_identify,
	.cpu_up = intel_cpu_up,
	.cpu_down = intel_cpu_down,
	.held = intel_held,
	.explain = intel_explain,
	.encode = intel_encode_event,
	.operand = intel_operand,
	.grant = intel_grant,
	.revoke = intel_revoke,
	.forked = intel_forked,
	.interrupts = intel_interrupts,
	.guest_entry = intel_on_guest_entry,
	.guest_exit = intel_on_guest_exit,
	.guest_enter = intel_guest_enter,
	.guest_leave = intel_guest_leave,
};
