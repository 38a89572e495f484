// SPDX-License-Identifier: GPL-2.0
/* Enumeration of an AMD PMU: AMD64 Architecture Programmer's Manual volume 3, CPUID. */
#include <pmudev/amd.h>
#include <pmudev/cpuid.h>

/* 8000_0001H:ECX */
#define HAS_SVM	     BIT(2)
#define HAS_EXTENDED BIT(23) /* PerfCtrExtCore */

/* 8000_0022H:EAX */
#define HAS_V2 BIT(0)

#define FAMILY_K7 0x06

/* No CPU of version 2 says 0: it has what came before. */
static unsigned int nr_counters(const struct amd_caps *caps, const struct amd_cpuid *id)
{
	unsigned int nr = caps->version == 2 ? id->perfmon[1] & 0xf : 0;

	if (!nr)
		nr = caps->extended ? AMD_MAX_COUNTERS : 4;
	return nr < AMD_MAX_COUNTERS ? nr : AMD_MAX_COUNTERS;
}

int amd_enumerate(struct amd_caps *caps, const struct amd_cpuid *id)
{
	memset(caps, 0, sizeof(*caps));
	caps->family = pmudev_cpuid_family(id->signature);
	if (caps->family < FAMILY_K7)
		return -ENODEV;
	/* The global registers are about counters of the extended range. */
	caps->extended = id->features & HAS_EXTENDED;
	caps->version = caps->extended && (id->perfmon[0] & HAS_V2) ? 2 : 1;
	caps->counters = BIT_ULL(nr_counters(caps, id)) - 1;
	caps->svm = id->features & HAS_SVM;
	/* K8's later ones have SVM, but reserved bits there. */
	caps->filters = caps->svm && caps->family >= AMD_FAMILY_K10;
	return 0;
}
