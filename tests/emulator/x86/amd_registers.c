// SPDX-License-Identifier: GPL-2.0
/* AMD's PMU: what CPUID says, what a reset leaves, what can be written, and what raises #GP. */
#include "x86.h"

static void test_cpuid(void)
{
	u32 r[4];

	cpuid(0, 0, r);
	if (r[0] >= 0xa) {
		cpuid(0xa, 0, r);
		equal("0AH: nothing of Intel's PMU", r[0] | r[1] | r[2] | r[3], 0);
	}
	cpuid(0x80000001, 0, r);
	equal("PerfCtrExtCore", r[2] >> 23 & 1, machine.gp == 6);
	cpuid(0x80000000, 0, r);
	if (machine.amd < 2 && r[0] < 0x80000022)
		return;
	check("80000022H is there", r[0] >= 0x80000022);
	cpuid(0x80000022, 0, r);
	equal("80000022H:EAX: PerfMonV2", r[0], machine.amd >= 2);
	equal("80000022H:EBX: core counters", r[1], machine.amd >= 2 ? machine.gp : 0);
	equal("    and nothing else", r[2] | r[3], 0);
}

static void test_reset(void)
{
	u64 any = 0;
	u32 i;

	for (i = 0; i < machine.gp; i++)
		any |= rdmsr(amd_ctl(i)) | rdmsr(amd_ctr(i));
	equal("after reset the counters and their controls are 0", any, 0);
	if (machine.amd < 2)
		return;
	equal("after reset GlobalCtl enables all", rdmsr(AMD_GLOBAL_CTL), 0x3f);
	equal("    and no status is set", rdmsr(AMD_GLOBAL_STATUS), 0);
}

/* What is not a bit of the register is not written, and does not fault. */
static void test_writes(u32 i)
{
	equal("PERF_CTL: all bits", try_wrmsr(amd_ctl(i), ~EN), 0);
	equal("    those that are reserved stay 0", rdmsr(amd_ctl(i)), AMD_WRITABLE & ~EN);
	wrmsr(amd_ctl(i), 0);
	equal("    0", rdmsr(amd_ctl(i)), 0);
	equal("PERF_CTR: all bits", try_wrmsr(amd_ctr(i), ~0ULL), 0);
	equal("    48 of them", rdmsr(amd_ctr(i)), WIDTH_MASK);
	wrmsr(amd_ctr(i), 0x812345678000ULL + i);
	equal("    a number", rdmsr(amd_ctr(i)), 0x812345678000ULL + i);
	equal("    RDPMC reads the same", rdpmc(i), 0x812345678000ULL + i);
}

/* The first four counters have two names. */
static void test_names(void)
{
	u32 i;

	if (machine.gp != 6)
		return;
	for (i = 0; i < 4; i++) {
		wrmsr(AMD_OLD_CTL(i), AMD_INSN + i);
		wrmsr(AMD_OLD_CTR(i), 1000 + i);
		equal("PERF_CTL by its old name", rdmsr(AMD_CTL(i)), AMD_INSN + i);
		equal("PERF_CTR by its old name", rdmsr(AMD_CTR(i)), 1000 + i);
		wrmsr(AMD_CTL(i), AMD_BRANCH + i);
		wrmsr(AMD_CTR(i), 2000 + i);
		equal("PERF_CTL by its new name", rdmsr(AMD_OLD_CTL(i)), AMD_BRANCH + i);
		equal("PERF_CTR by its new name", rdmsr(AMD_OLD_CTR(i)), 2000 + i);
	}
}

