// SPDX-License-Identifier: MIT
/* Events by libpfm4's names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pfm.h"
#include "pfm_lib.h"

/* Selector bits that are not part of the event: levels, and enable bits. */
#if !defined(__aarch64__) && !defined(__arm__)
#define NOT_EVENT 0x00530000ULL
#else
#define NOT_EVENT 0xf8000000ULL
#endif

/* ------------------------------------------------------------------- one event -- */

#define SECOND_REGISTER "needs a second register (offcore response, load latency or front end)"
#define ALL_WE_HAVE	", which are all that pmudev has"
#define ALLOWS		"LIBPFM_ENCODE_INACTIVE=1 in the environment allows it"
#define ANOTHER_CPU	", or is not used here because it is another CPU's (" ALLOWS ")"

/* A name to look up. @table: its prefix, if any; @event, @attrs: up to @end */
struct wanted {
	const char *where;
	const char *event;
	size_t len;
	const char *attrs;
	const char *end;
	bool prefixed;
	pfm_pmu_info_t table;
};

/* Modifiers that pmudev expresses differently, or does not support. */
static const struct {
	const char *name;
	const char *sentence;
} refused[] = {
	{ "u", "comes last and has no value: NAME:MASK:u" },
	{ "k", "comes last and has no value: NAME:MASK:k" },
	{ "h", "comes last and has no value: NAME:MASK:h" },
	{ "hv", "is :h here, and comes last" },
	{ "t", "counts for the core's other thread too; pmudev counts for one" },
	{ "intx", "counts inside transactions only, which pmudev cannot select" },
	{ "intxcp", "leaves out aborted transactions, which pmudev cannot" },
	{ "ldlat",
	  "needs the register of load latencies, which is for sampling; pmudev only counts" },
	{ "fe_thres", "needs the register of front end events, which pmudev does not set" },
	{ "precise", "is for sampling; pmudev only counts" },
};

/* Attribute @i of an event. */
static bool attribute(int event, int i, pfm_event_attr_info_t *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	return pfm_get_event_attr_info(event, i, PFM_OS_NONE, attr) == PFM_SUCCESS;
}

/* "L1_HIT, L1_MISS, ..." */
static void list_masks(int event, char *buf, size_t size)
{
	pfm_event_attr_info_t attr;
	size_t used = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; attribute(event, i, &attr) && used < size; i++)
		if (attr.type == PFM_ATTR_UMASK)
			used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 attr.name);
	if (used >= size && strrchr(buf, ','))
		*strrchr(buf, ',') = '\0'; /* drop the truncated last one */
}

/* Is the text between colons a unit mask or a modifier of the event? */
static bool check_attribute(struct parser *p, const struct wanted *w, int event, const char *at,
			    size_t len)
{
	const size_t name = strcspn(at, ":.=");
	const size_t used = name < len ? name : len;
	pfm_event_attr_info_t attr;
	char masks[400];
	size_t r;
	int i;

	for (r = 0; r < ARRAY_SIZE(refused); r++)
		if (strlen(refused[r].name) == used && !strncasecmp(refused[r].name, at, used))
			return pmudev_wrong_as(p, -EOPNOTSUPP, at, "'%s' %s", refused[r].name,
					       refused[r].sentence);
	for (i = 0; attribute(event, i, &attr); i++)
		if (strlen(attr.name) == used && !strncasecmp(attr.name, at, used))
			return true;
	/* A mask can be a number. */
	if (used > 2 && at[0] == '0' && at[1] == 'x')
		return true;
	list_masks(event, masks, sizeof(masks));
	return pmudev_wrong_as(p, -ENOENT, at, "%.*s has no unit mask or modifier '%.*s'%s%s",
			       pmudev_shown(w->len), w->event, pmudev_shown(len), at,
			       *masks ? "; it has " : " and no unit masks", masks);
}

static bool check_attributes(struct parser *p, const struct wanted *w, int event)
{
	const char *at = w->attrs;
	size_t len;

	while (at < w->end) {
		at++; /* the colon or dot */
		len = strcspn(at, ":.");
		if (len > (size_t)(w->end - at))
			len = w->end - at;
		if (!check_attribute(p, w, event, at, len))
			return false;
		at += len;
	}
	return true;
}

