// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"
#include "errata.h"

#define NUMBER 0xf000000ffULL /* of a raw event of AMD's */

static const struct erratum errata[] = {
	{ { 0x0f, 0x16 },
	  0xc0,
	  PMUDEV_INSTRUCTIONS,
	  "Retired Instructions",
	  "each interrupt and exception counts as an instruction, too",
	  "AMD's description of event C0H; Weaver et al., doi:10.1109/ISPASS.2013.6557172" },
	{ { 0x17, 0x19 },
	  0xd1,
	  PMUDEV_GENERIC_MAX,
	  "Retired Conditional Branch Instructions",
	  "not the same in each run, unless bit 54 of MSR C001_1020H turns SpecLockMap off",
	  "https://github.com/rr-debugger/rr/wiki/Zen" },
};

static unsigned int family(__u64 signature)
{
	unsigned int base = signature >> 8 & 0xf;

	return base == 0xf ? base + (signature >> 20 & 0xff) : base;
}

const struct erratum *errata_next(unsigned int arch, __u64 cpu_id, const struct erratum *last)
{
	const struct erratum *e = last ? last + 1 : errata;

	for (; arch == PMUDEV_ARCH_AMD && e < errata + ARRAY_SIZE(errata); e++)
		if (family(cpu_id) >= e->families[0] && family(cpu_id) <= e->families[1])
			return e;
	return NULL;
}

int erratum_is_of(const struct erratum *erratum, const struct pmudev_event_attr *attr)
{
	if (attr->type == PMUDEV_TYPE_GENERIC)
		return attr->config == erratum->generic;
	return (attr->config & NUMBER) == erratum->event;
}
