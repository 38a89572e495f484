/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A 32-bit program without an operating system, loaded by multiboot: flat segments for rings 0 and 3,
 * no paging, and an interrupt table that knows #GP (with a fixup), the PMU's interrupt and a way
 * back from ring 3. Then the pieces of code whose instructions are counted.
 */
#define MULTIBOOT_MAGIC	0x1badb002
#define APIC_EOI	0xfee000b0

	.section .multiboot, "a"
	.align	4
	.long	MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC

	.text
	.globl	_start
_start:
	movl	$stack_top, %esp
	lgdt	gdt_pointer
	ljmp	$0x08, $1f
1:	movl	$main, %edi
	jmp	set_up

/* The second CPU comes here. */
from_other_start:
	movl	$other_stack_top, %esp
	movl	$other_main, %edi

/* On a stack of its own, with flat code: the rest, and on to the function in EDI. */
set_up:
	movw	$0x23, %ax
	movw	%ax, %ds
	movw	%ax, %es
	movw	$0x10, %ax
	movw	%ax, %ss
	movl	$tss, %eax
	movw	%ax, gdt_tss + 2
	shrl	$16, %eax
	movb	%al, gdt_tss + 4
	movb	%ah, gdt_tss + 7
	/* Not busy, even if the first CPU has it. */
	movb	$0x89, gdt_tss + 5
	movw	$0x28, %ax
	ltr	%ax
	movw	$0x10, tss + 8
	lidt	idt_pointer
	pushl	%ebx
	call	*%edi
	cli
	hlt

/* What the second CPU starts with, in real mode at the copy's begin: to flat code. */
	.globl	other_start, other_start_end
	.code16
other_start:
	cli
	movw	%cs, %ax
	movw	%ax, %ds
	lgdtl	1f - other_start
	movl	%cr0, %eax
	orb	$1, %al
	movl	%eax, %cr0
	ljmpl	$0x08, $from_other_start
1:	.word	gdt_pointer - gdt - 1
	.long	gdt
other_start_end:
	.code32

/* #GP: go on at the fixup, if there is one. */
	.globl	on_gp
on_gp:
	addl	$4, %esp
	cmpl	$0, fixup
	je	on_other
	pushl	%eax
	movl	fixup, %eax
	movl	%eax, 4(%esp)
	movl	$1, gp_seen
	popl	%eax
	iret

	.globl	on_other
on_other:
	pushl	(%esp)
	call	unexpected

/* The PMU's interrupt: where it came, and how often. */
	.globl	on_pmi
on_pmi:
	pushl	%eax
	movl	4(%esp), %eax
	movl	%eax, pmi_eip
	incl	pmi_count
	movl	$0, APIC_EOI
	popl	%eax
	iret

/* void run_user(void (*fn)(void)): in ring 3, until it executes INT 0x80. */
	.globl	run_user
run_user:
	pushal
	movl	36(%esp), %eax
	movl	%esp, kernel_esp
	movl	%esp, tss + 4
	pushl	$0x23
	pushl	$user_stack_top
	pushl	$0x202
	pushl	$0x1b
	pushl	%eax
	iret

	.globl	on_int80
on_int80:
	movl	kernel_esp, %esp
	popal
	ret

/*
 * void count_loop(u64 ctrl, u32 n): the register control_msr = ctrl, a loop of n, the register = 0. What
 * counts in ring 0 counts 2n + 6 instructions, n of them branches.
 */
	.globl	count_loop
count_loop:
	movl	control_msr, %ecx
	movl	4(%esp), %eax
	movl	8(%esp), %edx
	wrmsr
	movl	12(%esp), %ecx
1:	decl	%ecx
	jnz	1b
	nop
	movl	control_msr, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	ret

/*
 * void count_nops(u64 ctrl): the same around 400 NOPs with interrupts enabled. The first instruction that
 * counts is the one at nops.
 */
	.globl	count_nops, nops
count_nops:
	movl	control_msr, %ecx
	movl	4(%esp), %eax
	movl	8(%esp), %edx
	sti
	nop
	wrmsr
nops:
	.rept	400
	nop
	.endr
	cli
	movl	control_msr, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	ret

/* The same around 400 branches, each to the next. They have two bytes each. */
	.globl	count_jumps, jumps
count_jumps:
	movl	control_msr, %ecx
	movl	4(%esp), %eax
	movl	8(%esp), %edx
	sti
	nop
	wrmsr
jumps:
	.rept	400
	jmp	.+2
	.endr
	cli
	movl	control_msr, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	ret

/* Ring 3: user_n times round the loop. 2 * user_n + 2 instructions. */
	.globl	user_loop
user_loop:
	movl	user_n, %ecx
1:	decl	%ecx
	jnz	1b
	int	$0x80

/* Ring 3: 100 NOPs and INT, the first of them at user_nops. */
	.globl	user_nops
