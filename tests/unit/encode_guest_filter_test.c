// SPDX-License-Identifier: GPL-2.0
/* pmuv3_encode(): exception levels that are counted, in the host and in guests. */
#include "encode_pmuv3.h"

#define U PMUDEV_EXCLUDE_USER
#define K PMUDEV_EXCLUDE_KERNEL
#define V PMUDEV_EXCLUDE_HV
#define H PMUDEV_EXCLUDE_HOST
#define G PMUDEV_EXCLUDE_GUEST

#define NOTHING 1 /* refused: every level is excluded */
#define NONE	2 /* refused: there are no guests */
#define BOTH	3 /* refused on every machine */

/*
 * Bits of the selector. EL1 (a guest, or a machine without EL2): U and K exclude; V and G have no
 * effect. nVHE: V, K and H each exclude EL2; events with a filter are started and stopped at guest
 * entry and exit. VHE: V has no effect; the host's kernel is at EL2 and guest kernels at EL1; guest
 * entry and exit change the bit for EL0.
 */
static const struct {
	u32 exclude;
	u32 el1;
	u32 nvhe;
	u8 nvhe_filter;
	u32 vhe;
	u32 vhe_guest;
} table[] = {
	{ 0, 0x00000000, 0x08000000, PMUDEV_FILTER_NONE, 0x08000000, 0x08000000 },
	{ U, 0x40000000, 0x48000000, PMUDEV_FILTER_NONE, 0x48000000, 0x48000000 },
	{ K, 0x80000000, 0x80000000, PMUDEV_FILTER_NONE, 0x80000000, 0x80000000 },
	{ U | K, NOTHING, NOTHING, 0, NOTHING, 0 },
	{ V, 0x00000000, 0x00000000, PMUDEV_FILTER_NONE, 0x08000000, 0x08000000 },
	{ U | V, 0x40000000, 0x40000000, PMUDEV_FILTER_NONE, 0x48000000, 0x48000000 },
	{ K | V, 0x80000000, 0x80000000, PMUDEV_FILTER_NONE, 0x80000000, 0x80000000 },
	{ U | K | V, NOTHING, NOTHING, 0, NOTHING, 0 },
	{ H, NONE, 0x00000000, PMUDEV_FILTER_GUEST, 0x40000000, 0x00000000 },
	{ U | H, NONE, 0x40000000, PMUDEV_FILTER_GUEST, 0x40000000, 0x40000000 },
	{ K | H, NONE, 0x80000000, PMUDEV_FILTER_GUEST, 0xc0000000, 0x80000000 },
	{ U | K | H, NONE, NOTHING, 0, NOTHING, 0 },
	{ V | H, NONE, 0x00000000, PMUDEV_FILTER_GUEST, 0x40000000, 0x00000000 },
	{ U | V | H, NONE, 0x40000000, PMUDEV_FILTER_GUEST, 0x40000000, 0x40000000 },
	{ K | V | H, NONE, 0x80000000, PMUDEV_FILTER_GUEST, 0xc0000000, 0x80000000 },
	{ U | K | V | H, NONE, NOTHING, 0, NOTHING, 0 },
	{ G, 0x00000000, 0x08000000, PMUDEV_FILTER_HOST, 0x88000000, 0xc8000000 },
	{ U | G, 0x40000000, 0x48000000, PMUDEV_FILTER_HOST, 0xc8000000, 0xc8000000 },
	{ K | G, 0x80000000, 0x80000000, PMUDEV_FILTER_HOST, 0x80000000, 0xc0000000 },
	{ U | K | G, NOTHING, NOTHING, 0, NOTHING, 0 },
	{ V | G, 0x00000000, 0x00000000, PMUDEV_FILTER_HOST, 0x88000000, 0xc8000000 },
	{ U | V | G, 0x40000000, 0x40000000, PMUDEV_FILTER_HOST, 0xc8000000, 0xc8000000 },
	{ K | V | G, 0x80000000, 0x80000000, PMUDEV_FILTER_HOST, 0x80000000, 0xc0000000 },
	{ U | K | V | G, NOTHING, NOTHING, 0, NOTHING, 0 },
	{ H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ U | H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ K | H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ U | K | H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ V | H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ U | V | H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ K | V | H | G, BOTH, BOTH, 0, BOTH, 0 },
	{ U | K | V | H | G, BOTH, BOTH, 0, BOTH, 0 },
};

/* More than user mode: a kernel, the host's or guests', or code below it. */
static bool privileged(u32 exclude)
{
	return !(exclude & K);
}

