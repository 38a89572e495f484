/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the bare x86 program share: registers, what start.S offers, results. */
#ifndef X86_H
#define X86_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define BIT64(n)      (1ULL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define WIDTH_MASK    (BIT64(48) - 1)

#define PMC(n)		  (0xc1 + (n))
#define EVTSEL(n)	  (0x186 + (n))
#define DEBUGCTL	  0x1d9
#define FIXED_CTR(n)	  (0x309 + (n))
#define PERF_METRICS	  0x329
#define PERF_CAPABILITIES 0x345
#define FIXED_CTR_CTRL	  0x38d
#define GLOBAL_STATUS	  0x38e
#define GLOBAL_CTRL	  0x38f
#define GLOBAL_OVF_CTRL	  0x390
#define GLOBAL_STATUS_SET 0x391
#define GLOBAL_INUSE	  0x392
#define A_PMC(n)	  (0x4c1 + (n))

#define USR	 BIT64(16)
#define OS	 BIT64(17)
#define EDGE	 BIT64(18)
#define INT	 BIT64(20)
#define ANY	 BIT64(21)
#define EN	 BIT64(22)
#define INV	 BIT64(23)
#define CMASK(n) ((u64)(n) << 24)
#define EQ	 BIT64(36)
#define HIDE	 BIT64(37)

#define FIXED_HIDE(n) BIT64(33 + 4 * (n))
#define METRICS	      BIT64(48)

#define EV_CORE	       0x003c
#define EV_INSN	       0x00c0
#define EV_REF	       0x013c
#define EV_LLC_REF     0x4f2e
#define EV_LLC_MISS    0x412e
#define EV_BRANCH      0x00c4
#define EV_BRANCH_MISS 0x00c5
#define EV_SLOTS       0x01a4

/* AMD's: counter n, the same of the first four by their old names, and PerfMonV2's global ones. */
#define AMD_CTL(n)	  (0xc0010200 + 2 * (n))
#define AMD_CTR(n)	  (0xc0010201 + 2 * (n))
#define AMD_OLD_CTL(n)	  (0xc0010000 + (n))
#define AMD_OLD_CTR(n)	  (0xc0010004 + (n))
#define AMD_GLOBAL_STATUS 0xc0000300
#define AMD_GLOBAL_CTL	  0xc0000301
#define AMD_GLOBAL_CLR	  0xc0000302
#define AMD_GLOBAL_SET	  0xc0000303
#define EFER		  0xc0000080
#define EFER_SVME	  BIT64(12)
#define VM_HSAVE_PA	  0xc0010117

#define GUEST	     BIT64(40)
#define HOST	     BIT64(41)
#define AMD_WRITABLE (0xfffd7ffffULL | GUEST | HOST)

#define AMD_CYCLES	0x0076
#define AMD_INSN	0x00c0
#define AMD_OPS		0x00c1
#define AMD_BRANCH	0x00c2
#define AMD_BRANCH_MISS 0x00c3
#define AMD_REF		0x100000120ULL

/* CPUID.1AH:EAX */
enum {
	NOT_HYBRID = 0,
	ATOM = 0x20000001,
	CORE = 0x40000001
};

/* What the options of -cpu say, from the command line. */
struct machine {
	u32 version, gp, fixed, missing, full_width, strict, core, ref, llc_ref, llc_miss,
		branch_miss, ext, hide, skid, atom_from, atom_gp, atom_fixed, amd, costs;
	/* Of this CPU: its kind; and what it has in common with the other kind. */
	u32 kind, common_gp, common_fixed;
	/* An AMD CPU's family, from CPUID. */
	u32 family;
};

extern struct machine machine;

struct idt_entry {
	u16 low, selector, type, high;
};

struct multiboot_info {
	u32 flags, mem[2], boot_device, cmdline;
};

