// SPDX-License-Identifier: GPL-2.0
/* Every register, bit and operand that must raise #GP does, and leaves the register as it was. */
#include "x86.h"

static void write_faults(const char *what, u32 msr, u64 val)
{
	u64 before, after;
	int unreadable = try_rdmsr(msr, &before);

	check(what, try_wrmsr(msr, val));
	if (!unreadable) {
		try_rdmsr(msr, &after);
		equal("    and changes nothing", after, before);
	}
}

static void write_works(const char *what, u32 msr, u64 val)
{
	u64 before = rdmsr(msr);

	check(what, !try_wrmsr(msr, val));
	wrmsr(msr, before);
}

static void faults(const char *what, u32 msr)
{
	u64 val;

	check(what, try_rdmsr(msr, &val));
	check("    a write too", try_wrmsr(msr, 0));
}

static void test_reserved_bits(void)
{
	int any = machine.version == 3 || machine.version == 4;
	u32 i;

	(any ? write_works : write_faults)("EVTSEL: AnyThread only in versions 3 and 4", EVTSEL(0),
					   ANY);
	(machine.version >= 6 ? write_works : write_faults)("EVTSEL: EQ from version 6", EVTSEL(0),
							    EQ);
	(machine.version >= 6 ? write_works : write_faults)("EVTSEL: UMASK2 from version 6",
							    EVTSEL(0), 0xffULL << 40);
	(machine.hide ? write_works : write_faults)("EVTSEL: RDPMC user disable", EVTSEL(0), HIDE);
	for (i = 32; i < 64; i++) {
		if (i != 36 && i != 37 && (i < 40 || i > 47))
			write_faults("EVTSEL: a reserved bit", EVTSEL(0), BIT64(i));
	}
	for (i = 0; i < 64; i++) {
		int there = i < 16 && machine.fixed & (1 << i / 4);
		int hide = i >= 32 && i < 48 && i % 4 == 1 && machine.fixed & (1 << (i - 32) / 4);

		if (hide && machine.hide)
			write_works("FIXED_CTR_CTRL: RDPMC user disable", FIXED_CTR_CTRL, BIT64(i));
		else if (!there)
			write_faults("FIXED_CTR_CTRL: a counter that is not there", FIXED_CTR_CTRL,
				     BIT64(i));
		else if (i % 4 == 2)
			(any ? write_works : write_faults)("FIXED_CTR_CTRL: AnyThread",
							   FIXED_CTR_CTRL, BIT64(i));
		if (BIT64(i) == METRICS && machine.kind == CORE)
			write_works("GLOBAL_CTRL: metrics of a Core", GLOBAL_CTRL, METRICS);
		else if (!(i < machine.gp ||
			   (i >= 32 && i < 36 && machine.fixed & (1 << (i - 32)))))
			write_faults("GLOBAL_CTRL: a counter that is not there", GLOBAL_CTRL,
				     BIT64(i));
	}
	write_faults("DEBUGCTL: a reserved bit", DEBUGCTL, BIT64(2));
	(machine.full_width ? write_works : write_faults)("DEBUGCTL: freezing needs PDCM", DEBUGCTL,
							  BIT64(12));
}

static void test_status_bits(void)
{
	u64 counters = BIT64(machine.gp) - 1 + ((u64)machine.fixed << 32);
	u64 clear = counters | 3ULL << 62 | (machine.version >= 3 ? BIT64(61) : 0) |
		    (machine.version >= 4 ? 7ULL << 58 : 0) | (machine.kind == CORE ? METRICS : 0);
	u32 i;

	for (i = 0; i < 64; i++) {
		if (clear & BIT64(i))
			write_works("GLOBAL_OVF_CTRL: a bit of this version", GLOBAL_OVF_CTRL,
				    BIT64(i));
		else
			write_faults("GLOBAL_OVF_CTRL: a reserved bit", GLOBAL_OVF_CTRL, BIT64(i));
		if (machine.version >= 4 && (!(clear & BIT64(i)) || i == 63))
			write_faults("GLOBAL_STATUS_SET: a reserved bit", GLOBAL_STATUS_SET,
				     BIT64(i));
	}
	write_faults("GLOBAL_STATUS is read-only", GLOBAL_STATUS, 0);
	if (machine.version >= 4) {
		write_faults("GLOBAL_INUSE is read-only", GLOBAL_INUSE, 0);
	} else {
		faults("GLOBAL_STATUS_SET is of version 4", GLOBAL_STATUS_SET);
		faults("GLOBAL_INUSE is of version 4", GLOBAL_INUSE);
	}
}

