// SPDX-License-Identifier: GPL-2.0
/* What CPUID says, what a reset leaves, and what can be written and read back. */
#include "x86.h"

/* The kind of this CPU, and that there is no leaf 1AH in a machine of one kind. */
static void test_kind(void)
{
	u32 r[4], last;

	cpuid(0, 0, r);
	last = r[0];
	equal("23H is there from version 6, or if asked for", last >= 0x23, machine.ext);
	check("1AH of a hybrid is there", last >= 0x1a || machine.kind == NOT_HYBRID);
	cpuid(7, 0, r);
	equal("7:EDX: hybrid", r[3] >> 15 & 1, machine.kind != NOT_HYBRID);
	if (last < 0x1a)
		return;
	cpuid(0x1a, 0, r);
	equal("1AH:EAX: the kind of core", r[0], machine.kind);
	equal("    and nothing else", r[1] | r[2] | r[3], 0);
}

static void test_cpuid(void)
{
	u32 r[4], contiguous = 0, v5 = machine.version >= 5;

	while (machine.common_fixed & (1 << contiguous))
		contiguous++;
	cpuid(0xa, 0, r);
	equal("0AH:EAX: version, counters of all CPUs, width, events", r[0],
	      machine.version | machine.common_gp << 8 | 48 << 16 | (v5 ? 8u : 7u) << 24);
	equal("0AH:EBX: missing events", r[1], machine.missing);
	equal("0AH:ECX: bitmap of the fixed counters from version 5", r[2],
	      v5 ? machine.common_fixed : 0);
	equal("0AH:EDX: contiguous fixed counters, width, AnyThread deprecated", r[3],
	      contiguous | 48 << 5 | v5 << 15);

	cpuid(1, 0, r);
	equal("PDCM", r[2] >> 15 & 1, machine.full_width);
	cpuid(7, 1, r);
	equal("ArchPerfmonExt", r[0] >> 8 & 1, machine.ext);
	if (!machine.ext)
		return;
	cpuid(0x23, 0, r);
	equal("23H.0:EAX: sub-leaves", r[0], 3);
	equal("23H.0:EBX: UMASK2, EQ, RDPMC user disable", r[1],
	      (machine.version >= 6 ? 3 : 0) | machine.hide << 2);
	equal("23H.0:ECX: slots a cycle", r[2], 4);
	cpuid(0x23, 1, r);
	equal("23H.1:EAX: this CPU's programmable counters", r[0], (1u << machine.gp) - 1);
	equal("23H.1:EBX: this CPU's fixed counters", r[1], machine.fixed);
}

static void test_reset(void)
{
	u64 any = 0;
	u32 i;

	equal("after reset GLOBAL_CTRL enables the programmable counters", rdmsr(GLOBAL_CTRL),
	      BIT64(machine.gp) - 1);
	for (i = 0; i < machine.gp; i++)
		any |= rdmsr(EVTSEL(i)) | rdmsr(PMC(i));
	for (i = 0; i < 4; i++)
		any |= machine.fixed & (1 << i) ? rdmsr(FIXED_CTR(i)) : 0;
	any |= machine.kind == CORE ? rdmsr(PERF_METRICS) : 0;
	any |= rdmsr(FIXED_CTR_CTRL) | rdmsr(GLOBAL_STATUS) | rdmsr(GLOBAL_OVF_CTRL) |
	       rdmsr(DEBUGCTL);
	equal("after reset the rest is 0", any, 0);
	equal("MISC_ENABLE: a PMU, no BTS, no PEBS", rdmsr(0x1a0) & 0x1880, 0x1880);
	wrmsr(0x1a0, rdmsr(0x1a0) & ~0x1880ULL);
	equal("and that is read-only", rdmsr(0x1a0) & 0x1880, 0x1880);
}

