// SPDX-License-Identifier: GPL-2.0
/* intel_enumerate(): what CPUID says of machines that were built, and of some that were not. */
#include <pmudev/intel.h>

#include "unit.h"

#define FW_WRITE 0x2000

struct row {
	const char *name;
	u32 leaf0a[4];
	u32 leaf23[4][4];
	bool hypervisor;
	bool full_width;
	bool eq;
	bool umask2;
	bool hiding;
	struct {
		u32 version, width, width_hw, width_fixed;
		u64 counters;
		u32 missing, declared;
	} wanted;
};

/* -------------------------------------------------------------- machines -- */

/* As CPUID was read on them. */
static const struct row machines[] = {
	{
		.name = "Core 2 (Conroe), which does not tell of its fixed counters",
		.leaf0a = { 0x07280202, 0, 0, 0 },
		.wanted = { 2, 31, 40, 40, 0x700000003, 0, 7 },
	},
	{
		.name = "Core 2 (Penryn)",
		.leaf0a = { 0x07280202, 0, 0, 0x00000503 },
		.wanted = { 2, 31, 40, 40, 0x700000003, 0, 7 },
	},
	{
		.name = "Atom (Diamondville), which tells of one fixed counter",
		.leaf0a = { 0x07280203, 0, 0, 0x00002501 },
		.wanted = { 3, 31, 40, 40, 0x700000003, 0, 7 },
	},
	{
		.name = "Nehalem (Bloomfield), no branch misses",
		.leaf0a = { 0x07300403, 0x40, 0, 0x00000603 },
		.wanted = { 3, 31, 48, 48, 0x70000000f, 0x40, 7 },
	},
	{
		.name = "Sandy Bridge",
		.leaf0a = { 0x07300403, 0, 0, 0x00000603 },
		.wanted = { 3, 31, 48, 48, 0x70000000f, 0, 7 },
	},
	{
		.name = "Sandy Bridge without hyperthreading",
		.leaf0a = { 0x07300803, 0, 0, 0x00000603 },
		.wanted = { 3, 31, 48, 48, 0x7000000ff, 0, 7 },
	},
	{
		.name = "Skylake",
		.leaf0a = { 0x07300404, 0, 0, 0x00000603 },
		.full_width = true,
		.wanted = { 4, 48, 48, 48, 0x70000000f, 0, 7 },
	},
	{
		.name = "Ice Lake, Sapphire Rapids",
		.leaf0a = { 0x08300805, 0, 0x0000000f, 0x00008604 },
		.full_width = true,
		.wanted = { 5, 48, 48, 48, 0xf000000ff, 0, 8 },
	},
	{
		.name = "Alder Lake",
		.leaf0a = { 0x07300605, 0, 0x00000007, 0x00008603 },
		.full_width = true,
		.wanted = { 5, 48, 48, 48, 0x70000003f, 0, 7 },
	},
	{
		.name = "Lunar Lake, a Lion Cove: 0AH speaks for all cores, 23H for this one",
		.leaf0a = { 0x0d300806, 0x00000280, 0x00000007, 0x00008603 },
		.leaf23 = { { 0x0b, 0x03, 0, 0 }, { 0x3ff, 0xf, 0, 0 }, {}, { 0x1dff, 0, 0, 0 } },
		.full_width = true,
		.eq = true,
		.umask2 = true,
		.wanted = { 6, 48, 48, 48, 0xf000003ff, ~0x1dffU, 13 },
	},
	/* libvirt, tests/cputestdata/x86_64-cpuid-Xeon-6731E.xml and -6788P.xml */
	{
		.name = "Sierra Forest: 23H lists as many events as version 1 has",
		.leaf0a = { 0x07300805, 0, 0x00000007, 0x00008603 },
		.leaf23 = { { 0x0b, 0, 0x06, 0 }, { 0xff, 0x7, 0, 0 }, {}, { 0x7f, 0, 0, 0 } },
		.full_width = true,
		.wanted = { 5, 48, 48, 48, 0x7000000ff, ~0x7fU, 13 },
	},
	{
		.name = "Granite Rapids: 23H beside version 5",
		.leaf0a = { 0x08300805, 0, 0x0000000f, 0x00008604 },
		.leaf23 = { { 0x0b, 0, 0, 0 }, { 0xff, 0xf, 0, 0 }, {}, { 0xdff, 0, 0, 0 } },
		.full_width = true,
		.wanted = { 5, 48, 48, 48, 0xf000000ff, ~0xdffU, 13 },
	},
	{
		.name = "a KVM guest on Skylake",
		.leaf0a = { 0x07300402, 0, 0, 0x00000603 },
		.hypervisor = true,
		.full_width = true,
		.wanted = { 2, 48, 48, 48, 0x70000000f, 0, 7 },
	},
	{
		.name = "the emulator, two counters, LLC events missing",
		.leaf0a = { 0x07300204, 0x18, 0, 0x00000603 },
		.hypervisor = true,
		.wanted = { 4, 31, 48, 48, 0x700000003, 0x18, 7 },
	},
};

