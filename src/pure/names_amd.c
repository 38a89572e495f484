// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the fields of PERF_CTLx (AMD64 Architecture Programmer's Manual volume 2) and of events,
 * as perf has them.
 */
#include <pmudev/amd.h>

const struct pmudev_term amd_terms[] = {
	{ "event", AMD_CTL_EVENT, true },  { "umask", AMD_CTL_UMASK, true },
	{ "edge", AMD_CTL_EDGE, false },   { "inv", AMD_CTL_INV, false },
	{ "cmask", AMD_CTL_CMASK, false }, {},
};

/* K7 to family 16H: level 2 is the last level that a core counts for itself. */
static const struct pmudev_name before_zen[] = {
	{ "cpu-cycles", 0x0076 },	   { "instructions", 0x00c0 },
	{ "cache-references", 0x077d },	   { "cache-misses", 0x077e },
	{ "branch-instructions", 0x00c2 }, { "branch-misses", 0x00c3 },
};

/* Zen and later: level 2 again. Level 3 has counters of its own. */
static const struct pmudev_name zen[] = {
	{ "cpu-cycles", 0x0076 },	   { "instructions", 0x00c0 },
	{ "cache-references", 0xff60 },	   { "cache-misses", 0x0964 },
	{ "branch-instructions", 0x00c2 }, { "branch-misses", 0x00c3 },
};

const struct pmudev_name *amd_events(const struct amd_caps *caps, unsigned int *nr)
{
	*nr = ARRAY_SIZE(zen);
	return caps->family >= AMD_FAMILY_ZEN ? zen : before_zen;
}