user_nops:
	.rept	100
	nop
	.endr
	int	$0x80

/* Ring 3: RDPMC of user_index twice, with 10 instructions from one to the other. */
	.globl	user_rdpmc
user_rdpmc:
	movl	$1f, fixup
	movl	user_index, %ecx
	rdpmc
	movl	%eax, %esi
	.rept	8
	nop
	.endr
	rdpmc
	subl	%esi, %eax
	movl	%eax, user_result
1:	movl	$0, fixup
	int	$0x80

/* Ring 3: RDPMC of user_index once. */
	.globl	user_read
user_read:
	movl	$1f, fixup
	movl	user_index, %ecx
	movl	$0xabcdef, %eax
	movl	%eax, %edx
	rdpmc
1:	movl	%eax, user_result
	movl	%edx, user_result + 4
	movl	$0, fixup
	int	$0x80

/* Ring 3: CPUID of user_index, EAX and EBX. */
	.globl	user_cpuid
user_cpuid:
	movl	user_index, %eax
	xorl	%ecx, %ecx
	cpuid
	movl	%eax, user_result
	movl	%ebx, user_result + 4
	int	$0x80

/* void sample(u32 out[2], u32 n): n NOPs and more, then RDPMC of the counters 0 and 1. */
	.globl	sample
sample:
	movl	8(%esp), %ecx
	incl	%ecx
1:	decl	%ecx
	jnz	1b
	pushl	%ebx
	rdpmc
	movl	%eax, %ebx
	movl	$1, %ecx
	rdpmc
	movl	8(%esp), %ecx
	movl	%ebx, (%ecx)
	movl	%eax, 4(%ecx)
	popl	%ebx
	ret

/*
 * void count_mixed(u64 ctrl): a REP is one instruction whatever it repeats, and what raises #GP does
 * not retire. 32 instructions, 5 of them branches, with the 9 of on_gp (JE and IRET are branches).
 */
	.globl	count_mixed
count_mixed:
	pushl	%edi
	movl	control_msr, %ecx
	movl	8(%esp), %eax
	movl	12(%esp), %edx
	wrmsr
	movl	$100, %ecx
	movl	$scratch, %edi
	xorl	%eax, %eax
	cld
	rep stosb
	repne scasb
	call	1f
	jmp	2f
1:	ret
2:	movl	$3f, fixup
	movl	$0x40, %ecx
	rdpmc
3:	movl	$0, fixup
	.rept	7
	nop
	.endr
	movl	control_msr, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	popl	%edi
	ret

/*
 * void count_guest(u64 ctrl, u32 n, void *vmcb): counting starts, VMRUN with n in ECX, and behind #VMEXIT
 * it ends. The instructions from the first WRMSR, which does not count, to the last, but for VMRUN's guest: 8.
 */
	.globl	count_guest
count_guest:
	pushl	%ebx
	movl	control_msr, %ecx
	movl	8(%esp), %eax
	movl	12(%esp), %edx
	movl	20(%esp), %ebx
	sti
	wrmsr
	movl	%ebx, %eax
	movl	16(%esp), %ecx
	vmrun
	movl	control_msr, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	nop
	wrmsr
	stgi
	nop
	cli
	popl	%ebx
	ret

/* The guest: ECX times round the loop, then it is intercepted. */
	.globl	guest_loop
guest_loop:
	decl	%ecx
	jnz	guest_loop
	vmmcall

/* The guest: 100 NOPs, the first of them at guest_nops. */
	.globl	guest_nops
guest_nops:
	.rept	100
	nop
	.endr
	vmmcall

	.data
	.align	8
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* 08: code, ring 0 */
	.quad	0x00cf93000000ffff	/* 10: data, ring 0 */
	.quad	0x00cffb000000ffff	/* 18: code, ring 3 */
	.quad	0x00cff3000000ffff	/* 20: data, ring 3 */
gdt_tss:
	.quad	0x0000890000000067	/* 28: the task state */
gdt_pointer:
	.word	. - gdt - 1
	.long	gdt
	.align	8
idt_pointer:
	.word	256 * 8 - 1
	.long	idt

/* What starts and stops counting: GLOBAL_CTRL. */
	.globl	control_msr
control_msr:
	.long	0x38f

	.bss
	.align	16
	.globl	idt, fixup, gp_seen, pmi_eip, pmi_count, user_n, user_index, user_result
idt:		.skip	256 * 8
tss:		.skip	104
scratch:	.skip	128
fixup:		.skip	4
gp_seen:	.skip	4
pmi_eip:	.skip	4
pmi_count:	.skip	4
kernel_esp:	.skip	4
user_n:		.skip	4
user_index:	.skip	4
user_result:	.skip	8
	.align	16
	.skip	16384
stack_top:
	.skip	16384
other_stack_top:
	.skip	4096
user_stack_top:
