// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cache.h"

static const char *const names[NR_CACHE_EVENTS] = {
	[L1D_LOADS] = "L1-dcache-loads",
	[L1D_LOAD_MISSES] = "L1-dcache-load-misses",
	[L1D_STORES] = "L1-dcache-stores",
	[L1D_STORE_MISSES] = "L1-dcache-store-misses",
	[L1D_PREFETCHES] = "L1-dcache-prefetches",
	[L1D_PREFETCH_MISSES] = "L1-dcache-prefetch-misses",
	[L1I_LOADS] = "L1-icache-loads",
	[L1I_LOAD_MISSES] = "L1-icache-load-misses",
	[L1I_PREFETCHES] = "L1-icache-prefetches",
	[L1I_PREFETCH_MISSES] = "L1-icache-prefetch-misses",
	[LLC_LOADS] = "LLC-loads",
	[LLC_LOAD_MISSES] = "LLC-load-misses",
	[LLC_STORES] = "LLC-stores",
	[LLC_STORE_MISSES] = "LLC-store-misses",
	[LLC_PREFETCHES] = "LLC-prefetches",
	[LLC_PREFETCH_MISSES] = "LLC-prefetch-misses",
	[DTLB_LOADS] = "dTLB-loads",
	[DTLB_LOAD_MISSES] = "dTLB-load-misses",
	[DTLB_STORES] = "dTLB-stores",
	[DTLB_STORE_MISSES] = "dTLB-store-misses",
	[DTLB_PREFETCHES] = "dTLB-prefetches",
	[DTLB_PREFETCH_MISSES] = "dTLB-prefetch-misses",
	[ITLB_LOADS] = "iTLB-loads",
	[ITLB_LOAD_MISSES] = "iTLB-load-misses",
	[BRANCH_LOADS] = "branch-loads",
	[BRANCH_LOAD_MISSES] = "branch-load-misses",
	[NODE_LOADS] = "node-loads",
	[NODE_LOAD_MISSES] = "node-load-misses",
	[NODE_STORES] = "node-stores",
	[NODE_STORE_MISSES] = "node-store-misses",
	[NODE_PREFETCHES] = "node-prefetches",
	[NODE_PREFETCH_MISSES] = "node-prefetch-misses",
};

/*
 * PMUv3's common events (Arm ARM, "Common event numbers") by their names in sysfs, which lists
 * those that the CPU has.
 */
static const char *const common[NR_CACHE_EVENTS] = {
	[L1D_LOADS] = "l1d_cache",   [L1D_LOAD_MISSES] = "l1d_cache_refill",
	[L1I_LOADS] = "l1i_cache",   [L1I_LOAD_MISSES] = "l1i_cache_refill",
	[LLC_LOADS] = "ll_cache_rd", [LLC_LOAD_MISSES] = "ll_cache_miss_rd",
	[DTLB_LOADS] = "l1d_tlb",    [DTLB_LOAD_MISSES] = "l1d_tlb_refill",
	[ITLB_LOADS] = "l1i_tlb",    [ITLB_LOAD_MISSES] = "l1i_tlb_refill",
	[BRANCH_LOADS] = "br_pred",  [BRANCH_LOAD_MISSES] = "br_mis_pred",
};

/* Additional events of some CPUs. */
static const struct {
	unsigned int midr; /* Implementer and PartNum */
	enum cache_event event;
	unsigned int code;
} special[] = {
	/* Cortex-A35, A53 */
	{ 0x4100d040, L1D_PREFETCH_MISSES, 0xc2 },
	{ 0x4100d040, NODE_LOADS, 0x60 },
	{ 0x4100d040, NODE_STORES, 0x61 },
	{ 0x4100d030, L1D_PREFETCH_MISSES, 0xc2 },
	{ 0x4100d030, NODE_LOADS, 0x60 },
	{ 0x4100d030, NODE_STORES, 0x61 },
	/* Cortex-A57, A72 */
	{ 0x4100d070, L1D_STORES, 0x41 },
	{ 0x4100d070, L1D_STORE_MISSES, 0x43 },
	{ 0x4100d070, DTLB_STORE_MISSES, 0x4d },
	{ 0x4100d070, NODE_LOADS, 0x60 },
	{ 0x4100d070, NODE_STORES, 0x61 },
	{ 0x4100d080, L1D_STORES, 0x41 },
	{ 0x4100d080, L1D_STORE_MISSES, 0x43 },
	{ 0x4100d080, DTLB_STORE_MISSES, 0x4d },
	{ 0x4100d080, NODE_LOADS, 0x60 },
	{ 0x4100d080, NODE_STORES, 0x61 },
	/* Cortex-A73 */
	{ 0x4100d090, L1D_STORES, 0x41 },
	/* ThunderX2 */
	{ 0x43000af0, L1D_STORES, 0x41 },
	{ 0x43000af0, L1D_STORE_MISSES, 0x43 },
	{ 0x43000af0, DTLB_STORES, 0x4f },
	{ 0x43000af0, DTLB_STORE_MISSES, 0x4d },
	{ 0x43000af0, NODE_LOADS, 0x60 },
	{ 0x43000af0, NODE_STORES, 0x61 },
};