static void test_global(void)
{
	if (machine.amd < 2)
		return;
	wrmsr(AMD_GLOBAL_CTL, ~0ULL);
	equal("GlobalCtl: a bit for each counter", rdmsr(AMD_GLOBAL_CTL), 0x3f);
	wrmsr(AMD_GLOBAL_CTL, 0x2a);
	equal("    some", rdmsr(AMD_GLOBAL_CTL), 0x2a);
	wrmsr(AMD_GLOBAL_CTL, 0);
	wrmsr(AMD_GLOBAL_SET, ~0ULL);
	equal("StatusSet sets", rdmsr(AMD_GLOBAL_STATUS), 0x3f);
	wrmsr(AMD_GLOBAL_CLR, 0x15);
	equal("StatusClr clears what it is told", rdmsr(AMD_GLOBAL_STATUS), 0x2a);
	equal("Status: a write does not fault", try_wrmsr(AMD_GLOBAL_STATUS, 0), 0);
	equal("    and changes nothing", rdmsr(AMD_GLOBAL_STATUS), 0x2a);
	equal("StatusSet and StatusClr read 0", rdmsr(AMD_GLOBAL_SET) | rdmsr(AMD_GLOBAL_CLR), 0);
	wrmsr(AMD_GLOBAL_CLR, ~0ULL);
	equal("StatusClr of all", rdmsr(AMD_GLOBAL_STATUS), 0);
}

void amd_test_registers(void)
{
	u32 i;

	test_cpuid();
	test_reset();
	for (i = 0; i < machine.gp; i++)
		test_writes(i);
	test_names();
	test_global();
	equal("DebugCtl: all bits", try_wrmsr(DEBUGCTL, ~0ULL), 0);
	equal("    six of them", rdmsr(DEBUGCTL), 0x3f);
	wrmsr(DEBUGCTL, 0);
	amd_stop();
}

static void faults(const char *what, u32 msr)
{
	u64 val;

	check(what, try_rdmsr(msr, &val));
	check("    a write too", try_wrmsr(msr, 0));
}

static void test_missing(void)
{
	static const u32 no_index[] = { 10,	    16,	       0x100,	   0x20000000,
					0x40000000, 0x40000001, 0x80000000, 0xffffffff };
	u64 val;
	u32 i;

	for (i = 0; i < 6 && machine.gp < 6; i++) {
		faults("PERF_CTL: without PerfCtrExtCore", AMD_CTL(i));
		faults("PERF_CTR: without PerfCtrExtCore", AMD_CTR(i));
	}
	for (i = 0; i < 4 && machine.amd < 2; i++)
		faults("a global register, without PerfMonV2", AMD_GLOBAL_STATUS + i);
	for (i = machine.gp; i < 10; i++)
		check("RDPMC: a counter that is not there", try_rdpmc(i, &val));
	for (i = 0; i < ARRAY_SIZE(no_index); i++)
		check("RDPMC: no index of a counter", try_rdpmc(no_index[i], &val));
}

/* With pmu-strict-msr what does not exist faults; without, it reads 0 as in stock QEMU. */
static void test_strict(void)
{
	/* Intel's; a seventh, those of the L2 cache and the north bridge; no register. */
	static const u32 nothing[] = { 0xc1,  0x186,	  0x309,      0x38d,	  0x38e,
				       0x38f, 0xc001020c, 0xc0010230, 0xc0010240, 0xffffffff };
	u64 val;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nothing); i++) {
		if (machine.strict) {
			faults("an MSR that does not exist", nothing[i]);
			continue;
		}
		check("an MSR that does not exist, without pmu-strict-msr",
		      !try_rdmsr(nothing[i], &val) && !val);
		check("    a write of it", !try_wrmsr(nothing[i], 0));
	}
}

/* RDPMC in ring 3: not without CR4.PCE; and then each counter. */
static void test_each_user_read(void)
{
	u32 i;

	amd_stop();
	user_index = 0;
	gp_seen = 0;
	run_user(user_rdpmc);
	check("RDPMC in ring 3 without CR4.PCE", gp_seen);
	allow_rdpmc(1);
	for (i = 0; i < machine.gp; i++) {
		amd_stop();
		if (machine.amd >= 2)
			wrmsr(AMD_GLOBAL_CTL, BIT64(i));
		wrmsr(amd_ctl(i), AMD_INSN | USR | EN);
		user_index = i;
		gp_seen = 0;
		run_user(user_rdpmc);
		check("RDPMC in ring 3 with CR4.PCE", !gp_seen);
		equal("    counts", user_result[0], 10);
	}
	user_index = machine.gp;
	gp_seen = 0;
	run_user(user_rdpmc);
	check("    a counter that is not there", gp_seen);
	allow_rdpmc(0);
}

void amd_test_faults(void)
{
	test_missing();
	test_strict();
	test_each_user_read();
	amd_stop();
}
