// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"
#include "errata.h"

#define NUMBER 0xf000000ffULL /* of a raw event of AMD's */

/* AMD's driver developers, May 2025 */
#define IC_SOURCE                                                                            \
	"https://lore.kernel.org/r/2f475a1ba4b240111e69644fc2d5bf93b2e39c99.1746618724.git." \
	"sandipan.das@amd.com"

static const struct erratum errata[] = {
	{ { 0x0f00, 0x16ff },
	  0xc0,
	  PMUDEV_INSTRUCTIONS,
	  "Retired Instructions",
	  "each interrupt and exception counts as an instruction, too",
	  "AMD's description of event C0H; Weaver et al., doi:10.1109/ISPASS.2013.6557172" },
	{ { 0x1700, 0x190f },
	  0xc0,
	  PMUDEV_INSTRUCTIONS,
	  "Retired Instructions",
	  "may be too high, as other events at retirement",
	  "AMD's errata 990, 1291, 1292; https://github.com/icl-utk-edu/papi/issues/160" },
	{ { 0x1700, 0x1aff },
	  0xc2,
	  PMUDEV_BRANCHES,
	  "Retired Branch Instructions",
	  "each interrupt and exception counts as a branch, too",
	  "AMD's description of event C2H" },
	{ { 0x1700, 0x170f },
	  ERRATUM_OF_ALL,
	  PMUDEV_GENERIC_MAX,
	  "Overflow interrupts",
	  "may be lost while two or more counters count: deadlines are then told late",
	  "AMD's erratum 1023" },
	{ { 0x1700, 0x1aff },
	  0x80,
	  PMUDEV_GENERIC_MAX,
	  "Instruction Cache Fetches",
	  "wrong, and no other event counts them",
	  IC_SOURCE },
	{ { 0x1700, 0x1aff },
	  0x81,
	  PMUDEV_GENERIC_MAX,
	  "Instruction Cache Misses",
	  "too low: r1060 counts them",
	  IC_SOURCE },
	{ { 0x1700, 0x19ff },
	  0xd1,
	  PMUDEV_GENERIC_MAX,
	  "Retired Conditional Branch Instructions",
	  "not the same in each run, unless bit 54 of MSR C001_1020H turns SpecLockMap off",
	  "https://github.com/rr-debugger/rr/wiki/Zen" },
};

/* 256 * family + model */
static unsigned int model_of(__u64 signature)
{
	unsigned int family = signature >> 8 & 0xf, model = signature >> 4 & 0xf;

	if (family == 0xf) {
		family += signature >> 20 & 0xff;
		model += signature >> 12 & 0xf0;
	}
	return family << 8 | model;
}

const struct erratum *errata_next(unsigned int arch, __u64 cpu_id, const struct erratum *last)
{
	const struct erratum *e = last ? last + 1 : errata;
	const unsigned int model = model_of(cpu_id);

	for (; arch == PMUDEV_ARCH_AMD && e < errata + ARRAY_SIZE(errata); e++)
		if (model >= e->models[0] && model <= e->models[1])
			return e;
	return NULL;
}

int erratum_is_of(const struct erratum *erratum, const struct pmudev_event_attr *attr)
{
	if (attr->type == PMUDEV_TYPE_GENERIC)
		return attr->config == erratum->generic;
	return (attr->config & NUMBER) == erratum->event;
}
