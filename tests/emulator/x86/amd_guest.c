// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's PMU and SVM: what counts between VMRUN and #VMEXIT and what around it. VMRUN is the host's;
 * the instruction that is intercepted does not retire.
 */
#include "x86.h"

#define N 1000

#define INTERCEPT_INTR	  BIT64(0)
#define INTERCEPT_VMRUN	  BIT64(32)
#define INTERCEPT_VMMCALL BIT64(33)
#define EXIT_INTR	  0x60
#define EXIT_VMMCALL	  0x81

/* Where the fields are that are not 0, in a guest's control block. */
#define INTERCEPTS 0x0c
#define ASID	   0x58
#define EXIT_CODE  0x70
#define SEGMENT(n) (0x400 + 16 * (n))
#define SAVED_CPL  0x4cb
#define SAVED_EFER 0x4d0
#define SAVED_CR0  0x558
#define SAVED_DR7  0x560
#define SAVED_DR6  0x568
#define RFLAGS	   0x570
#define RIP	   0x578

enum {
	ES,
	CS,
	SS,
	DS
};

static u8 vmcb[4096] __attribute__((aligned(4096)));
static u8 host_save[4096] __attribute__((aligned(4096)));

static void set(u32 at, u64 val)
{
	__builtin_memcpy(vmcb + at, &val, sizeof(val));
}

static u64 get(u32 at)
{
	u64 val;

	__builtin_memcpy(&val, vmcb + at, sizeof(val));
	return val;
}

/* Flat 4 GB, of 32 bits. */
static void set_segment(u32 n, u32 selector, u32 type, u32 ring)
{
	set(SEGMENT(n), (selector | ring) | (0xc00 | type | ring << 5) << 16 | 0xffffffffULL << 32);
	set(SEGMENT(n) + 8, 0);
}

/* A guest like this program itself, at fn in this ring. */
static void make_guest(void (*fn)(void), u32 ring)
{
	u32 cr0;

	__builtin_memset(vmcb, 0, sizeof(vmcb));
	__asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
	set(INTERCEPTS, INTERCEPT_INTR | INTERCEPT_VMRUN | INTERCEPT_VMMCALL);
	set(ASID, 1);
	set_segment(CS, ring ? 0x18 : 0x08, 0x9b, ring);
	set_segment(SS, ring ? 0x20 : 0x10, 0x93, ring);
	set_segment(DS, 0x20, 0x93, 3);
	set_segment(ES, 0x20, 0x93, 3);
	vmcb[SAVED_CPL] = ring;
	set(SAVED_EFER, EFER_SVME);
	set(SAVED_CR0, cr0);
	set(SAVED_DR7, 0x400);
	set(SAVED_DR6, 0xffff0ff0);
	set(RFLAGS, 0x202);
	set(RIP, (u32)fn);
}

/* What counter i counts of a guest's loop and what surrounds it. */
static u64 count(u32 i, u64 sel, u32 ring)
{
	amd_stop();
	make_guest(guest_loop, ring);
	count_guest(amd_arm(i, sel), N, vmcb);
	if (get(EXIT_CODE) != EXIT_VMMCALL)
		equal("the guest ends with VMMCALL", get(EXIT_CODE), EXIT_VMMCALL);
	return rdmsr(amd_ctr(i));
}

/* Without SVM, both bits keep a counter from counting. */
static void test_without(void)
{
	equal("without SVM: neither bit", amd_count(0, AMD_INSN, N), LOOP_INSNS(N));
	equal("    guest only", amd_count(0, AMD_INSN | GUEST, N), 0);
	equal("    host only", amd_count(0, AMD_INSN | HOST, N), 0);
	equal("    both", amd_count(0, AMD_INSN | GUEST | HOST, N), 0);
}

static void test_host(void)
{
	equal("in the host: neither bit", amd_count(0, AMD_INSN, N), LOOP_INSNS(N));
	equal("    guest only", amd_count(0, AMD_INSN | GUEST, N), 0);
	equal("    host only", amd_count(0, AMD_INSN | HOST, N), LOOP_INSNS(N));
	equal("    both", amd_count(0, AMD_INSN | GUEST | HOST, N), LOOP_INSNS(N));
}