/* start.S */
extern struct idt_entry idt[256];
void on_gp(void);
void on_other(void);
void on_pmi(void);
void on_int80(void);
extern u32 fixup, gp_seen, pmi_eip, pmi_count, user_n, user_index, user_result[2];
extern u32 control_msr;
extern char nops[], jumps[], other_start[], other_start_end[];
void run_user(void (*fn)(void));
void user_loop(void);
void user_nops(void);
void user_rdpmc(void);
void user_read(void);
void user_cpuid(void);
void count_loop(u64 ctrl, u32 n);
void count_nops(u64 ctrl);
void count_jumps(u64 ctrl);
void count_mixed(u64 ctrl);
void sample(u32 out[2], u32 n);
void count_guest(u64 ctrl, u32 n, void *vmcb);
void guest_loop(void);
void guest_nops(void);

/* What these pieces of code retire. */
#define LOOP_INSNS(n)	   (2 * (n) + 6)
#define MIXED_INSNS	   32
#define MIXED_BRANCHES	   5
#define USER_LOOP_INSNS(n) (2 * (n) + 2)
/* count_guest: up to VMRUN and behind #VMEXIT; guest_loop */
#define AROUND_GUEST_INSNS 8
#define GUEST_INSNS(n)	   (2 * (n))

/* main.c */
void main(const struct multiboot_info *info);
void other_main(void);
void check(const char *what, int ok);
void note(const char *what, u64 number);
void equal(const char *what, u64 got, u64 want);
void stop_pmu(void);
void arm_interrupt(void);
void apic_write(u32 reg, u32 val);
void allow_rdpmc(int yes);
void unexpected(u32 eip);

/* Each is one file. */
void test_registers(void);
void test_faults(void);
void test_user_reads(void);
void test_counts(void);
void test_rates(void);
void test_interrupts(void);
void test_costs(void);
/* On the second CPU, before anything else. */
void test_costs_alone(void);

/* The same of an AMD CPU; amd.c has what they share. */
void amd_set_up(void);
void amd_stop(void);
u64 amd_count(u32 i, u64 sel, u32 n);
u64 amd_llc_ref(void);
u64 amd_llc_miss(void);
u32 amd_ctl(u32 i);
u32 amd_ctr(u32 i);
u64 amd_arm(u32 i, u64 sel);
void amd_test_registers(void);
void amd_test_faults(void);
void amd_test_counts(void);
void amd_test_interrupts(void);
void amd_test_guest(void);

static inline void write_port(u16 port, u8 val)
{
	__asm__ volatile("outb %0, %1" : : "a"(val), "Nd"(port));
}

static inline void cpuid(u32 leaf, u32 sub, u32 r[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
			 : "a"(leaf), "c"(sub));
}

/* The three are 1 if it raised #GP. */
static inline int try_rdmsr(u32 msr, u64 *val)
{
	gp_seen = 0;
	__asm__ volatile("movl $1f, fixup; rdmsr; 1: movl $0, fixup"
			 : "=A"(*val)
			 : "c"(msr)
			 : "memory");
	return gp_seen;
}

static inline int try_wrmsr(u32 msr, u64 val)
{
	gp_seen = 0;
	__asm__ volatile("movl $1f, fixup; wrmsr; 1: movl $0, fixup"
			 :
			 : "c"(msr), "A"(val)
			 : "memory");
	return gp_seen;
}

static inline int try_rdpmc(u32 index, u64 *val)
{
	gp_seen = 0;
	__asm__ volatile("movl $1f, fixup; rdpmc; 1: movl $0, fixup"
			 : "=A"(*val)
			 : "c"(index)
			 : "memory");
	return gp_seen;
}

static inline u64 rdmsr(u32 msr)
{
	u64 val;

	__asm__ volatile("rdmsr" : "=A"(val) : "c"(msr));
	return val;
}

static inline void wrmsr(u32 msr, u64 val)
{
	__asm__ volatile("wrmsr" : : "c"(msr), "A"(val) : "memory");
}

static inline u64 rdpmc(u32 index)
{
	u64 val;

	__asm__ volatile("rdpmc" : "=A"(val) : "c"(index));
	return val;
}

#endif