static int refusal_of(u32 bits)
{
	return bits == NONE ? PMUDEV_WHY_NO_GUEST : PMUDEV_WHY_ALL_EXCLUDED;
}

static void expect_row(unsigned int row, const struct pmuv3_caps *caps, u64 event)
{
	const u32 bits[] = { table[row].el1, table[row].nvhe, table[row].vhe };
	u32 host = bits[caps->shape], guest = host;
	u8 filter = caps->shape == PMUV3_NVHE ? table[row].nvhe_filter : PMUDEV_FILTER_NONE;
	struct pmudev_event_attr attr = raw(event);
	struct pmudev_refusal why = unit_refusal();
	struct pmudev_code code;
	int ret;

	attr.flags = table[row].exclude;
	if (host == BOTH) {
		EXPECT_EQ(EINVAL, -pmudev_attr_check(&attr, &why));
		EXPECT_EQ(PMUDEV_WHY_ALL_EXCLUDED, why.code);
		return;
	}
	ret = encode(caps, &attr, &code, &why);
	if (host == NOTHING || host == NONE) {
		EXPECT_REFUSED(ret, &why, host == NONE ? EOPNOTSUPP : EINVAL, refusal_of(host), 0);
		return;
	}
	if (!EXPECT_EQ(0, ret))
		return;
	if (caps->shape == PMUV3_VHE)
		guest = table[row].vhe_guest;
	if (caps->shape == PMUV3_VHE && guest != host)
		filter = guest & PMUV3_TYPER_U ? PMUDEV_FILTER_HOST : PMUDEV_FILTER_GUEST;
	EXPECT_EQ(event | host, code.config);
	EXPECT_EQ(filter, code.filter);
	EXPECT_EQ(event | guest, pmuv3_guest_config(caps, code.config, code.filter));
	EXPECT_EQ(privileged(attr.flags), code.privileged);
}

static void all_combinations(void)
{
	/* PMCCFILTR_EL0 and PMICFILTR_EL0 have the same bits. */
	static const u64 events[] = { INSTRUCTIONS, CYCLES, 0xc0, 0x4004 };
	unsigned int row, shape, i, version;

	EXPECT_EQ(32, ARRAY_SIZE(table));
	for (row = 0; row < ARRAY_SIZE(table); row++) {
		for (shape = 0; shape < 3; shape++) {
			for (i = 0; i < ARRAY_SIZE(events); i++) {
				for (version = 1; version < ARRAY_SIZE(versions); version++) {
					struct pmuv3_caps caps = everything();

					caps.shape = shape;
					caps.version = versions[version];
					unit_row("%s, exclude %#x, event %#llx, PMUVer %u",
						 shapes[shape], table[row].exclude,
						 (unsigned long long)events[i], caps.version);
					expect_row(row, &caps, events[i]);
				}
			}
		}
	}
}

/* Each combination once. */
static void rows_differ(void)
{
	u64 tested = 0;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(table); row++)
		tested |= 1ULL << table[row].exclude;
	EXPECT_EQ(0xffffffffULL, tested);
}

/* What cannot be told apart is not counted as if it were. */
static void protected(void)
{
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		struct pmuv3_caps caps = everything();
		struct pmudev_event_attr attr = raw(INSTRUCTIONS);
		u32 filters = table[row].exclude & (H | G);

		caps.shape = PMUV3_NVHE;
		caps.protected_kvm = true;
		attr.flags = table[row].exclude;
		unit_row("pKVM, exclude %#x", attr.flags);
		if (filters && filters != (H | G))
			expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_HARDWARE, filters, 0);
		else
			expect_row(row, &caps, INSTRUCTIONS);
	}
}

/* A kernel without KVM: the same levels, and no filter. */
static void without_kvm(void)
{
	unsigned int row, shape;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		for (shape = 0; shape < 3; shape++) {
			struct pmuv3_caps caps = everything();
			struct pmudev_event_attr attr = raw(INSTRUCTIONS);
			struct pmudev_refusal why;
			struct pmudev_code code;

			caps.shape = shape;
			caps.guestless = true;
			caps.protected_kvm = true;
			attr.flags = table[row].exclude;
			unit_row("no KVM, %s, exclude %#x", shapes[shape], attr.flags);
			if ((attr.flags & (H | G)) == H)
				expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, 0, 0);
			else if (!(attr.flags & H) && !encode(&caps, &attr, &code, &why))
				EXPECT_EQ(PMUDEV_FILTER_NONE, code.filter);
		}
	}
}

int main(void)
{
	RUN(all_combinations);
	RUN(rows_differ);
	RUN(protected);
	RUN(without_kvm);
	return unit_end();
}
