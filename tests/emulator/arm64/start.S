/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program without an operating system on QEMU's machine "virt", at EL1, MMU off: where the CPUs
 * begin, the PMU's interrupt, a way to EL0 and back, and the pieces of code whose instructions are
 * counted.
 */
#define ICC_IAR1	S3_0_C12_C12_0
#define ICC_EOIR1	S3_0_C12_C12_1
#define STACK		4096

	.section .text.start, "ax"
	.globl	_start, secondary
_start:
	mov	x0, #0
/* x0: the CPU's number; also what PSCI hands to the others. */
secondary:
	ldr	x1, =stacks + STACK
	mov	x2, #STACK
	madd	x1, x0, x2, x1
	mov	sp, x1
	ldr	x1, =vectors
	msr	vbar_el1, x1
	isb
	bl	cpu_main
1:	wfi
	b	1b

	.balign	2048
vectors:
	.rept	4
	.balign	128
	b	on_other
	.endr
	.balign	128
	b	on_other
	.balign	128
	b	on_irq
	.rept	2
	.balign	128
	b	on_other
	.endr
	.balign	128
	b	on_svc
	.balign	128
	b	on_irq
	.rept	6
	.balign	128
	b	on_other
	.endr

/* struct percpu: pmi_pc, pmi_count, pmi_status. The PMU's interrupt is the only one. */
on_irq:
	stp	x0, x1, [sp, #-16]!
	mrs	x0, tpidr_el1
	mrs	x1, elr_el1
	str	x1, [x0]
	ldr	x1, [x0, #8]
	add	x1, x1, #1
	str	x1, [x0, #8]
	mrs	x1, pmovsclr_el0
	str	x1, [x0, #16]
	msr	pmovsclr_el0, x1
	mrs	x1, ICC_IAR1
	msr	ICC_EOIR1, x1
	ldp	x0, x1, [sp], #16
	eret

on_other:
	mrs	x0, esr_el1
	mrs	x1, elr_el1
	bl	unexpected

/* u64 run_user(u64 (*fn)(u64), u64 arg): at EL0, until it executes SVC or has an exception (TRAPPED | EC). */
	.globl	run_user
run_user:
	stp	x29, x30, [sp, #-16]!
	msr	elr_el1, x0
	msr	spsr_el1, xzr
	mov	x0, x1
	eret
on_svc:
	mrs	x1, esr_el1
	lsr	x1, x1, #26
	cmp	x1, #0x15
	b.eq	1f
	movz	x0, #0x0bad, lsl #48
	orr	x0, x0, x1
1:	ldp	x29, x30, [sp], #16
	ret

/* void count_loop(u64 counters, u64 n): what counts at EL1 counts 2n + 1 instructions. */
	.globl	count_loop
count_loop:
	msr	pmcntenset_el0, x0
1:	subs	x1, x1, #1
	b.ne	1b
	msr	pmcntenclr_el0, x0
	ret

/* void count_turns(u64 counters, u64 n): 3n + 1 instructions. With each YIELD another CPU has its turn. */
	.globl	count_turns
count_turns:
	msr	pmcntenset_el0, x0
1:	yield
	subs	x1, x1, #1
	b.ne	1b
	msr	pmcntenclr_el0, x0
	ret

/* void count_nops(u64 counters): 400 NOPs with interrupts enabled, the first of them at nops. */
	.globl	count_nops, nops
count_nops:
	msr	daifclr, #2
	msr	pmcntenset_el0, x0
nops:
	.rept	400
	nop
	.endr
	msr	daifset, #2
	msr	pmcntenclr_el0, x0
	ret

/* u64 counter_behind_nops(u64 counters, u64 high): event counter 0 or 1 behind ten NOPs. */
	.globl	counter_behind_nops
counter_behind_nops:
	cbnz	x1, 1f
	msr	pmcntenset_el0, x0
	.rept	10
	nop
	.endr
	mrs	x1, pmevcntr0_el0
	b	2f
1:	msr	pmcntenset_el0, x0
	.rept	10
	nop
	.endr
	mrs	x1, pmevcntr1_el0
2:	msr	pmcntenclr_el0, x0
	mov	x0, x1
	ret

/* u64 user_loop(u64 n): 2n + 1 instructions at EL0. */
	.globl	user_loop
user_loop:
	subs	x0, x0, #1
	b.ne	user_loop
	svc	#0

/* u64 cycles_of_wfi(void): the cycle counter behind a WFI less that before it: 2 instructions. */
	.globl	cycles_of_wfi
cycles_of_wfi:
	mrs	x1, pmccntr_el0
	wfi
	mrs	x0, pmccntr_el0
	sub	x0, x0, x1
	ret

	.bss
	.balign	16
stacks:	.skip	STACK * 8