/* EFER.SVME is on for ten NOPs. The write that sets it does not count, the other one does. */
static void test_switch(u64 bits)
{
	u32 on = rdmsr(EFER) | EFER_SVME, off = on & ~EFER_SVME;

	amd_stop();
	wrmsr(amd_ctl(0), AMD_INSN | OS | EN | bits);
	if (machine.amd >= 2)
		wrmsr(AMD_GLOBAL_CTL, 1);
	__asm__ volatile("wrmsr\n"
			 ".rept 10; nop; .endr\n"
			 "movl %1, %%eax\n"
			 "wrmsr\n"
			 : "+a"(on)
			 : "r"(off), "c"(EFER), "d"(0)
			 : "memory");
	equal("while SVM is on", rdpmc(0), 12);
}

static void test_modes(u32 i)
{
	u64 guest = GUEST_INSNS(N), host = AROUND_GUEST_INSNS, sel = AMD_INSN | OS | USR;
	u32 ring;

	for (ring = 0; ring <= 3; ring += 3) {
		equal("a guest's loop: neither bit", count(i, sel, ring), guest + host);
		equal("    guest only", count(i, sel | GUEST, ring), guest);
		equal("    host only", count(i, sel | HOST, ring), host);
		equal("    both", count(i, sel | GUEST | HOST, ring), guest + host);
		equal("    branches of the guest", count(i, AMD_BRANCH | OS | USR | GUEST, ring),
		      N);
		equal("    of the host", count(i, AMD_BRANCH | OS | USR | HOST, ring), 0);
		equal("    cycles of the guest", count(i, AMD_CYCLES | OS | USR | GUEST, ring),
		      machine.core * guest);
		equal("    ring 0 of guests", count(i, AMD_INSN | OS | GUEST, ring),
		      ring ? 0 : guest);
		equal("    ring 3 of guests", count(i, AMD_INSN | USR | GUEST, ring),
		      ring ? guest : 0);
		equal("    ring 3 of the host", count(i, AMD_INSN | USR | HOST, ring), 0);
	}
}

/* An overflow in the guest: the interrupt ends it at the very instruction. */
static void test_overflow(u32 i, u32 before)
{
	u64 go;

	amd_stop();
	make_guest(guest_nops, 0);
	go = amd_arm(i, AMD_INSN | OS | INT | GUEST);
	wrmsr(amd_ctr(i), 0ULL - before);
	count_guest(go, 1, vmcb);
	equal("an overflow in the guest ends it", get(EXIT_CODE), EXIT_INTR);
	equal("    behind the instruction", get(RIP), (u32)guest_nops + before);
	equal("    with one interrupt", pmi_count, 1);
	equal("    and nothing counts after it", rdmsr(amd_ctr(i)), 0);
}

/* One of the host's, with VMRUN: before the guest's first instruction. */
static void test_vmrun(u32 i)
{
	u64 go;

	amd_stop();
	make_guest(guest_nops, 0);
	go = amd_arm(i, AMD_INSN | OS | INT | HOST);
	wrmsr(amd_ctr(i), 0ULL - 3);
	count_guest(go, 1, vmcb);
	equal("an overflow by VMRUN ends the guest", get(EXIT_CODE), EXIT_INTR);
	equal("    before its first instruction", get(RIP), (u32)guest_nops);
	equal("    and the host's instructions count", rdmsr(amd_ctr(i)), AROUND_GUEST_INSNS - 3);
}

void amd_test_guest(void)
{
	u32 r[4], i;

	test_without();
	cpuid(0x80000001, 0, r);
	equal("SVM is there", r[2] >> 2 & 1, 1);
	if (!(r[2] >> 2 & 1))
		return;
	wrmsr(EFER, rdmsr(EFER) | EFER_SVME);
	wrmsr(VM_HSAVE_PA, (u32)host_save);
	test_host();
	for (i = 0; i < machine.gp; i++) {
		test_modes(i);
		if (machine.skid)
			continue;
		test_overflow(i, 1);
		test_overflow(i, 57);
		test_vmrun(i);
	}
	amd_stop();
	wrmsr(EFER, rdmsr(EFER) & ~EFER_SVME);
	test_without();
	test_switch(HOST);
	test_switch(GUEST | HOST);
	amd_stop();
}