static void test_writes(void)
{
	u64 sel = 0xffdfffffULL & ~EN, all = 0;
	u32 i;

	for (i = 0; i < machine.gp; i++) {
		wrmsr(PMC(i), 0x7fffffff - i);
		equal("PMC: positive", rdmsr(PMC(i)), 0x7fffffff - i);
		wrmsr(PMC(i), 0x1234567880000000ULL + i);
		equal("PMC: sign-extended from 32 bits", rdmsr(PMC(i)), 0xffff80000000ULL + i);
		equal("RDPMC reads the same", rdpmc(i), 0xffff80000000ULL + i);
		wrmsr(EVTSEL(i), sel | (machine.hide ? HIDE : 0));
		equal("EVTSEL", rdmsr(EVTSEL(i)), sel | (machine.hide ? HIDE : 0));
	}
	if (machine.full_width) {
		equal("PERF_CAPABILITIES: full-width writes, and metrics of a Core",
		      rdmsr(PERF_CAPABILITIES), BIT64(13) | (machine.kind == CORE ? BIT64(15) : 0));
		wrmsr(A_PMC(0), 0x812345678000ULL);
		equal("A_PMC: all 48 bits", rdmsr(PMC(0)), 0x812345678000ULL);
		wrmsr(PMC(0), 5);
		equal("A_PMC reads the counter", rdmsr(A_PMC(0)), 5);
	}
	for (i = 0; i < 4; i++) {
		if (!(machine.fixed & (1 << i)))
			continue;
		all |= 0xbULL << (4 * i) | (machine.hide ? FIXED_HIDE(i) : 0);
		wrmsr(FIXED_CTR(i), 0x812345678000ULL + i);
		equal("FIXED_CTR: all 48 bits", rdmsr(FIXED_CTR(i)), 0x812345678000ULL + i);
		equal("RDPMC reads the same", rdpmc(i | 1 << 30), 0x812345678000ULL + i);
	}
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(FIXED_CTR_CTRL, all);
	equal("FIXED_CTR_CTRL", rdmsr(FIXED_CTR_CTRL), all);
	all = BIT64(machine.gp) - 1 + ((u64)machine.fixed << 32);
	all |= machine.kind == CORE ? METRICS : 0;
	wrmsr(FIXED_CTR_CTRL, 0);
	wrmsr(GLOBAL_CTRL, all);
	equal("GLOBAL_CTRL", rdmsr(GLOBAL_CTRL), all);
	if (machine.kind == CORE) {
		wrmsr(PERF_METRICS, 0x8182838485868788ULL);
		equal("PERF_METRICS", rdmsr(PERF_METRICS), 0x8182838485868788ULL);
		equal("RDPMC reads the same", rdpmc(1 << 29), 0x8182838485868788ULL);
		wrmsr(PERF_METRICS, 0);
	}
	stop_pmu();
}

static void test_status(void)
{
	u64 all = BIT64(machine.gp) - 1 + ((u64)machine.fixed << 32) + (0x1fULL << 58);

	if (machine.version < 4)
		return;
	all &= ~BIT64(63);
	all |= machine.kind == CORE ? METRICS : 0;
	wrmsr(GLOBAL_STATUS_SET, all);
	equal("STATUS_SET sets", rdmsr(GLOBAL_STATUS), all);
	wrmsr(GLOBAL_OVF_CTRL, 1 | BIT64(59));
	equal("STATUS_RESET clears what it is told", rdmsr(GLOBAL_STATUS),
	      all & ~1ULL & ~BIT64(59));
	wrmsr(GLOBAL_OVF_CTRL, all);
	equal("INUSE of nothing", rdmsr(GLOBAL_INUSE), 0);
	wrmsr(EVTSEL(0), EV_INSN);
	equal("INUSE of an event", rdmsr(GLOBAL_INUSE), 1);
	wrmsr(EVTSEL(0), INT);
	equal("INUSE of an interrupt", rdmsr(GLOBAL_INUSE), BIT64(63));
	wrmsr(EVTSEL(0), 0);
	if (machine.fixed & 1) {
		wrmsr(FIXED_CTR_CTRL, 0xa);
		equal("INUSE of a fixed counter", rdmsr(GLOBAL_INUSE), BIT64(32) | BIT64(63));
	}
	stop_pmu();
}

void test_registers(void)
{
	test_kind();
	test_cpuid();
	test_reset();
	test_writes();
	test_status();
}