/* ---------------------------------------------------------- enumeration -- */

/* By the SDM; no machine is known that says so. */
static const struct row others[] = {
	{
		.name = "version 5, fixed counters 0 1 3 and 5",
		.leaf0a = { 0x08300805, 0, 0x0000002b, 0x00008600 },
		.wanted = { 5, 31, 48, 48, 0x2b000000ff, 0, 8 },
	},
	{
		.name = "version 5, the number of fixed counters counts too",
		.leaf0a = { 0x08300805, 0, 0x00000020, 0x00008602 },
		.wanted = { 5, 31, 48, 48, 0x23000000ff, 0, 8 },
	},
	{
		.name = "version 5 has its bitmap: what it lacks is not assumed",
		.leaf0a = { 0x08300805, 0, 0x00000002, 0x00008600 },
		.wanted = { 5, 31, 48, 48, 0x2000000ff, 0, 8 },
	},
	{
		.name = "before version 5 ECX means nothing",
		.leaf0a = { 0x07300404, 0, 0xffffffff, 0x00000603 },
		.wanted = { 4, 31, 48, 48, 0x70000000f, 0, 7 },
	},
	{
		.name = "more fixed counters than IA32_FIXED_CTR_CTRL controls",
		.leaf0a = { 0x08300805, 0, 0xffff8000, 0x00008601 },
		.wanted = { 5, 31, 48, 48, 0x8001000000ff, 0, 8 },
	},
	{
		.name = "leaf 23H: bitmaps with holes, instead of 0AH's",
		.leaf0a = { 0x0d300806, 0, 0x0000000f, 0x00008604 },
		.leaf23 = { { 0x03, 0, 0, 0 }, { 0xa5, 0x71, 0, 0 } },
		.wanted = { 6, 31, 48, 48, 0x71000000a5, 0, 13 },
	},
	{
		.name = "leaf 23H without subleaves 1 and 3: what stands there means nothing",
		.leaf0a = { 0x0d300806, 0x1000, 0x0000000f, 0x00008604 },
		.leaf23 = { { 0x15, 0x02, 0, 0 }, { 0xa5, 0x71, 0, 0 }, {}, { 0x1, 0, 0, 0 } },
		.eq = true,
		.wanted = { 6, 31, 48, 48, 0xf000000ff, 0x1000, 13 },
	},
	{
		.name = "leaf 23H lists the events, whatever 0AH's declaration is",
		.leaf0a = { 0x08300806, 0xff, 0x0000000f, 0x00008604 },
		.leaf23 = { { 0x09, 0, 0, 0 }, {}, {}, { 0x0103, 0, 0, 0 } },
		.wanted = { 6, 31, 48, 48, 0xf000000ff, ~0x0103U, 13 },
	},
	{
		.name = "leaf 23H: unit masks without EQ; another number of counters than can be",
		.leaf0a = { 0x0d30ff06, 0, 0, 0x00008600 },
		.leaf23 = { { 0x02, 0x01, 0, 0 }, { 0x80000001, 0, 0, 0 } },
		.umask2 = true,
		.wanted = { 6, 31, 48, 0, 0x80000001, 0, 13 },
	},
	{
		.name = "leaf 23H: counters that can be hidden, all eight fixed ones",
		.leaf0a = { 0x0d300806, 0, 0x000000ff, 0x00008603 },
		.leaf23 = { { 0x01, 0x04, 0, 0 } },
		.hiding = true,
		.wanted = { 6, 31, 48, 48, 0xff000000ff, 0, 13 },
	},
	{
		.name = "leaf 23H: a ninth fixed counter, which has no bit to hide it",
		.leaf0a = { 0x0d300806, 0, 0x00000107, 0x00008603 },
		.leaf23 = { { 0x01, 0x04, 0, 0 } },
		.wanted = { 6, 31, 48, 48, 0x107000000ff, 0, 13 },
	},
	{
		.name = "a hypervisor's word: no fixed counters, whatever their width",
		.leaf0a = { 0x07300402, 0, 0, 0x00001fe0 },
		.hypervisor = true,
		.full_width = true,
		.wanted = { 2, 48, 48, 0, 0xf, 0, 7 },
	},
	{
		.name = "a hypervisor's word: one fixed counter",
		.leaf0a = { 0x07300403, 0, 0, 0x00000601 },
		.hypervisor = true,
		.wanted = { 3, 31, 48, 48, 0x10000000f, 0, 7 },
	},
	{
		.name = "fixed counters only, whatever the width of others",
		.leaf0a = { 0x07050004, 0, 0, 0x00000503 },
		.full_width = true,
		.wanted = { 4, 0, 0, 40, 0x700000000, 0, 7 },
	},
	{
		.name = "32 counters of 64 bits",
		.leaf0a = { 0x07402004, 0, 0, 0x00000803 },
		.full_width = true,
		.wanted = { 4, 64, 64, 64, 0x7ffffffff, 0, 7 },
	},
	{
		.name = "counters of 32 bits, which are all written but bit 31",
		.leaf0a = { 0x07200404, 0, 0, 0x00000403 },
		.wanted = { 4, 31, 32, 32, 0x70000000f, 0, 7 },
	},
	{
		.name = "a declaration of three events",
		.leaf0a = { 0x03300404, 0xffffff02, 0, 0x00000603 },
		.wanted = { 4, 31, 48, 48, 0x70000000f, 0x7a, 3 },
	},
	{
		.name = "a declaration of none",
		.leaf0a = { 0x00300404, 0, 0, 0x00000603 },
		.wanted = { 4, 31, 48, 48, 0x70000000f, 0x7f, 0 },
	},
	{
		.name = "a declaration of 31 events",
		.leaf0a = { 0x1f300404, 0xc0000080, 0, 0x00000603 },
		.wanted = { 4, 31, 48, 48, 0x70000000f, 0x40000080, 13 },
	},
	{
		.name = "a declaration of more events than EBX has bits",
		.leaf0a = { 0xff300404, 0x80000081, 0, 0x00000603 },
		.wanted = { 4, 31, 48, 48, 0x70000000f, 0x80000081, 13 },
	},
};

