// SPDX-License-Identifier: GPL-2.0
/*
 * Replace perf_clear_dirty_counters() on owned CPUs: it would clear counters that are not perf's
 * any more.
 *
 * The kernel calls it with interrupts disabled when it switches to an address space with the right
 * to read, just before it sets CR4.PCE. The reader may be in the middle of a read: text_poke()
 * leaves the reader's address space for a moment.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include <asm/frame.h>
#include <asm/ibt.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

#include "../compat.h"
#include "../hooks.h"
#include "intel.h"

#define CLEAR_FUNCTION "perf_clear_dirty_counters"

static struct pmudev_hook listed_clear = { .name = CLEAR_FUNCTION };

/* Call depth tracking: functions that call others begin with this. */
#ifndef CALL_DEPTH_ACCOUNT
#define CALL_DEPTH_ACCOUNT ""
#endif

/* Returns false if this CPU is not owned: perf_clear_dirty_counters() itself must run. */
asmlinkage bool intel_clear_instead(void);

noinline notrace bool intel_clear_instead(void)
{
	if (!this_cpu_read(intel_cpus.owned))
		return false;
	this_cpu_write(intel_cpus.kept_access, false);
	return intel_upcalls->clear_residue();
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/*
 * ftrace makes the function's first instruction call this, so there are two return addresses. To
 * replace the function, drop the first and return to the second, its caller. The function has no
 * arguments, so all caller-saved registers are free. Aligned, because newer kernels use the lowest
 * bit of the address.
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
 * FTRACE_OPS_FL_PERMANENT keeps the sysctl kernel.ftrace_enabled at 1; 0 would undo the call. Not
 * all kernels accept the flag for direct calls, so a second ftrace_ops has it. That one traces a
 * function that runs only when the module is loaded.
 */
static void notrace guard_func(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			       struct ftrace_regs *regs)
{
}

static struct ftrace_ops guard = {
	.func = guard_func,
	.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_PERMANENT,
};

/* The sysctl that it holds. */
static struct pmudev_hook listed_guard = { .name = "ftrace_enabled" };

static int hook_guard(void)
{
	int ret = ftrace_set_filter_ip(&guard, (unsigned long)intel_clear_hook, 0, 0);

	if (!ret)
		ret = register_ftrace_function(&guard);
	if (ret)
		ftrace_free_filter(&guard);
	else
		pmudev_hook_note(&listed_guard, true);
	return ret;
}

static void unhook_guard(void)
{
	unregister_ftrace_function(&guard);
	ftrace_free_filter(&guard);
	pmudev_hook_note(&listed_guard, false);
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
	else
		pmudev_hook_note(&listed_clear, true);
	return ret;
}

void intel_clear_unhook(void)
{
	WARN_ON(pmudev_unregister_direct(&clear_hook, (unsigned long)intel_clear_called));
	pmudev_hook_note(&listed_clear, false);
	unhook_guard();
}

#else

/* Runs in place of the probed function and returns to its caller. */
static noinline notrace void clear_ours(void)
{
	intel_clear_instead();
}

static int __kprobes before(struct kprobe *probe, struct pt_regs *regs)
{
	if (!this_cpu_read(intel_cpus.owned))
		return 0;
	instruction_pointer_set(regs, (unsigned long)clear_ours);
	return 1;
}

/* Keeps kprobes from optimizing the probe into a jump: before() changes the instruction pointer. */
static void __kprobes after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe clear_hook = {
	.symbol_name = CLEAR_FUNCTION,
	.pre_handler = before,
	.post_handler = after,
};

int intel_clear_hook(void)
{
	int ret = register_kprobe(&clear_hook);

	if (!ret)
		pmudev_hook_note(&listed_clear, true);
	return ret;
}

void intel_clear_unhook(void)
{
	unregister_kprobe(&clear_hook);
	pmudev_hook_note(&listed_clear, false);
}

#endif