/* The bits of an event's code that this PMU supports. */
static __u64 config_bits(const struct pmu *pmu)
{
	struct pmudev_event_attr attr = {};
	unsigned int i;

	for (i = 0; i < pmu->nr_terms; i++)
		if (pmu->terms[i].field == TERM_CONFIG)
			pmudev_set_term(&pmu->terms[i], &attr, pmu->terms[i].info.max);
	return attr.config;
}

static bool refuse_code(struct parser *p, const struct wanted *w, const char *why)
{
	return pmudev_wrong_as(p, -EOPNOTSUPP, w->where, "%.*s %s", pmudev_shown(w->end - w->where),
			       w->where, why);
}

/* Converts libpfm4's selector to an event. */
static bool convert(struct parser *p, const struct wanted *w, const struct pmu *pmu,
		    const pfm_pmu_encode_arg_t *code, struct pmudev_event_attr *attr)
{
	if (code->count != 1)
		return refuse_code(p, w, SECOND_REGISTER ", which pmudev does not set");
	attr->type = PMUDEV_TYPE_RAW;
	attr->config = code->codes[0] & ~NOT_EVENT;
	if (attr->config & ~config_bits(pmu))
		return refuse_code(p, w, "needs selector bits that this PMU does not have");
	if (strcmp(pmu->arch, "intel") || attr->config & 0xff || !(attr->config & 0xff00))
		return true;
	/* Event 0 is libpfm4's way to name a fixed counter. */
	if ((attr->config >> 8 & 0xff) != 3)
		return refuse_code(p, w,
				   "exists on a fixed counter only, for which pmudev has no event");
	attr->type = PMUDEV_TYPE_GENERIC;
	attr->config = PMUDEV_REF_CYCLES;
	return true;
}

/* Looks it up in one table. */
static enum pfm_answer encode(struct parser *p, const struct wanted *w, const struct pmu *pmu,
			      const char *table, struct pmudev_event_attr *attr)
{
	char text[256], masks[400];
	uint64_t codes[8];
	pfm_pmu_encode_arg_t code = { .codes = codes,
				      .count = ARRAY_SIZE(codes),
				      .size = sizeof(code) };
	int event, err;

	if (snprintf(text, sizeof(text), "%s::%.*s", table, (int)w->len, w->event) >=
	    (int)sizeof(text))
		return PFM_UNKNOWN;
	event = pfm_find_event(text);
	if (event < 0)
		return PFM_UNKNOWN;
	if (!check_attributes(p, w, event))
		return PFM_WRONG;
	if (snprintf(text, sizeof(text), "%s::%.*s", table, (int)(w->end - w->event), w->event) >=
	    (int)sizeof(text)) {
		pmudev_wrong(p, w->where, "this event is too long");
		return PFM_WRONG;
	}
	err = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &code);
	if (!err)
		return convert(p, w, pmu, &code, attr) ? PFM_FOUND : PFM_WRONG;
	list_masks(event, masks, sizeof(masks));
	if (err == PFM_ERR_UMASK && w->attrs == w->end)
		pmudev_wrong(p, w->where, "%.*s needs a unit mask: one of %s", pmudev_shown(w->len),
			     w->event, masks);
	else
		pmudev_wrong(p, w->where, "libpfm4 does not accept %.*s: %s",
			     pmudev_shown(w->end - w->where), w->where, pfm_strerror(err));
	return PFM_WRONG;
}

/* Looks it up for one PMU. */
static enum pfm_answer encode_on(struct parser *p, const struct wanted *w, const struct pmu *pmu,
				 struct pmudev_event_attr *attr)
{
	enum pfm_answer answer = PFM_UNKNOWN;
	pfm_pmu_info_t table;
	int at = -1;

	if (!pmudev_pfm_has_arch(pmu->arch))
		return PFM_UNKNOWN;
	/* A table of another machine applies to all PMUs. */
	if (w->prefixed && (!w->table.is_present || pmudev_pfm_fits(p->pmus, pmu, &w->table)))
		return encode(p, w, pmu, w->table.name, attr);
	while (!w->prefixed && answer == PFM_UNKNOWN &&
	       pmudev_pfm_next_table(p->pmus, pmu, &at, &table))
		answer = encode(p, w, pmu, table.name, attr);
	return answer;
}