static struct intel_cpuid cpuid_of(const struct row *row)
{
	struct intel_cpuid id = {};

	memcpy(id.leaf0a, row->leaf0a, sizeof(id.leaf0a));
	memcpy(id.leaf23, row->leaf23, sizeof(id.leaf23));
	return id;
}

static void expect_caps(const struct row *row)
{
	struct intel_cpuid id = cpuid_of(row);
	struct intel_caps caps;

	unit_row("%s", row->name);
	memset(&caps, 0xa5, sizeof(caps));
	/* Every other bit of IA32_PERF_CAPABILITIES is another's business. */
	if (!EXPECT_EQ(0, -intel_enumerate(&caps, &id, row->full_width ? FW_WRITE : ~FW_WRITE,
					   row->hypervisor)))
		return;
	EXPECT_EQ(row->wanted.version, caps.version);
	EXPECT_EQ(row->wanted.width, caps.width);
	EXPECT_EQ(row->wanted.width_hw, caps.width_hw);
	EXPECT_EQ(row->wanted.width_fixed, caps.width_fixed);
	EXPECT_EQ(row->full_width, caps.full_width);
	EXPECT_EQ(row->eq, caps.eq);
	EXPECT_EQ(row->umask2, caps.umask2);
	EXPECT_EQ(row->hiding, caps.hiding);
	EXPECT_EQ(row->wanted.counters, caps.counters);
	EXPECT_EQ(row->wanted.missing, caps.missing);
	EXPECT_EQ(row->wanted.declared, caps.declared);
}

