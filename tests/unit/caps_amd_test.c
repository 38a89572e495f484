// SPDX-License-Identifier: GPL-2.0
/* amd_enumerate(): what CPUID says of machines that were built, and of some that were not. */
#include <pmudev/amd.h>

#include "unit.h"

#define SVM	 0x4
#define EXTENDED 0x800000

struct row {
	const char *name;
	u32 signature, features, eax, ebx;
	u32 family, version;
	u64 counters;
};

static const struct row rows[] = {
	{ "K7 (Athlon)", 0x00000662, 0, 0, 0, 0x06, 1, 0xf },
	{ "K8 (Athlon 64)", 0x00000f48, 0, 0, 0, 0x0f, 1, 0xf },
	{ "K8, revision F: SVM", 0x00040f33, SVM, 0, 0, 0x0f, 1, 0xf },
	{ "K10 (Barcelona)", 0x00100f23, SVM, 0, 0, 0x10, 1, 0xf },
	{ "Bobcat", 0x00500f10, SVM, 0, 0, 0x14, 1, 0xf },
	{ "Bulldozer", 0x00600f12, SVM | EXTENDED, 0, 0, 0x15, 1, 0x3f },
	{ "Jaguar", 0x00700f01, SVM, 0, 0, 0x16, 1, 0xf },
	{ "Zen (Naples)", 0x00800f12, SVM | EXTENDED, 0, 0, 0x17, 1, 0x3f },
	{ "Hygon (Dhyana)", 0x00900f02, SVM | EXTENDED, 0, 0, 0x18, 1, 0x3f },
	{ "Zen 3 (Milan)", 0x00a00f11, SVM | EXTENDED, 0, 0, 0x19, 1, 0x3f },
	{ "Zen 4 (Genoa)", 0x00a10f11, SVM | EXTENDED, 0x7, 0x00010106, 0x19, 2, 0x3f },
	{ "Zen 5 (Turin)", 0x00b00f21, SVM | EXTENDED, 0x7, 0x00004106, 0x1a, 2, 0x3f },
	{ "a guest on Zen without the extended registers", 0x00800f12, 0, 0, 0, 0x17, 1, 0xf },
	{ "PerfMonV2 with fewer counters", 0x00a10f11, EXTENDED, 0x1, 4, 0x19, 2, 0xf },
	{ "PerfMonV2 with one", 0x00a10f11, EXTENDED, 0x1, 1, 0x19, 2, 0x1 },
	{ "PerfMonV2 with no number", 0x00a10f11, EXTENDED, 0x1, 0xf0, 0x19, 2, 0x3f },
	{ "PerfMonV2 with more than RDPMC has", 0x00a10f11, EXTENDED, 0x1, 0xf, 0x19, 2, 0x3f },
	{ "V2 without the extended registers", 0x00a10f11, 0, 0x1, 6, 0x19, 1, 0xf },
	{ "EBX without V2", 0x00a10f11, EXTENDED, 0x6, 4, 0x19, 1, 0x3f },
};

static struct amd_cpuid cpuid_of(const struct row *row)
{
	return (struct amd_cpuid){
		.signature = row->signature,
		.features = row->features,
		.perfmon = { row->eax, row->ebx, 0xffffffff, 0xffffffff },
	};
}

static void machines(void)
{
	struct amd_caps caps;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct amd_cpuid id = cpuid_of(&rows[i]);

		unit_row("%s", rows[i].name);
		memset(&caps, 0xa5, sizeof(caps));
		if (!EXPECT_EQ(0, -amd_enumerate(&caps, &id)))
			continue;
		EXPECT_EQ(rows[i].family, caps.family);
		EXPECT_EQ(rows[i].version, caps.version);
		EXPECT_EQ(rows[i].counters, caps.counters);
		EXPECT_EQ(!!(rows[i].features & EXTENDED), caps.extended);
		EXPECT_EQ(!!(rows[i].features & SVM), caps.svm);
		EXPECT_EQ(caps.svm && rows[i].family >= 0x10, caps.filters);
	}
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
	struct amd_cpuid id = cpuid_of(&rows[10]);
	struct amd_caps a, b;

	memset(&a, 0xa5, sizeof(a));
	memset(&b, 0x5a, sizeof(b));
	EXPECT_EQ(0, amd_enumerate(&a, &id));
	EXPECT_EQ(0, amd_enumerate(&b, &id));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
}

int main(void)
{
	RUN(machines);
	RUN(no_counters_before_k7);
	RUN(equal_cpus_have_equal_bytes);
	return unit_end();
}
