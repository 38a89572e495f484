// SPDX-License-Identifier: BSD-3-Clause
/*
 * Native events: the names that libpfm4 has for this CPU, and those in the module's sysfs folder
 * (generic events, the PMU's own, perf's names of cache events). libpmudev finds both.
 *
 * An index into the table is PAPI's code of the event within the component. Entries are only added.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "linux-pmudev.h"

static struct pmudev_pmus *pmus;
static struct pmudev_native *table;
static int nr_natives;
static int room;
static char first_pmu[PAPI_MIN_STR_LEN];

/* Intel's events that all of its CPUs have: a table besides that of the CPU. */
#define ARCHITECTURAL "ix86arch"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* -------------------------------------------------------------------------- the table -- */

/* Under NAMELIB_LOCK, or at the start. Return: the index, or PAPI_ENOMEM. */
static int append(const char *name, const char *about, bool is_mask, bool listed)
{
	struct pmudev_native *larger, *native;

	if (nr_natives == room) {
		larger = realloc(table, (room + 1024) * sizeof(*table));
		if (!larger)
			return PAPI_ENOMEM;
		table = larger;
		room += 1024;
	}
	native = &table[nr_natives];
	memset(native, 0, sizeof(*native));
	native->name = strdup(name);
	native->about = strdup(about ? about : "");
	native->is_mask = is_mask;
	native->listed = listed;
	if (!native->name || !native->about) {
		free(native->name);
		free(native->about);
		return PAPI_ENOMEM;
	}
	return nr_natives++;
}

static int find(const char *name)
{
	int i;

	for (i = 0; i < nr_natives; i++)
		if (!strcasecmp(table[i].name, name))
			return i;
	return -1;
}

static bool is_valid(unsigned int code)
{
	return code < (unsigned int)nr_natives;
}

/* -------------------------------------------------------------------------- looking up -- */

/*
 * PAPI's way to choose levels is the one of libpfm4's events for perf: ":u=1:k=0". Takes these out
 * of @name; the levels named are in @levels, those that are 0 in @excluded.
 */
static void take_levels(char *name, uint32_t *levels, uint32_t *excluded)
{
	static const struct {
		const char *text;
		uint32_t level;
	} known[] = {
		{ ":u=", PMUDEV_EXCLUDE_USER },
		{ ":k=", PMUDEV_EXCLUDE_KERNEL },
		{ ":h=", PMUDEV_EXCLUDE_HV },
	};
	unsigned int i;
	char *at;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		at = strstr(name, known[i].text);
		if (!at || (at[3] != '0' && at[3] != '1'))
			continue;
		*levels |= known[i].level;
		if (at[3] == '0')
			*excluded |= known[i].level;
		memmove(at, at + 4, strlen(at + 4) + 1);
	}
}

/* Under NAMELIB_LOCK: libpfm4 is called from one thread at a time. */
static int look_up(struct pmudev_native *native)
{
	struct pmudev_events_error error;
	struct pmudev_events *events;
	uint32_t excluded = 0;
	char *name;
	int ret;

	name = strdup(native->name);
	if (!name)
		return PAPI_ENOMEM;
	take_levels(name, &native->levels, &excluded);
	ret = pmudev_events_parse(name, pmus, &events, &error);
	free(name);
	if (ret) {
		SUBDBG("%s: %s\n", native->name, error.text);
		return ret == -ENOMEM ? PAPI_ENOMEM : PAPI_ENOEVNT;
	}
	native->attr = *pmudev_events_attrs(events);
	native->attr.flags |= excluded;
	if (pmudev_events_levels(events, 0))
		native->levels = LEVELS;
	native->pmus = pmudev_events_pmus(events, 0);
	native->known = pmudev_events_nr(events) == 1;
	pmudev_events_free(events);
	return native->known ? PAPI_OK : PAPI_ENOEVNT;
}

const struct pmudev_native *pmudev_names_get(int index)
{
	const struct pmudev_native *native = NULL;

	_papi_hwi_lock(NAMELIB_LOCK);
	if (is_valid(index) && (table[index].known || look_up(&table[index]) == PAPI_OK))
		native = &table[index];
	_papi_hwi_unlock(NAMELIB_LOCK);
	return native;
}

static int name_to_code(const char *name, unsigned int *code)
{
	int index = find(name), error;

	if (index < 0) {
		index = append(name, "", false, false);
		if (index < 0)
			return index;
		error = look_up(&table[index]);
		if (error) {
			/* The entry was the last one. */
			nr_natives--;
			free(table[index].name);
			free(table[index].about);
			return error;
		}
	} else if (!table[index].known && look_up(&table[index]) != PAPI_OK) {
		return PAPI_ENOEVNT;
	}
	*code = index;
	return PAPI_OK;
}

int pmudev_ntv_name_to_code(const char *name, unsigned int *code)
{
	int error;

	_papi_hwi_lock(NAMELIB_LOCK);
	error = name_to_code(name, code);
	_papi_hwi_unlock(NAMELIB_LOCK);
	return error;
}