static void machines_that_were_built(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(machines); i++)
		expect_caps(&machines[i]);
}

static void what_else_the_manual_allows(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		expect_caps(&others[i]);
}

/* ------------------------------------------------------------- refusals -- */

static const struct row refused[] = {
	{ .name = "no leaf 0AH", .leaf0a = { 0, 0, 0, 0 } },
	{ .name = "version 1 (Core Duo)", .leaf0a = { 0x07280201, 0, 0, 0 } },
	{ .name = "no counters", .leaf0a = { 0x07300004, 0, 0, 0 }, .hypervisor = true },
	{ .name = "no counters, version 5", .leaf0a = { 0x08300005, 0, 0, 0x8600 } },
	{ .name = "33 counters", .leaf0a = { 0x07302104, 0, 0, 0x603 } },
	{ .name = "255 counters", .leaf0a = { 0x0730ff04, 0, 0, 0x603 } },
	{ .name = "no width", .leaf0a = { 0x07000404, 0, 0, 0x603 } },
	{ .name = "31 bits", .leaf0a = { 0x071f0404, 0, 0, 0x603 } },
	{ .name = "65 bits", .leaf0a = { 0x07410404, 0, 0, 0x603 } },
	{ .name = "255 bits", .leaf0a = { 0x07ff0404, 0, 0, 0x603 } },
	{ .name = "fixed counters of 31 bits", .leaf0a = { 0x07300404, 0, 0, 0x3e3 } },
	{ .name = "fixed counters of 65 bits", .leaf0a = { 0x07300404, 0, 0, 0x823 } },
	{ .name = "fixed counters only, of no width", .leaf0a = { 0x07000004, 0, 0, 0x3 } },
	{ .name = "leaf 23H: no counters",
	  .leaf0a = { 0x0d300806, 0, 0xf, 0x8604 },
	  .leaf23 = { { 0x2, 0, 0, 0 } } },
	{ .name = "leaf 23H: fixed counters that cannot be controlled",
	  .leaf0a = { 0x0d300806, 0, 0xf, 0x8604 },
	  .leaf23 = { { 0x2, 0, 0, 0 }, { 0, 0xffff0000, 0, 0 } } },
};

static void numbers_that_cannot_be(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		struct intel_cpuid id = cpuid_of(&refused[i]);
		struct intel_caps caps;

		unit_row("%s", refused[i].name);
		memset(&caps, 0xa5, sizeof(caps));
		EXPECT_EQ(ENODEV, -intel_enumerate(&caps, &id, FW_WRITE, refused[i].hypervisor));
		EXPECT_EQ(refused[i].leaf0a[0] & 0xff, caps.version);
	}
}

/* ------------------------------------------------------------ whatever -- */

static struct intel_cpuid random_cpuid(void)
{
	struct intel_cpuid id;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(id.leaf0a); i++) {
		id.leaf0a[i] = unit_random_length();
		id.leaf23[0][i] = unit_below(2) ? 0 : unit_random();
		id.leaf23[1][i] = unit_random_length();
		id.leaf23[2][i] = unit_random();
		id.leaf23[3][i] = unit_random();
	}
	/* Often what would pass. */
	if (unit_below(4))
		id.leaf0a[0] = 0x00300002 + (id.leaf0a[0] & 0xff001f07);
	if (unit_below(4))
		id.leaf0a[3] = 0x600 + (id.leaf0a[3] & 0x1f);
	return id;
}

