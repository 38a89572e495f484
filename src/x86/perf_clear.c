// SPDX-License-Identifier: GPL-2.0
/*
 * Instead of perf_clear_dirty_counters(), on CPUs that are ours: what it zeroes there is not
 * perf's any more. It is called with irqs off, when who may read comes to this CPU, and the kernel
 * is about to set CR4.PCE itself. It may do so under a reader, when text_poke() has left the
 * reader's address space for a moment.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include <asm/frame.h>
#include <asm/ibt.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

#include "../compat.h"
#include "intel.h"

#define CLEAR_FUNCTION "perf_clear_dirty_counters"

/* What a function that calls begins with, where the kernel counts returns. */
#ifndef CALL_DEPTH_ACCOUNT
#define CALL_DEPTH_ACCOUNT ""
#endif

/* Return: done; false: these counters are perf's. */
asmlinkage bool intel_clear_instead(void);

noinline notrace bool intel_clear_instead(void)
{
	if (!this_cpu_read(intel_cpus.owned))
		return false;
	this_cpu_write(intel_cpus.kept_access, false);
	return pmudev_clear_residue();
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/*
 * At each switch to a reader: the function's first instruction calls this, so there are two return
 * addresses. The second is its caller's, the first is left out. The function has no arguments:
 * all that it may change is free. Aligned: newer kernels use the lowest bit of such an address.
 */
void intel_clear_called(void);

/* clang-format off */
asm(".pushsection .text, \"ax\", @progbits\n"
	".type intel_clear_called, @function\n"
	".globl intel_clear_called\n"
	".balign 16\n"
	"intel_clear_called:\n"
	ASM_ENDBR
	CALL_DEPTH_ACCOUNT
	FRAME_BEGIN
	"	call intel_clear_instead\n"
	FRAME_END
	"	test %al, %al\n"
	"	jz 1f\n"
	"	add $8, %rsp\n"
	UNWIND_HINT_FUNC
	ASM_RET
	"1:\n"
	ASM_RET
	".size intel_clear_called, .-intel_clear_called\n"
	".popsection\n");
/* clang-format on */

static struct ftrace_ops clear_hook;

/*
 * While it is there, sysctl kernel.ftrace_enabled cannot be 0: that would undo the call, which
 * takes no such flag on all kernels. It follows what is hardly called.
 */
static void notrace guarding(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			     struct ftrace_regs *regs)
{
}

static struct ftrace_ops guard = {
	.func = guarding,
	.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_PERMANENT,
};

static int hook_guard(void)
{
	int ret = ftrace_set_filter_ip(&guard, (unsigned long)intel_user_exit, 0, 0);

	if (!ret)
		ret = register_ftrace_function(&guard);
	if (ret)
		ftrace_free_filter(&guard);
	return ret;
}

static void unhook_guard(void)
{
	unregister_ftrace_function(&guard);
	ftrace_free_filter(&guard);
}

static int hook_direct(void)
{
	static unsigned char name[] = CLEAR_FUNCTION;
	int ret = ftrace_set_filter(&clear_hook, name, strlen(CLEAR_FUNCTION), 0);

	if (!ret)
		ret = pmudev_register_direct(&clear_hook, (unsigned long)intel_clear_called);
	if (ret)
		ftrace_free_filter(&clear_hook);
	return ret;
}

int intel_clear_hook(void)
{
	int ret = hook_guard();

	if (ret)
		return ret;
	ret = hook_direct();
	if (ret)
		unhook_guard();
	return ret;
}

void intel_clear_unhook(void)
{
	WARN_ON(pmudev_unregister_direct(&clear_hook, (unsigned long)intel_clear_called));
	unhook_guard();
}

#else

/* The function that was just entered returns to its caller by way of this. */
static noinline notrace void clear_ours(void)
{
	intel_clear_instead();
}

static int __kprobes clearing(struct kprobe *probe, struct pt_regs *regs)
{
	if (!this_cpu_read(intel_cpus.owned))
		return 0;
	instruction_pointer_set(regs, (unsigned long)clear_ours);
	return 1;
}

/* One that has this may not be rotated into a jump, past which nothing could be skipped. */
static void __kprobes after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe clear_hook = {
	.symbol_name = CLEAR_FUNCTION,
	.pre_handler = clearing,
	.post_handler = after,
};

int intel_clear_hook(void)
{
	return register_kprobe(&clear_hook);
}

void intel_clear_unhook(void)
{
	unregister_kprobe(&clear_hook);
}

#endif
