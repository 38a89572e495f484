/* SPDX-License-Identifier: GPL-2.0 */
/* The Intel part of the x86 backend. */
#ifndef _PMUDEV_X86_INTEL_H
#define _PMUDEV_X86_INTEL_H

#include "nmi.h"

/* struct intel_caps.width without full-width writes */
#define INTEL_NARROW		31

/* intel_probe.c */
extern const struct x86_vendor intel_vendor;

/* intel_pmu.c: on the CPU, interrupts disabled. As in struct x86_vendor, or pmudev_backend_*() */
void intel_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);
u64 intel_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);
u64 intel_read(struct pmudev_hw *const *hw, unsigned int nr);
void intel_clear(u64 counters);
u64 intel_global_ctrl(void);
void intel_set_global_ctrl(u64 counters);
void intel_silence(bool hide);
u32 intel_operand(unsigned int counter);
u64 intel_find_foreign(u64 counters);
u64 intel_both_modes(const struct x86_kind *kind);

/* intel_nmi.c: as the static calls */
enum x86_nmi intel_judge_nmi(struct x86_cpu *cpuc, u64 *counters);
void intel_acknowledge(struct x86_cpu *cpuc);

/* intel_guest.c */
pmudev_probe_kvm_entry intel_on_guest_entry;
void intel_on_guest_exit(void *data, struct kvm_vcpu *vcpu, u32 isa);
void intel_guest_enter(struct pmudev_hw *const *hw, unsigned int nr);
void intel_guest_leave(void);

#endif /* _PMUDEV_X86_INTEL_H */