/* Splits the name. */
static bool split(struct parser *p, struct wanted *w)
{
	const char *colons = w->where + strcspn(w->where, ":,{}/@");

	w->event = w->where;
	w->prefixed = colons + 1 < w->end && colons[0] == ':' && colons[1] == ':';
	if (w->prefixed) {
		w->event = colons + 2;
		if (!pmudev_pfm_named(w->where, colons - w->where, &w->table))
			return pmudev_wrong_as(p, -ENOENT, w->where, "libpfm4 has no PMU '%.*s'",
					       pmudev_shown(colons - w->where), w->where);
		if (w->table.type != PFM_PMU_TYPE_CORE)
			return refuse_code(p, w,
					   "is not an event of a CPU's own counters" ALL_WE_HAVE);
	}
	w->len = strcspn(w->event, ":.");
	if (w->len > (size_t)(w->end - w->event))
		w->len = w->end - w->event;
	w->attrs = w->event + w->len;
	return true;
}

static bool is_hardware(const char *name)
{
	return name && !strncmp(name, "PERF_COUNT_HW_", strlen("PERF_COUNT_HW_"));
}

/* It has a prefix, or belongs to another unit of this machine: say why it is refused. */
static enum pfm_answer nobody(struct parser *p, const struct wanted *w)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	pfm_pmu_info_t table;
	char text[128];
	int event;

	if (w->prefixed) {
		bool inactive = !w->table.is_present && !getenv("LIBPFM_ENCODE_INACTIVE");

		pmudev_wrong_as(p, -ENOENT, w->where, "%s has no event '%.*s'%s", w->table.name,
				pmudev_shown(w->len), w->event, inactive ? ANOTHER_CPU : "");
		return PFM_WRONG;
	}
	snprintf(text, sizeof(text), "%.*s", (int)w->len, w->event);
	event = pfm_find_event(text);
	if (event < 0 || pfm_get_event_info(event, PFM_OS_NONE, &info) ||
	    !pmudev_pfm_table(info.pmu, &table) || table.type == PFM_PMU_TYPE_CORE)
		return PFM_UNKNOWN;
	/* perf's names of hardware events belong to the CPU, but are not names here. */
	if (is_hardware(info.name) || is_hardware(info.equiv))
		return PFM_UNKNOWN;
	pmudev_wrong_as(p, -EOPNOTSUPP, w->where,
			"%.*s is an event of %s and none of a CPU's own counters" ALL_WE_HAVE,
			pmudev_shown(w->len), w->event, table.name);
	return PFM_WRONG;
}

/* It must be the same on all PMUs of @what that have it. */
static enum pfm_answer find(struct parser *p, const struct wanted *w, struct what *what)
{
	struct pmudev_event_attr attr, first = {};
	enum pfm_answer answer;
	__u32 those = 0;
	unsigned int i;

	for (i = 0; i < p->pmus->nr; i++) {
		if (!(what->pmus >> i & 1))
			continue;
		memset(&attr, 0, sizeof(attr));
		answer = encode_on(p, w, &p->pmus->pmu[i], &attr);
		if (answer == PFM_WRONG)
			return answer;
		if (answer == PFM_UNKNOWN)
			continue;
		if (those && (attr.type != first.type || attr.config != first.config)) {
			pmudev_wrong(p, w->where,
				     "'%.*s' differs between CPUs: name a PMU, as in %s/NAME/",
				     pmudev_shown(w->end - w->where), w->where,
				     p->pmus->pmu[i].name);
			return PFM_WRONG;
		}
		first = attr;
		those |= 1U << i;
	}
	if (!those)
		return nobody(p, w);
	what->pmus = those;
	what->attr.type = first.type;
	what->attr.config = first.config;
	return PFM_FOUND;
}

enum pfm_answer pmudev_pfm_event(struct parser *p, const char *where, const char *end,
				 struct what *what)
{
	struct wanted w = { .where = where, .end = end };
	enum pfm_answer answer;

	if (!p->pmus->nr || !pmudev_pfm_lock())
		return PFM_UNKNOWN;
	answer = split(p, &w) ? find(p, &w, what) : PFM_WRONG;
	pmudev_pfm_unlock();
	return answer;
}
