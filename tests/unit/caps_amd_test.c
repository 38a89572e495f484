// SPDX-License-Identifier: GPL-2.0
/*
 * amd_enumerate(): what CPUID says of machines that were built, of guests, and of some that were
 * not built.
 */
#include <pmudev/amd.h>

#include "unit.h"

#define SVM	 0x4 /* in ECX of 8000_0001H */
#define EXTENDED 0x800000

/* What amd_enumerate() finds: counters of the extended range, guests, bits that tell them apart */
#define E 1
#define S 2
#define F 4

struct row {
	const char *name;
	u32 signature;	/* function 1, EAX */
	u32 features;	/* 8000_0001H, ECX */
	u32 perfmon[3]; /* 8000_0022H: EAX, EBX, ECX; EDX is 0 */
	u32 family, version;
	u64 counters;
	unsigned int finds;
};

/*
 * As CPUID was read on them: L is libvirt, tests/cputestdata/x86_64-cpuid-NAME.xml, and I is
 * libcpuid, tests/amd/NAME.test. CPUs before Zen 3 have no function 8000_0022H, Zen 3 has it empty.
 */
static const struct row machines[] = {
	{ "I k7/amd-athlon-xp-3200+", 0x000006a0, 0, {}, 0x06, 1, 0xf, 0 },
	{ "K10: L Opteron-1352", 0x00100f23, 0x000007ff, {}, 0x10, 1, 0xf, S | F },
	{ "K10: L Phenom-B95", 0x00100f42, 0x000037ff, {}, 0x10, 1, 0xf, S | F },
	{ "I bobcat/brazos-zacate", 0x00500f10, 0x000035ff, {}, 0x14, 1, 0xf, S | F },
	{ "Bulldozer: L FX-8150", 0x00600f12, 0x01c9bfff, {}, 0x15, 1, 0x3f, E | S | F },
	/* Bit 24, which it has, is about counters of the northbridge. */
	{ "I jaguar/athlon-kabini", 0x00700f01, 0x154037ff, {}, 0x16, 1, 0xf, S | F },
	{ "Zen: L EPYC-7601-32-Core", 0x00800f12, 0x35c233ff, {}, 0x17, 1, 0x3f, E | S | F },
	{ "L Hygon-C86-7185-32-core", 0x00900f01, 0x35c233ff, {}, 0x18, 1, 0x3f, E | S | F },
	{ "Zen 2: L EPYC-7502-32-Core", 0x00830f10, 0x75c237ff, {}, 0x17, 1, 0x3f, E | S | F },
	{ "Zen 3: L EPYC-7713-64-Core", 0x00a00f11, 0x75c237ff, {}, 0x19, 1, 0x3f, E | S | F },
	{ "Zen 4: L EPYC-9334-32-Core",
	  0x00a10f11,
	  0x75c237ff,
	  { 0x3, 0x104106, 0x249 },
	  0x19,
	  2,
	  0x3f,
	  E | S | F },
	{ "Zen 5: L Ryzen-9-9950X-16-Core",
	  0x00b40f40,
	  0x75c237ff,
	  { 0x7, 0x84106, 0x3 },
	  0x1a,
	  2,
	  0x3f,
	  E | S | F },
};

/* Guests that were told of, and what the manual allows. */
static const struct row others[] = {
	{ "K8, revision F: SVM without the bits", 0x00040f33, SVM, {}, 0x0f, 1, 0xf, S },
	/* https://lore.kernel.org/all/20241104094119.4131-2-dongli.zhang@oracle.com/ */
	{ "V2 without extended registers", 0x00a10f11, SVM, { 1, 6 }, 0x19, 1, 0xf, S | F },
	/* https://lore.kernel.org/all/04a91009-c160-4920-a5d0-81a8e1e7cf97@amd.com/ */
	{ "a guest with V2 and five counters", 0x00a10f11, EXTENDED, { 1, 5 }, 0x19, 2, 0x1f, E },
	{ "a guest without extended registers", 0x00800f12, 0, {}, 0x17, 1, 0xf, 0 },
	{ "V2 with one counter", 0x00a10f11, EXTENDED, { 1, 1 }, 0x19, 2, 0x1, E },
	{ "V2 with no number", 0x00a10f11, EXTENDED, { 1, 0xf0 }, 0x19, 2, 0x3f, E },
	{ "V2 with more than RDPMC has", 0x00a10f11, EXTENDED, { 1, 0xf }, 0x19, 2, 0x3f, E },
	{ "a number of counters without V2", 0x00a10f11, EXTENDED, { 6, 4 }, 0x19, 1, 0x3f, E },
};

