// SPDX-License-Identifier: GPL-2.0
/*
 * The bare x86 program's set-up and results: TAP on port e9h, the end on port f4h. The command line
 * tells what the CPU was made to be (gp=4 version=5 ...).
 */
#include "x86.h"

#define APIC 0xfee00000u

/* A page below 1 MB, where the second CPU starts. */
#define OTHER_START 0x8000u

struct machine machine;
static u32 tests, failures, other_runs;

static void put(const char *s)
{
	while (*s)
		write_port(0xe9, *s++);
}

static void put_hex(u64 val)
{
	int shift = 60;

	while (shift && !(val >> shift))
		shift -= 4;
	put("0x");
	for (; shift >= 0; shift -= 4)
		write_port(0xe9, "0123456789abcdef"[(val >> shift) & 0xf]);
}

static void put_number(u32 val)
{
	if (val >= 10)
		put_number(val / 10);
	write_port(0xe9, '0' + val % 10);
}

void check(const char *what, int ok)
{
	if (!ok)
		failures++;
	put(ok ? "ok " : "not ok ");
	put_number(++tests);
	put(" - ");
	put(what);
	put("\n");
}

void equal(const char *what, u64 got, u64 want)
{
	check(what, got == want);
	if (got != want) {
		put("# is ");
		put_hex(got);
		put(", should be ");
		put_hex(want);
		put("\n");
	}
}

void note(const char *what, u64 number)
{
	put("# ");
	put(what);
	put(": ");
	put_hex(number);
	put("\n");
}

static void __attribute__((noreturn)) finish(void)
{
	put("1..");
	put_number(tests);
	put("\n");
	write_port(0xf4, failures != 0);
	for (;;)
		__asm__ volatile("cli; hlt");
}

void unexpected(u32 eip)
{
	put("# exception near ");
	put_hex(eip);
	put("\n");
	check("no exception but those that are asked for", 0);
	finish();
}

static void set_vector(int vector, void (*fn)(void), u16 type)
{
	u32 at = (u32)fn;

	idt[vector] = (struct idt_entry){ at, 0x08, type, at >> 16 };
}

void apic_write(u32 reg, u32 val)
{
	__atomic_store_n((u32 *)(APIC + reg), val, __ATOMIC_RELEASE);
}

/* The PMU's interrupt is armed, and none was seen. */
void arm_interrupt(void)
{
	pmi_count = 0;
	apic_write(0x340, 0x40);
}

/* All counters and their settings are 0, and the interrupt is armed. */
void stop_pmu(void)
{
	u32 i;

	wrmsr(GLOBAL_CTRL, 0);
	for (i = 0; i < machine.gp; i++) {
		wrmsr(EVTSEL(i), 0);
		wrmsr(PMC(i), 0);
	}
	wrmsr(FIXED_CTR_CTRL, 0);
	for (i = 0; i < 4; i++) {
		if (machine.fixed & (1 << i))
			wrmsr(FIXED_CTR(i), 0);
	}
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
	arm_interrupt();
}

static const char *parse_number(const char *s, u32 *val)
{
	for (*val = 0; *s >= '0' && *s <= '9'; s++)
		*val = *val * 10 + *s - '0';
	return s;
}

static void parse(const char *s)
{
	static const struct {
		const char *name;
		u32 *val;
	} names[] = {
		{ "version=", &machine.version },
		{ "gp=", &machine.gp },
		{ "fixed=", &machine.fixed },
		{ "missing=", &machine.missing },
		{ "wide=", &machine.full_width },
		{ "strict=", &machine.strict },
		{ "core=", &machine.core },
		{ "ref=", &machine.ref },
		{ "llc-ref=", &machine.llc_ref },
		{ "llc-miss=", &machine.llc_miss },
		{ "branch-miss=", &machine.branch_miss },
		{ "ext=", &machine.ext },
		{ "hide=", &machine.hide },
		{ "skid=", &machine.skid },
		{ "atom-from=", &machine.atom_from },
		{ "atom-gp=", &machine.atom_gp },
		{ "atom-fixed=", &machine.atom_fixed },
		{ "amd=", &machine.amd },
		{ "costs=", &machine.costs },
	};
	u32 i, n;

	for (; *s; s++) {
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			for (n = 0; names[i].name[n] && names[i].name[n] == s[n]; n++)
				;
			if (!names[i].name[n] && s[-1] == ' ')
				s = parse_number(s + n, names[i].val) - 1;
		}
	}
}

/* What this CPU is, of a machine with CPUs of two kinds. */
static void take_kind(u32 cpu)
{
	static struct machine all;

	if (!all.gp)
		all = machine;
	machine = all;
	machine.common_gp = all.gp;
	machine.common_fixed = all.fixed;
	if (all.atom_from == 255)
		return;
	machine.kind = cpu >= all.atom_from ? ATOM : CORE;
	machine.common_gp = all.gp < all.atom_gp ? all.gp : all.atom_gp;
	machine.common_fixed = all.fixed & all.atom_fixed;
	if (machine.kind == ATOM) {
		machine.gp = all.atom_gp;
		machine.fixed = all.atom_fixed;
	}
}

static void run_amd_tests(void)
{
	amd_set_up();
	amd_test_registers();
	amd_test_faults();
	amd_test_counts();
	amd_test_interrupts();
	amd_test_guest();
	test_costs();
}

static void run_tests(u32 cpu)
{
	take_kind(cpu);
	apic_write(0xf0, 0x1ff);
	if (machine.amd) {
		run_amd_tests();
		return;
	}
	test_registers();
	test_faults();
	test_user_reads();
	test_counts();
	test_rates();
	test_interrupts();
	test_costs();
}

/*
 * The second CPU runs everything again, alone: this one sleeps for good. A start-up interrupt is
 * lost as long as INIT has not been received, so it is repeated.
 */
static void __attribute__((noreturn)) start_other(void)
{
	u32 i;

	for (i = 0; other_start + i < other_start_end; i++)
		__atomic_store_n((char *)OTHER_START + i, other_start[i], __ATOMIC_RELAXED);
	apic_write(0x300, 0xc4500);
	while (!__atomic_load_n(&other_runs, __ATOMIC_ACQUIRE)) {
		apic_write(0x300, 0xc4600 | OTHER_START >> 12);
		__asm__ volatile("pause");
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}

void other_main(void)
{
	__atomic_store_n(&other_runs, 1, __ATOMIC_RELEASE);
	test_costs_alone();
	run_tests(1);
	finish();
}

void main(const struct multiboot_info *info)
{
	int i;

	put("TAP version 13\n");
	/* The first word is the program's name. */
	parse((const char *)info->cmdline);
	for (i = 0; i < 32; i++)
		set_vector(i, on_other, 0x8e00);
	set_vector(13, on_gp, 0x8e00);
	set_vector(0x40, on_pmi, 0x8e00);
	set_vector(0x80, on_int80, 0xee00);
	write_port(0x21, 0xff);
	write_port(0xa1, 0xff);

	run_tests(0);
	if (machine.atom_from == 1)
		start_other();
	finish();
}
