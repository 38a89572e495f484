// SPDX-License-Identifier: GPL-2.0
/*
 * KVM's entry and exit without KVM, for machines that cannot run guests: the tracepoints kvm_entry
 * and kvm_exit, with the arguments that they have on x86, and a device. A thread that writes a
 * struct fake_entry to it goes through both, with irqs off as in KVM, and executes a loop of known
 * length in between.
 */
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "fake_kvm.h"

/* Newer kernels add to the names of tracepoints that are no trace events. */
#ifndef DECLARE_TRACE_EVENT
#define DECLARE_TRACE_EVENT DECLARE_TRACE
#endif

struct kvm_vcpu;

DECLARE_TRACE_EVENT(kvm_entry, TP_PROTO(struct kvm_vcpu *vcpu, bool force_immediate_exit),
		    TP_ARGS(vcpu, force_immediate_exit));
DECLARE_TRACE_EVENT(kvm_exit, TP_PROTO(struct kvm_vcpu *vcpu, u32 isa), TP_ARGS(vcpu, isa));

DEFINE_TRACE(kvm_entry, TP_PROTO(struct kvm_vcpu *vcpu, bool force_immediate_exit),
	     TP_ARGS(vcpu, force_immediate_exit));
DEFINE_TRACE(kvm_exit, TP_PROTO(struct kvm_vcpu *vcpu, u32 isa), TP_ARGS(vcpu, isa));

/* Two instructions a round. */
static __always_inline void loop(u64 rounds)
{
	asm volatile("1:	dec	%0\n\tjnz	1b" : "+r"(rounds) : : "cc");
}

static noinline void enter(const struct fake_entry *entry)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!(entry->flags & FAKE_NO_ENTRY))
		trace_kvm_entry(NULL, false);
	if (entry->flags & FAKE_NMI)
		asm volatile("int	$2" : : : "memory");
	loop(entry->rounds);
	if (!(entry->flags & FAKE_NO_EXIT))
		trace_kvm_exit(NULL, 1);
	local_irq_restore(flags);
}

static ssize_t fake_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	struct fake_entry entry;

	if (size != sizeof(entry))
		return -EINVAL;
	if (copy_from_user(&entry, from, sizeof(entry)))
		return -EFAULT;
	if (!entry.rounds)
		return -EINVAL;
	enter(&entry);
	return size;
}

static const struct file_operations fake_fops = {
	.owner = THIS_MODULE,
	.write = fake_write,
};

static struct miscdevice fake_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "fake_kvm",
	.fops = &fake_fops,
	.mode = 0600,
};

module_misc_device(fake_device);

MODULE_DESCRIPTION("Guests' entries and exits for tests of pmudev");
MODULE_LICENSE("GPL");
