/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the bare arm64 program share. SHIFT, THWIDTH, CPUS, LONG (64-bit event
 * counters), COUNTERS (how many), V3P9, KIND2 (the first CPU of
 * the second kind), KIND2_COUNTERS, KIND2_MISSING (CHAIN, or 0), SKID and
 * COSTS say what QEMU was told.
 */
#ifndef ARM64_H
#define ARM64_H

typedef unsigned int u32;
typedef unsigned long u64;

#define BIT64(n)      (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define EV_INSN	      0x08
#define EV_CYCLES     0x11
#define EV_CHAIN      0x1e
#define CYCLE_COUNTER BIT64(31)

#define PMCR_E	BIT64(0)
#define PMCR_P	BIT64(1)
#define PMCR_C	BIT64(2)
#define PMCR_LC BIT64(6)
#define PMCR_LP BIT64(7)

#define FILTER_P BIT64(31)
#define FILTER_U BIT64(30)

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

#define read_reg(r)                                                  \
	({                                                           \
		u64 val_;                                            \
		__asm__ volatile("mrs %0, " STRING(r) : "=r"(val_)); \
		val_;                                                \
	})
#define write_reg(r, v)                                                                  \
	({                                                                               \
		u64 val_ = (v);                                                          \
		__asm__ volatile("msr " STRING(r) ", %0; isb" : : "r"(val_) : "memory"); \
	})

/* start.S knows the first three. */
struct percpu {
	u64 pmi_pc, pmi_count, pmi_status;
	u64 step;
	u64 midr, counters, events;
	u64 insns, cycles, ccnt, wfi_cycles, wfi_ticks, costs;
	struct {
		u64 pc, count, status;
	} pmi[6];
};

extern struct percpu percpu[8];

/* start.S */
extern char nops[];
void secondary(void);
/* Runs fn at EL0 until it executes SVC; returns its x0, or TRAPPED if something else ended it. */
u64 run_user(u64 (*fn)(u64), u64 arg);
#define TRAPPED 0x0bad000000000000UL
void count_loop(u64 counters, u64 n);
void count_turns(u64 counters, u64 n);
void count_nops(u64 counters);
u64 counter_behind_nops(u64 counters, u64 high);
u64 user_loop(u64 n);
u64 get_other_writes(u64 unused);
u64 cycles_of_wfi(void);

/* What these pieces of code retire, and how many cycles an instruction takes. */
#define LOOP_INSNS(n)  (2 * (n) + 1)
#define TURNS_INSNS(n) (3 * (n) + 1)
#define CPI	       (1UL << SHIFT)

/* How many count_costs() has. */
#define COSTS_OF(cpu) (COSTS ? 100UL * ((cpu) + 1) : 0)

/* main.c */
void cpu_main(u64 cpu);
void unexpected(u64 esr, u64 pc) __attribute__((noreturn));
void check(const char *what, int ok);
void note(const char *what, u64 number);
void equal(const char *what, u64 got, u64 want);
void stop_pmu(u64 pmcr);
u64 counter(int n);
void set_counter(int n, u64 val);
void set_event(int n, u64 typer);

/*
 * one.c, counters.c, user.c, costs.c: on one CPU; all.c: on all at the same time, and what came of
 * it.
 */
void test_one(void);
void test_skid(void);
void test_counters(void);
void test_user(void);
void test_costs(void);
u64 count_costs(u64 cpu);
void run_all(struct percpu *me, int cpu);
void test_all(void);
void barrier(struct percpu *me, u64 step);

#endif
