// SPDX-License-Identifier: GPL-2.0
/* The bare arm64 program's set-up and results: TAP on the serial line, then PSCI's SYSTEM_OFF. */
#include "arm64.h"

#define UART	  0x09000000UL
#define GICD	  0x08000000UL
#define GICR(cpu) (0x080a0000UL + 0x20000UL * (cpu))
#define PMU_IRQ	  23
#define TIMER_IRQ 27

#define PSCI_CPU_ON 0xc4000003UL
#define PSCI_OFF    0x84000008UL

struct percpu percpu[8];
static u64 tests, failures;

static void set32(u64 address, u32 val)
{
	__atomic_store_n((u32 *)address, val, __ATOMIC_RELEASE);
}

static void put(const char *s)
{
	while (*s)
		set32(UART, *s++);
}

static void put_number(u64 val)
{
	if (val >= 10)
		put_number(val / 10);
	set32(UART, '0' + val % 10);
}

static void put_hex(u64 val)
{
	int shift = 60;

	put("0x");
	for (; shift >= 0; shift -= 4)
		set32(UART, "0123456789abcdef"[(val >> shift) & 0xf]);
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

static u64 psci(u64 function, u64 a, u64 b, u64 c)
{
	register u64 x0 __asm__("x0") = function;
	register u64 x1 __asm__("x1") = a;
	register u64 x2 __asm__("x2") = b;
	register u64 x3 __asm__("x3") = c;

	__asm__ volatile("hvc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

static void __attribute__((noreturn)) finish(void)
{
	put("1..");
	put_number(tests);
	put("\n");
	psci(PSCI_OFF, 0, 0, 0);
	for (;;)
		;
}

void unexpected(u64 esr, u64 pc)
{
	put("# exception ");
	put_hex(esr);
	put(" at ");
	put_hex(pc);
	put("\n");
	check("no exception", 0);
	finish();
}

/* The PMU's interrupt, and the timer's, which never is taken but ends a WFI. */
static void gic(u64 cpu)
{
	u64 sgi = GICR(cpu) + 0x10000;

	set32(GICD, 1 << 4 | 1 << 1);
	set32(GICR(cpu) + 0x14, 0);
	set32(sgi + 0x80, ~0u);
	set32(sgi + 0x100, 1 << PMU_IRQ | 1 << TIMER_IRQ);
	write_reg(S3_0_C12_C12_5, 7UL);
	write_reg(S3_0_C4_C6_0, 0xffUL);
	write_reg(S3_0_C12_C12_7, 1UL);
}

void barrier(struct percpu *me, u64 step)
{
	int i;

	__atomic_store_n(&me->step, step, __ATOMIC_SEQ_CST);
	for (i = 0; i < CPUS; i++) {
		while (__atomic_load_n(&percpu[i].step, __ATOMIC_SEQ_CST) < step)
			__asm__ volatile("yield");
	}
}

void set_event(int n, u64 typer)
{
	write_reg(pmselr_el0, n);
	write_reg(pmxevtyper_el0, typer);
}

void set_counter(int n, u64 val)
{
	write_reg(pmselr_el0, n);
	write_reg(pmxevcntr_el0, val);
}

u64 counter(int n)
{
	write_reg(pmselr_el0, n);
	return read_reg(pmxevcntr_el0);
}

/* All counters are 0 and stand, with PMCR as given. */
void stop_pmu(u64 pmcr)
{
	struct percpu *me = (struct percpu *)read_reg(tpidr_el1);

	write_reg(pmcntenclr_el0, ~0UL);
	write_reg(pmintenclr_el1, ~0UL);
	write_reg(pmovsclr_el0, ~0UL);
	write_reg(pmcr_el0, pmcr | PMCR_E | PMCR_P | PMCR_C);
	write_reg(pmccfiltr_el0, 0);
	me->pmi_count = 0;
	me->pmi_pc = 0;
}

void cpu_main(u64 cpu)
{
	struct percpu *me = &percpu[cpu];
	u64 i;

	write_reg(tpidr_el1, (u64)me);
	gic(cpu);
	if (cpu) {
		run_all(me, cpu);
		return;
	}
	put("TAP version 13\n");
	if (SKID) {
		test_skid();
		finish();
	}
	test_counters();
	if (COUNTERS < 6)
		finish();
	test_one();
	test_user();
	test_costs();
	for (i = 1; i < CPUS; i++)
		equal("a CPU comes up", psci(PSCI_CPU_ON, i, (u64)secondary, i), 0);
	run_all(me, 0);
	test_all();
	finish();
}
