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

/* Sysfs lists those of the common events that the CPU has. NULL: not this one */
static const struct named_event *find_common(const struct pmu *pmu, enum cache_event event)
{
	const unsigned int code = pmudev_cache_common(event);
	static const char prefix[] = "event=";
	unsigned int i;
	char *end;

	for (i = 0; code && i < pmu->nr_events; i++) {
		const char *terms = pmu->events[i].terms;

		if (!strncmp(terms, prefix, strlen(prefix)) &&
		    strtoul(terms + strlen(prefix), &end, 0) == code && !*end)
			return &pmu->events[i];
	}
	return NULL;
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
	named = find_common(pmu, event);
	code = named ? 0 : pmudev_cache_arm64(pmu->cpu_id, event);
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
