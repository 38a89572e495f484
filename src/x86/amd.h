/* SPDX-License-Identifier: GPL-2.0 */
/* The AMD part of the x86 backend. */
#ifndef _PMUDEV_X86_AMD_H
#define _PMUDEV_X86_AMD_H

#include "nmi.h"

/* amd_probe.c */
extern const struct x86_vendor amd_vendor;

/* amd_pmu.c: on the CPU, interrupts disabled. As in struct x86_vendor, or pmudev_backend_*() */
void amd_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);
u64 amd_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);
u64 amd_read(struct pmudev_hw *const *hw, unsigned int nr);
void amd_clear(u64 counters);
u64 amd_global_ctrl(void);
void amd_set_global_ctrl(u64 counters);
void amd_silence(bool hide);
u32 amd_operand(unsigned int counter);
u64 amd_find_foreign(u64 counters);
u64 amd_both_modes(const struct x86_kind *kind);
/* KVM has set or cleared EFER.SVME here, and perf's driver has written registers. */
void amd_virt_changed(void);

/* amd_nmi.c */
/* As the static calls */
enum x86_nmi amd_judge_nmi(struct x86_cpu *cpuc, u64 *counters);
void amd_acknowledge(struct x86_cpu *cpuc);

/* amd_guest.c */
/*
 * False: no event is for the host or for guests only. Changes from true to false. True before a
 * kind of CPU is known, whose own capabilities decide then.
 */
bool amd_has_filters(void);
/* When the PMU is known, and before unload. May sleep. */
void amd_hook(void);
void amd_unhook(void);

#endif /* _PMUDEV_X86_AMD_H */