static void test_missing_counters(void)
{
	u64 val;
	u32 i;

	for (i = 0; i < 8; i++) {
		if (!machine.full_width)
			faults("no A_PMC without full-width writes", A_PMC(i));
		else if (i < machine.gp)
			write_faults("A_PMC: a bit above its width", A_PMC(i), BIT64(48));
		else
			faults("A_PMC: a counter that is not there", A_PMC(i));
		if (i < machine.gp)
			continue;
		faults("PMC: a counter that is not there", PMC(i));
		faults("EVTSEL: a counter that is not there", EVTSEL(i));
		check("RDPMC: a counter that is not there", try_rdpmc(i, &val));
	}
	for (i = 0; i < 4; i++) {
		if (machine.fixed & (1 << i)) {
			write_faults("FIXED_CTR: a bit above its width", FIXED_CTR(i), BIT64(48));
		} else {
			faults("FIXED_CTR: a counter that is not there", FIXED_CTR(i));
			check("RDPMC: a fixed counter that is not there",
			      try_rdpmc(i | 1 << 30, &val));
		}
	}
	check("RDPMC: an index too high", try_rdpmc(0x100, &val));
	check("RDPMC: a fixed index too high", try_rdpmc(0x40000020, &val));
	check("RDPMC: bit 31", try_rdpmc(0x80000000, &val));
	check("RDPMC: bits 31 and 30", try_rdpmc(0xc0000000, &val));
	equal("RDPMC: only a Core has metrics", try_rdpmc(0x20000000, &val), machine.kind != CORE);
	check("RDPMC: one of them", try_rdpmc(0x20000001, &val));
	if (machine.full_width)
		write_faults("PERF_CAPABILITIES is read-only", PERF_CAPABILITIES, BIT64(13));
	else
		faults("no PERF_CAPABILITIES without PDCM", PERF_CAPABILITIES);
}

/* With pmu-strict-msr what does not exist faults; without, it reads 0 as in stock QEMU. */
static void test_strict(void)
{
	static const u32 nothing[] = { 0xc1 + 8, 0x186 + 8,  0x309 + 4,	 PERF_METRICS,
				       0x3f1,	 0x4c1 + 8,  0x1900,	 0x1901,
				       0x1980,	 0xc0010000, 0xc0010200, 0xffffffff };
	static const u32 something[] = { 0x10,	0x1b,	    0xfe,	0x174,
					 0x277, 0xc0000080, 0xc0000082, 0xc0000101 };
	u64 val;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nothing); i++) {
		if (nothing[i] == PERF_METRICS && machine.kind == CORE)
			continue;
		if (machine.strict) {
			faults("an MSR that does not exist", nothing[i]);
			continue;
		}
		check("an MSR that does not exist, without pmu-strict-msr",
		      !try_rdmsr(nothing[i], &val) && !val);
		check("    a write of it", !try_wrmsr(nothing[i], 0));
	}
	for (i = 0; i < ARRAY_SIZE(something); i++)
		check("an MSR that exists", !try_rdmsr(something[i], &val));
	check("the microcode revision can be written", !try_wrmsr(0x8b, 0));
	if (machine.strict)
		check("the TSC counts", rdmsr(0x10) < rdmsr(0x10));
}

void test_faults(void)
{
	test_reserved_bits();
	test_status_bits();
	test_missing_counters();
	test_strict();
	stop_pmu();
}