/* MIDR_EL1.Implementer and PartNum: not the revision. */
#define MIDR_KIND 0xff00fff0

static unsigned int special_code(const struct pmu *pmu, enum cache_event event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i].event == event && special[i].midr == (pmu->cpu_id & MIDR_KIND))
			return special[i].code;
	return 0;
}

static bool is_x86(const struct pmu *pmu)
{
	return !strcmp(pmu->arch, "intel") || !strcmp(pmu->arch, "amd");
}

static unsigned int x86_code(const struct pmu *pmu, enum cache_event event)
{
	if (!strcmp(pmu->arch, "amd"))
		return pmudev_cache_amd(pmu->cpu_id, event);
	return pmudev_cache_intel(pmu->cpu_id, strstr(pmu->name, "atom"), event);
}

/* The event in the spelling of sysfs; false if there is none. */
static bool find_terms(const struct pmu *pmu, enum cache_event event, char *buf, size_t size)
{
	const struct named_event *named;
	unsigned int code;

	if (is_x86(pmu)) {
		code = x86_code(pmu, event);
		if (!code || code == CACHE_SECOND_REGISTER || code == CACHE_UNKNOWN_CPU)
			return false;
		snprintf(buf, size, "event=0x%02x,umask=0x%02x%s", code & 0xff, code >> 8 & 0xff,
			 code >> 18 & 1 ? ",edge" : "");
		return true;
	}
	named = common[event] ? pmudev_find_event(pmu, common[event], strlen(common[event])) : NULL;
	code = named ? 0 : special_code(pmu, event);
	if (named)
		snprintf(buf, size, "%s", named->terms);
	else if (code)
		snprintf(buf, size, "event=0x%02x", code);
	return named || code;
}

bool pmudev_cache_add(struct pmu *pmu)
{
	struct named_event *more, *event;
	char terms[sizeof(event->terms)];
	unsigned int i;

	for (i = 0; i < NR_CACHE_EVENTS; i++) {
		if (!find_terms(pmu, i, terms, sizeof(terms)))
			continue;
		more = realloc(pmu->events, (pmu->nr_events + 1) * sizeof(*more));
		if (!more)
			return false;
		pmu->events = more;
		event = &more[pmu->nr_events++];
		snprintf(event->name, sizeof(event->name), "%s", names[i]);
		memcpy(event->terms, terms, sizeof(terms));
	}
	return true;
}

static int find(const char *at, size_t len)
{
	int i;

	for (i = 0; i < NR_CACHE_EVENTS; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], at, len))
			return i;
	return -1;
}

bool pmudev_is_cache_name(const char *at, size_t len)
{
	return find(at, len) >= 0;
}

/* Named after the first of these PMUs: the others lack it too. */
static unsigned int code_of(const struct parser *p, __u32 pmus, enum cache_event event)
{
	unsigned int i;

	for (i = 0; i < p->pmus->nr; i++)
		if (pmus >> i & 1)
			return is_x86(&p->pmus->pmu[i]) ? x86_code(&p->pmus->pmu[i], event) : 0;
	return 0;
}

bool pmudev_lacks_cache_event(struct parser *p, const char *where, size_t len, __u32 pmus)
{
	const int event = find(where, len);
	const char *name;

	if (event < 0 || !p->pmus->nr)
		return false;
	name = names[event];
	if (pmudev_pmus_with_event(p, pmus, name, len))
		return false;
	switch (code_of(p, pmus, event)) {
	case CACHE_SECOND_REGISTER:
		pmudev_wrong_as(p, -EOPNOTSUPP, where,
				"%s needs a second register on this CPU (offcore response), which "
				"pmudev does not set",
				name);
		break;
	case CACHE_UNKNOWN_CPU:
		pmudev_wrong_as(p, -ENOENT, where,
				"pmudev does not know which event of this CPU %s is; `pmudev list` "
				"shows those it knows",
				name);
		break;
	default:
		pmudev_wrong_as(p, -ENOENT, where,
				"this CPU has no event for %s; `pmudev list` shows those it has",
				name);
		break;
	}
	return true;
}