/* Whatever CPUID says: refused, or something that the rest can rely on, by the same bytes again. */
static void any_numbers(void)
{
	unsigned int i, passed = 0;

	for (i = 0; i < 100000; i++) {
		struct intel_cpuid id = random_cpuid();
		struct intel_caps caps, again;
		u64 capabilities = unit_random();
		bool hypervisor = unit_below(2);

		unit_row("0AH %#x %#x %#x %#x", id.leaf0a[0], id.leaf0a[1], id.leaf0a[2],
			 id.leaf0a[3]);
		memset(&caps, 0xa5, sizeof(caps));
		memset(&again, 0x5a, sizeof(again));
		if (intel_enumerate(&caps, &id, capabilities, hypervisor))
			continue;
		passed++;
		EXPECT_EQ(0, intel_enumerate(&again, &id, capabilities, hypervisor));
		EXPECT_EQ(0, memcmp(&caps, &again, sizeof(caps)));
		EXPECT_TRUE(caps.version >= 2);
		EXPECT_TRUE(caps.counters && caps.counters < BIT_ULL(48));
		EXPECT_EQ(!(caps.counters & 0xffffffff), !caps.width);
		EXPECT_EQ(!(caps.counters >> 32), !caps.width_fixed);
		EXPECT_TRUE(!caps.width || (caps.width >= 31 && caps.width <= caps.width_hw));
		EXPECT_TRUE(!caps.width || (caps.width_hw >= 32 && caps.width_hw <= 64));
		EXPECT_TRUE(!caps.width_fixed ||
			    (caps.width_fixed >= 32 && caps.width_fixed <= 64));
		EXPECT_TRUE(!caps.hiding || caps.counters < BIT_ULL(40));
	}
	unit_row("all");
	EXPECT_TRUE(passed > 10000 && passed < 90000);
}

/* CPUID.01H:EAX of machines, as they printed it. */
static void models(void)
{
	static const struct {
		u32 signature;
		u16 model;
	} known[] = {
		{ 0x000006f6, 0x60f },	/* Merom */
		{ 0x000206a7, 0x62a },	/* Sandy Bridge */
		{ 0x00050654, 0x655 },	/* Skylake-SP */
		{ 0x000906ed, 0x69e },	/* Coffee Lake */
		{ 0x000606a6, 0x66a },	/* Ice Lake-SP */
		{ 0x000806f8, 0x68f },	/* Sapphire Rapids */
		{ 0x00000f4a, 0xf04 },	/* Pentium 4 */
		{ 0x00300f10, 0x1201 }, /* Nova Lake */
		{ 0x00400f10, 0x1301 }, /* Diamond Rapids */
		{ 0xffffffff, 0 },
	};
	struct intel_cpuid id = cpuid_of(&machines[0]);
	struct intel_caps caps;
	unsigned int i;

	id.type = INTEL_TYPE_ATOM;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		unit_row("CPUID.01H:EAX %#x", known[i].signature);
		id.signature = known[i].signature;
		EXPECT_EQ(0, -intel_enumerate(&caps, &id, 0, false));
		EXPECT_EQ(known[i].model, caps.model);
		EXPECT_EQ(INTEL_TYPE_ATOM, caps.type);
	}
}

/* Nehalem's and Westmere's programmable counters need what perf does; a guest's do not. */
static void programmable_ones_that_miscount(void)
{
	static const struct {
		u32 signature;
		bool miscounts;
	} known[] = {
		{ 0x000106a5, true }, { 0x000206e6, true },  { 0x000206c2, true },
		{ 0x000206f2, true }, { 0x000206a7, false }, { 0x0001067a, false },
	};
	struct intel_cpuid id = { .leaf0a = { 0x07300403, 0, 0, 0x00000603 } };
	struct intel_caps caps;
	unsigned int i, guest;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		for (guest = 0; guest < 2; guest++) {
			unit_row("CPUID.01H:EAX %#x%s", known[i].signature,
				 guest ? ", a guest" : "");
			id.signature = known[i].signature;
			EXPECT_EQ(0, -intel_enumerate(&caps, &id, 0, guest));
			EXPECT_EQ(known[i].miscounts && !guest ? 0x700000000 : 0x70000000f,
				  caps.counters);
			EXPECT_EQ(known[i].miscounts && !guest ? 0U : 48U, caps.width_hw);
		}
	}
}

int main(void)
{
	unit_seed(0x0a23);
	RUN(machines_that_were_built);
	RUN(what_else_the_manual_allows);
	RUN(numbers_that_cannot_be);
	RUN(any_numbers);
	RUN(models);
	RUN(programmable_ones_that_miscount);
	return unit_end();
}
