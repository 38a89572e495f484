// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/* ------------------------------------------------------------------------ terms -- */

/* By enum term_field: the field's name in format/, and its width. */
static const struct {
	const char *name;
	unsigned int bits;
} fields[] = {
	[TERM_CONFIG] = { "config", 64 },
	[TERM_FLAGS] = { "flags", 32 },
	[TERM_ALLOWED] = { "allowed", 64 },
	[TERM_THRESHOLD] = { "threshold", 16 },
	[TERM_COMPARE] = { "threshold_compare", 8 },
};

#define NR_FIELDS (sizeof(fields) / sizeof((fields)[0]))

/* "config:8-15,40-47"; false if it is unknown. */
static bool parse_format(struct term *term, const char *text)
{
	const char *colon = strchr(text, ':');
	char *end = (char *)colon;
	unsigned long first, last;
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		if (colon && strlen(fields[i].name) == (size_t)(colon - text) &&
		    !strncmp(fields[i].name, text, colon - text))
			break;
	if (i == NR_FIELDS)
		return false;
	term->field = i;
	for (term->nr = 0; *end; term->nr++) {
		if (term->nr == sizeof(term->first))
			return false;
		first = strtoul(end + 1, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (first > last || last >= fields[i].bits || (*end && *end != ','))
			return false;
		term->first[term->nr] = first;
		term->last[term->nr] = last;
	}
	return term->nr;
}

static unsigned int range_bits(const struct term *term, unsigned int i)
{
	return term->last[i] - term->first[i] + 1;
}

static __u64 low_bits(unsigned int nr)
{
	return nr < 64 ? (1ULL << nr) - 1 : ~0ULL;
}

static __u64 highest(const struct term *term)
{
	unsigned int bits = 0, i;

	for (i = 0; i < term->nr; i++)
		bits += range_bits(term, i);
	return low_bits(bits);
}

static enum pmudev_term_kind kind_of(const struct term *term)
{
	if (term->field == TERM_COMPARE)
		return PMUDEV_TERM_COMPARE;
	if (term->field == TERM_ALLOWED)
		return PMUDEV_TERM_COUNTERS;
	return highest(term) == 1 ? PMUDEV_TERM_FLAG : PMUDEV_TERM_NUMBER;
}

bool pmudev_same_bits(const struct term *a, const struct term *b)
{
	return a->field == b->field && a->nr == b->nr && !memcmp(a->first, b->first, a->nr) &&
	       !memcmp(a->last, b->last, a->nr);
}

void pmudev_set_term(const struct term *term, struct pmudev_event_attr *attr, __u64 value)
{
	__u64 bits = 0;
	unsigned int i;

	for (i = 0; i < term->nr; i++) {
		unsigned int nr = range_bits(term, i);

		bits |= (value & low_bits(nr)) << term->first[i];
		value = nr < 64 ? value >> nr : 0;
	}
	switch (term->field) {
	case TERM_CONFIG:
		attr->config |= bits;
		break;
	case TERM_FLAGS:
		attr->flags |= bits;
		break;
	case TERM_ALLOWED:
		attr->allowed |= bits;
		break;
	case TERM_THRESHOLD:
		attr->threshold |= bits;
		break;
	case TERM_COMPARE:
		attr->threshold_compare |= bits;
		break;
	}
}

/* ---------------------------------------------------------------------- reading -- */

/* The first line of a file; empty, and false, if it cannot be read. */
static bool read_line(const char *folder, const char *name, char *buf, size_t len)
{
	char path[PATH_MAX];
	FILE *file;
	bool got;

	buf[0] = '\0';
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fgets(buf, len, file);
	fclose(file);
	buf[strcspn(buf, "\n")] = '\0';
	return got;
}

static bool read_number(const char *folder, const char *name, uint64_t *number)
{
	char text[32];

	*number = 0;
	if (!read_line(folder, name, text, sizeof(text)))
		return false;
	*number = strtoull(text, NULL, 0);
	return true;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls @add for each file of a folder in the order of names, while it returns true. */
static bool each_file(const char *folder,
		      bool (*add)(void *to, const char *folder, const char *name), void *to)
{
	struct dirent **entries;
	bool fine = true;
	int i, nr = scandir(folder, &entries, visible, versionsort);

	for (i = 0; i < nr; i++) {
		fine = fine && add(to, folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return fine;
}

/* Skip terms of later modules that the library does not understand. */
static bool add_term(void *to, const char *folder, const char *name)
{
	struct pmu *pmu = to;
	struct term *term = &pmu->terms[pmu->nr_terms];
	char text[64];

	if (pmu->nr_terms < MAX_TERMS && strlen(name) < sizeof(term->name) &&
	    read_line(folder, name, text, sizeof(text)) && parse_format(term, text)) {
		snprintf(term->name, sizeof(term->name), "%s", name);
		pmu->nr_terms++;
	}
	return true;
}

static bool add_event(void *to, const char *folder, const char *name)
{
	struct named_event *more, *event;
	struct pmu *pmu = to;

	if (strlen(name) >= sizeof(event->name))
		return true;
	more = realloc(pmu->events, (pmu->nr_events + 1) * sizeof(*more));
	if (!more)
		return false;
	pmu->events = more;
	event = &more[pmu->nr_events];
	snprintf(event->name, sizeof(event->name), "%s", name);
	if (read_line(folder, name, event->terms, sizeof(event->terms)))
		pmu->nr_events++;
	return true;
}

static bool add_pmu(void *to, const char *root, const char *name)
{
	struct pmudev_pmus *pmus = to;
	struct pmu *more, *pmu;
	char folder[PATH_MAX - 32], path[PATH_MAX];
	uint64_t width;

	if (pmus->nr == PMUDEV_MAX_PMUS || strlen(name) >= sizeof(pmu->name) ||
	    (size_t)snprintf(folder, sizeof(folder), "%s/%s", root, name) >= sizeof(folder))
		return true;
	more = realloc(pmus->pmu, (pmus->nr + 1) * sizeof(*more));
	if (!more)
		return false;
	pmus->pmu = more;
	pmu = &more[pmus->nr++];
	memset(pmu, 0, sizeof(*pmu));
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	read_line(folder, "cpumask", pmu->cpus, sizeof(pmu->cpus));
	read_line(folder, "caps/arch", pmu->arch, sizeof(pmu->arch));
	read_line(folder, "caps/counters", pmu->counters, sizeof(pmu->counters));
	read_line(folder, "caps/available", pmu->available, sizeof(pmu->available));
	read_number(folder, "caps/width", &width);
	pmu->info.width = width;
	read_number(folder, "caps/cpu_id", &pmu->cpu_id);
	pmu->info.knows_generic = read_number(folder, "caps/generic", &pmu->info.generic);
	snprintf(path, sizeof(path), "%s/format", folder);
	each_file(path, add_term, pmu);
	snprintf(path, sizeof(path), "%s/events", folder);
	return each_file(path, add_event, pmu) && pmudev_cache_add(pmu);
}

static int by_first_cpu(const void *a, const void *b)
{
	const struct pmu *first = a, *second = b;

	return atoi(first->cpus) - atoi(second->cpus);
}

/* Arrays are final now: set the pointers that are returned. */
static void tell(struct pmu *pmu)
{
	struct named_event *event;
	struct term *term;

	pmu->info.name = pmu->name;
	pmu->info.cpus = pmu->cpus;
	pmu->info.arch = pmu->arch;
	pmu->info.counters = pmu->counters;
	pmu->info.available = pmu->available;
	for (event = pmu->events; event < pmu->events + pmu->nr_events; event++) {
		event->info.name = event->name;
		event->info.terms = event->terms;
	}
	for (term = pmu->terms; term < pmu->terms + pmu->nr_terms; term++) {
		term->info.name = term->name;
		term->info.kind = kind_of(term);
		term->info.max = highest(term);
	}
}

int pmudev_pmus_load(struct pmudev_pmus **pmus, const char *root)
{
	struct pmudev_pmus *all = calloc(1, sizeof(*all));
	unsigned int i;

	*pmus = NULL;
	if (!all)
		return -ENOMEM;
	if (!each_file(root ? root : PMUDEV_SYSFS, add_pmu, all)) {
		pmudev_pmus_free(all);
		return -ENOMEM;
	}
	if (all->nr)
		qsort(all->pmu, all->nr, sizeof(*all->pmu), by_first_cpu);
	for (i = 0; i < all->nr; i++)
		tell(&all->pmu[i]);
	*pmus = all;
	return 0;
}

void pmudev_pmus_free(struct pmudev_pmus *pmus)
{
	unsigned int i;

	if (!pmus)
		return;
	for (i = 0; i < pmus->nr; i++)
		free(pmus->pmu[i].events);
	free(pmus->pmu);
	free(pmus);
}

/* ---------------------------------------------------------------------- finding -- */

static bool same(const char *name, const char *at, size_t len)
{
	return strlen(name) == len && !memcmp(name, at, len);
}

int pmudev_find_pmu(const struct pmudev_pmus *pmus, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		if (same(pmus->pmu[i].name, name, len))
			return i;
	return -1;
}

const struct term *pmudev_find_term(const struct pmu *pmu, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_terms; i++)
		if (same(pmu->terms[i].name, name, len))
			return &pmu->terms[i];
	return NULL;
}

const struct named_event *pmudev_find_event(const struct pmu *pmu, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_events; i++)
		if (same(pmu->events[i].name, name, len))
			return &pmu->events[i];
	return NULL;
}

/* ---------------------------------------------------------------------- telling -- */

unsigned int pmudev_pmus_nr(const struct pmudev_pmus *pmus)
{
	return pmus->nr;
}

const struct pmudev_pmu_info *pmudev_pmus_info(const struct pmudev_pmus *pmus, unsigned int pmu)
{
	return pmu < pmus->nr ? &pmus->pmu[pmu].info : NULL;
}

int pmudev_pmus_find(const struct pmudev_pmus *pmus, const char *name)
{
	return pmudev_find_pmu(pmus, name, strlen(name));
}

const struct pmudev_event_info *pmudev_pmus_event(const struct pmudev_pmus *pmus, unsigned int pmu,
						  unsigned int event)
{
	if (pmu >= pmus->nr || event >= pmus->pmu[pmu].nr_events)
		return NULL;
	return &pmus->pmu[pmu].events[event].info;
}

const struct pmudev_term_info *pmudev_pmus_term(const struct pmudev_pmus *pmus, unsigned int pmu,
						unsigned int term)
{
	if (pmu >= pmus->nr || term >= pmus->pmu[pmu].nr_terms)
		return NULL;
	return &pmus->pmu[pmu].terms[term].info;
}
