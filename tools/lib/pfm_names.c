// SPDX-License-Identifier: MIT
/* Lists libpfm4's names of a PMU's events. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pfm.h"
#include "pfm_lib.h"

/* libpfm4's texts stay valid: only its functions need the lock. */
static bool event_info(int event, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(event, PFM_OS_NONE, info) == PFM_SUCCESS;
}

static bool attr_info(int event, int i, pfm_event_attr_info_t *info)
{
	bool got;

	if (!pmudev_pfm_lock())
		return false;
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	got = pfm_get_event_attr_info(event, i, PFM_OS_NONE, info) == PFM_SUCCESS;
	pmudev_pfm_unlock();
	return got;
}

/* The first event of a table, or the one after @event; -1: none. */
static int next_event(const pfm_pmu_info_t *table, int event, pfm_event_info_t *info)
{
	if (!pmudev_pfm_lock())
		return -1;
	event = event < 0 ? table->first_event : pfm_get_event_next(event);
	if (event >= 0 && !event_info(event, info))
		event = -1;
	pmudev_pfm_unlock();
	return event;
}

static bool next_table(const struct pmudev_pmus *pmus, unsigned int pmu, int *at,
		       pfm_pmu_info_t *table)
{
	bool got;

	if (!pmudev_pfm_lock())
		return false;
	got = pmudev_pfm_next_table(pmus, &pmus->pmu[pmu], at, table);
	pmudev_pfm_unlock();
	return got;
}

/* An event and its unit masks. */
static int tell_event(const pfm_pmu_info_t *table, const pfm_event_info_t *event, pmudev_name_fn fn,
		      void *arg)
{
	struct pmudev_name_info info = { .table = table->name, .event = event->name };
	pfm_event_attr_info_t attr;
	char name[256];
	int i, ret;

	info.name = event->name;
	info.about = event->desc;
	info.same_as = event->equiv;
	ret = fn(&info, arg);
	info.name = name;
	for (i = 0; !ret && attr_info(event->idx, i, &attr); i++) {
		if (attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s:%s", event->name, attr.name);
		info.mask = attr.name;
		info.about = attr.desc;
		info.same_as = attr.equiv;
		info.is_default = attr.is_dfl;
		ret = fn(&info, arg);
	}
	return ret;
}

int pmudev_names_each(const struct pmudev_pmus *pmus, unsigned int pmu, pmudev_name_fn fn,
		      void *arg)
{
	int at = -1, event, ret = 0;
	pfm_event_info_t info;
	pfm_pmu_info_t table;

	if (pmu >= pmus->nr || !next_table(pmus, pmu, &at, &table))
		return -ENOENT;
	do {
		for (event = next_event(&table, -1, &info); event >= 0 && !ret;
		     event = next_event(&table, event, &info))
			ret = tell_event(&table, &info, fn, arg);
	} while (!ret && next_table(pmus, pmu, &at, &table));
	return ret;
}

struct taker {
	void (*take)(void *to, const char *name);
	void *to;
};

static int take_event(const struct pmudev_name_info *info, void *arg)
{
	const struct taker *taker = arg;

	if (!info->mask)
		taker->take(taker->to, info->name);
	return 0;
}

void pmudev_pfm_each(const struct pmudev_pmus *pmus, __u32 some,
		     void (*take)(void *to, const char *name), void *to)
{
	struct taker taker = { .take = take, .to = to };
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		if (some >> i & 1)
			pmudev_names_each(pmus, i, take_event, &taker);
}