/* ------------------------------------------------------------------------ for PAPI's vector -- */

int pmudev_ntv_enum_events(unsigned int *code, int modifier)
{
	unsigned int next = modifier == PAPI_ENUM_FIRST ? 0 : *code + 1;

	switch (modifier) {
	case PAPI_ENUM_FIRST:
	case PAPI_ENUM_EVENTS:
		while (is_valid(next) && (table[next].is_mask || !table[next].listed))
			next++;
		break;
	case PAPI_NTV_ENUM_UMASKS:
		if (is_valid(next) && !table[next].is_mask)
			return PAPI_ENOEVNT;
		break;
	default:
		return PAPI_ENOIMPL;
	}
	if (!is_valid(next))
		return PAPI_ENOEVNT;
	*code = next;
	return PAPI_OK;
}

static int give(const char *text, char *buf, int len)
{
	const int needed = snprintf(buf, len, "%s", text);

	return needed < len ? PAPI_OK : PAPI_EBUF;
}

int pmudev_ntv_code_to_name(unsigned int code, char *name, int len)
{
	return is_valid(code) ? give(table[code].name, name, len) : PAPI_ENOEVNT;
}

int pmudev_ntv_code_to_descr(unsigned int code, char *about, int len)
{
	if (!is_valid(code) || len <= 0)
		return PAPI_ENOEVNT;
	snprintf(about, len, "%s", table[code].about);
	return PAPI_OK;
}

int pmudev_ntv_code_to_info(unsigned int code, PAPI_event_info_t *info)
{
	int error;

	error = pmudev_ntv_code_to_name(code, info->symbol, sizeof(info->symbol));
	if (error)
		return error;
	return pmudev_ntv_code_to_descr(code, info->long_descr, sizeof(info->long_descr));
}

/* --------------------------------------------------------------------------- set-up -- */

/* Remembers that the component has the events of this PMU of libpfm4. */
static void note_pmu(papi_vector_t *component, const char *name)
{
	char **names = component->cmp_info.pmu_names;
	unsigned int i;

	for (i = 0; i < PAPI_PMU_MAX && names[i]; i++)
		if (!strcmp(names[i], name))
			return;
	if (i < PAPI_PMU_MAX)
		names[i] = strdup(name);
	if (!*first_pmu && strcmp(name, ARCHITECTURAL))
		snprintf(first_pmu, sizeof(first_pmu), "%s", name);
}

static int take_name(const struct pmudev_name_info *info, void *component)
{
	note_pmu(component, info->table);
	/* PMUs of several kinds share names. */
	if (find(info->name) >= 0)
		return 0;
	return append(info->name, info->about, info->mask, true) < 0;
}

/* The generic events of a PMU, and those that sysfs names. Return: whether there was memory. */
static bool take_sysfs(unsigned int pmu)
{
	const struct pmudev_pmu_info *info = pmudev_pmus_info(pmus, pmu);
	const struct pmudev_event_info *event;
	unsigned int i;

	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (info->generic >> i & 1 && find(pmudev_generic_name(i)) < 0 &&
		    append(pmudev_generic_name(i), "generic event", false, true) < 0)
			return false;
	for (i = 0; (event = pmudev_pmus_event(pmus, pmu, i)); i++)
		if (find(event->name) < 0 && append(event->name, event->terms, false, true) < 0)
			return false;
	return true;
}

int pmudev_names_init(papi_vector_t *component)
{
	bool memory = !pmudev_pmus_load(&pmus, NULL);
	unsigned int i;

	for (i = 0; memory && i < pmudev_pmus_nr(pmus); i++)
		memory = take_sysfs(i);
	for (i = 0; memory && i < pmudev_pmus_nr(pmus); i++)
		memory = pmudev_names_each(pmus, i, take_name, component) <= 0;
	if (!memory) {
		snprintf(component->cmp_info.disabled_reason,
			 sizeof(component->cmp_info.disabled_reason), "out of memory");
		pmudev_names_exit(component);
		return PAPI_ENOMEM;
	}
	component->cmp_info.num_native_events = nr_natives;
	return PAPI_OK;
}

void pmudev_names_exit(papi_vector_t *component)
{
	int i;

	for (i = 0; i < nr_natives; i++) {
		free(table[i].name);
		free(table[i].about);
	}
	for (i = 0; i < PAPI_PMU_MAX; i++) {
		free(component->cmp_info.pmu_names[i]);
		component->cmp_info.pmu_names[i] = NULL;
	}
	free(table);
	table = NULL;
	nr_natives = 0;
	room = 0;
	first_pmu[0] = '\0';
	pmudev_pmus_free(pmus);
	pmus = NULL;
}

const char *pmudev_names_table(void)
{
	return *first_pmu ? first_pmu : NULL;
}