static struct amd_cpuid cpuid_of(const struct row *row)
{
	return (struct amd_cpuid){
		.signature = row->signature,
		.features = row->features,
		.perfmon = { row->perfmon[0], row->perfmon[1], row->perfmon[2], 0 },
	};
}

static unsigned int found(const struct amd_caps *caps)
{
	return (caps->extended ? E : 0) | (caps->svm ? S : 0) | (caps->filters ? F : 0);
}

static void expect_rows(const struct row *rows, unsigned int nr)
{
	struct amd_caps caps;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct amd_cpuid id = cpuid_of(&rows[i]);

		unit_row("%s", rows[i].name);
		memset(&caps, 0xa5, sizeof(caps));
		if (!EXPECT_EQ(0, -amd_enumerate(&caps, &id)))
			continue;
		EXPECT_EQ(rows[i].family, caps.family);
		EXPECT_EQ(rows[i].version, caps.version);
		EXPECT_EQ(rows[i].counters, caps.counters);
		EXPECT_EQ(rows[i].finds, found(&caps));
	}
}

static void machines_that_exist(void)
{
	expect_rows(machines, ARRAY_SIZE(machines));
}

static void guests_and_others(void)
{
	expect_rows(others, ARRAY_SIZE(others));
}

/*
 * What follows of it: a CPU with V2 counts cycles at the frequency of P0 as reference cycles,
 * others have none; family 15H counts cycles on three of its counters. All have 48 bits.
 */
static void what_they_count(void)
{
	const struct pmudev_event_attr cycles = { .config = PMUDEV_CYCLES };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct row *row = &machines[i];
		struct amd_cpuid id = cpuid_of(row);
		struct pmudev_refusal why = {};
		struct pmudev_code code;
		struct amd_caps caps;

		unit_row("%s", row->name);
		EXPECT_EQ(0, -amd_enumerate(&caps, &id));
		EXPECT_EQ(row->version == 2,
			  !!(amd_generic_events(&caps) & BIT_ULL(PMUDEV_REF_CYCLES)));
		EXPECT_EQ(0, -amd_encode(&caps, &cycles, &code, &why));
		EXPECT_EQ(row->family == 0x15 ? 0x07 : row->counters, code.allowed);
	}
	EXPECT_EQ(48, AMD_WIDTH);
}

static void no_counters_before_k7(void)
{
	struct amd_cpuid id = { .signature = 0x0000058c, .features = EXTENDED };
	struct amd_caps caps;

	EXPECT_EQ(ENODEV, -amd_enumerate(&caps, &id));
	EXPECT_EQ(5, caps.family);
}

/* CPUs are compared by memcmp(): every byte is set. */
static void equal_cpus_have_equal_bytes(void)
{
	struct amd_cpuid id = cpuid_of(&machines[10]);
	struct amd_caps a, b;

	memset(&a, 0xa5, sizeof(a));
	memset(&b, 0x5a, sizeof(b));
	EXPECT_EQ(0, amd_enumerate(&a, &id));
	EXPECT_EQ(0, amd_enumerate(&b, &id));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
}

int main(void)
{
	RUN(machines_that_exist);
	RUN(guests_and_others);
	RUN(what_they_count);
	RUN(no_counters_before_k7);
	RUN(equal_cpus_have_equal_bytes);
	return unit_end();
}
