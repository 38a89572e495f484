// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "identity.h"

/* Of a PMU of version 2 or later; those have at least 40 bits. */
#define INTEL_NARROW 31

/* "0-3 5" */
static const char *ranges_text(unsigned long long mask, char *buf, size_t len)
{
	int first, last;
	size_t used = 0;

	buf[0] = '\0';
	for (first = 0; first < 64; first = last + 1) {
		last = first;
		if (!(mask >> first & 1))
			continue;
		while (last < 63 && mask >> (last + 1) & 1)
			last++;
		if (used < len)
			used += snprintf(buf + used, len - used, last > first ? "%s%d-%d" : "%s%d",
					 used ? " " : "", first, last);
	}
	return buf;
}

const char *counters_text(unsigned long long mask, char *buf, size_t len)
{
	const unsigned long long fixed = mask >> PMUDEV_FIXED_BASE;
	const unsigned long long others = mask & ((1ULL << PMUDEV_FIXED_BASE) - 1);
	char a[128], b[128];

	if (!mask)
		return "none";
	snprintf(buf, len, "%s%s%s%s", ranges_text(others, a, sizeof(a)),
		 others && fixed ? ", " : "", fixed ? "fixed " : "",
		 ranges_text(fixed, b, sizeof(b)));
	return buf;
}

const char *counter_text(unsigned int counter, char *buf, size_t len)
{
	if (counter < PMUDEV_FIXED_BASE)
		snprintf(buf, len, "counter %u", counter);
	else
		snprintf(buf, len, "fixed %u", counter - PMUDEV_FIXED_BASE);
	return buf;
}

unsigned long long counters_mask(const char *list)
{
	unsigned long long mask = 0;
	unsigned long first, last;
	char *end = (char *)list;

	while (*end >= '0' && *end <= '9') {
		first = strtoul(end, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (last > 63 || first > last)
			break;
		mask |= ~0ULL >> (63 - last) & ~0ULL << first;
		end += *end == ',';
	}
	return mask;
}

void architecture_text(const struct pmudev_query *q, char *buf, size_t len)
{
	switch (q->arch) {
	case PMUDEV_ARCH_ARM64:
		snprintf(buf, len, "arm64, PMUv3, PMUVer %u", q->arch_version);
		break;
	case PMUDEV_ARCH_INTEL:
		snprintf(buf, len, "Intel, architectural perfmon version %u", q->arch_version);
		break;
	case PMUDEV_ARCH_AMD:
		snprintf(buf, len, "AMD, %s",
			 q->arch_version >= 2 ? "PerfMonV2" : "without global registers");
		break;
	default:
		snprintf(buf, len, "%u, version %u", q->arch, q->arch_version);
		break;
	}
}

/* CPUID.01H:EAX, SDM volume 2A: the extended fields count in some families only. */
static void signature_text(unsigned int eax, char *buf, size_t len)
{
	unsigned int family = eax >> 8 & 0xf, model = eax >> 4 & 0xf;

	if (family == 0x6 || family == 0xf)
		model |= (eax >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += eax >> 20 & 0xff;
	snprintf(buf, len, "family %u, model %u, stepping %u (CPUID signature %#x)", family, model,
		 eax & 0xf, eax);
}

void model_text(const struct pmudev_query *q, char *buf, size_t len)
{
	switch (q->arch) {
	case PMUDEV_ARCH_ARM64:
		snprintf(buf, len, "MIDR %#llx", (unsigned long long)q->cpu_id);
		break;
	case PMUDEV_ARCH_INTEL:
	case PMUDEV_ARCH_AMD:
		signature_text(q->cpu_id, buf, len);
		break;
	default:
		snprintf(buf, len, "%#llx", (unsigned long long)q->cpu_id);
		break;
	}
}

/* Counters without full-width writes hold the count in their writable bits. */
static bool narrow(const struct pmudev_query *q)
{
	return q->arch == PMUDEV_ARCH_INTEL && q->width == INTEL_NARROW;
}

/* Which they are on arm64, where each fixed counter has one event. */
static const char *fixed_names(const struct pmudev_query *q)
{
	if (q->arch != PMUDEV_ARCH_ARM64)
		return "";
	return q->counters >> (PMUDEV_FIXED_BASE + 1) & 1 ?
		       ": the cycle counter and the instruction counter" :
		       ": the cycle counter";
}

void widths_text(const struct pmudev_query *q, char *buf, size_t len)
{
	const unsigned long long fixed = q->counters & ~0ULL << PMUDEV_FIXED_BASE;
	const unsigned long long others = q->counters & ~fixed;
	char text[256];
	size_t used = 0;

	if (others)
		used = snprintf(buf, len, "%s (%u bits%s)",
				counters_text(others, text, sizeof(text)), q->width,
				narrow(q) ? ", as there are no full-width writes" : "");
	else
		used = snprintf(buf, len, "none");
	if (fixed && used < len)
		snprintf(buf + used, len - used, ", %s (%u bits%s)",
			 counters_text(fixed, text, sizeof(text)), q->width_fixed, fixed_names(q));
}
