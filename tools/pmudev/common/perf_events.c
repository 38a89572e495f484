// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pmudev_events.h>

#include "cmd.h"
#include "perf_events.h"

#define CONFIG_ADVICE                                                                              \
	"on arm64, instead of perf's config1= write long, threshold= and the like (`pmudev list` " \
	"has the terms); on x86, config1= and config2= are registers that pmudev does not write"

#define STALL_ADVICE                                                                         \
	"instead of perf's stalled-cycles-: stall_frontend, stall_backend on arm64; on x86 " \
	"`pmudev list stall` shows what the CPU has"

/* Terms of perf's that stand for a whole register. */
static const struct {
	const char *term;
	const char *advice;
} terms[] = {
	{ "config1=", CONFIG_ADVICE },
	{ "config2=", CONFIG_ADVICE },
	{ "period=", "period= and freq= are for samples: `pmudev record -c N`" },
	{ "freq=", "period= and freq= are for samples: `pmudev record -c N`" },
	{ "percore", "instead of perf's percore: --per-core" },
};

/* perf's hardware events that are no generic events of pmudev's. */
static const struct {
	const char *name;
	const char *advice;
} names[] = {
	{ "stalled-cycles-frontend", STALL_ADVICE },
	{ "stalled-cycles-backend", STALL_ADVICE },
	{ "idle-cycles-frontend", STALL_ADVICE },
	{ "idle-cycles-backend", STALL_ADVICE },
	{ "bus-cycles",
	  "instead of perf's bus-cycles: bus_cycles on arm64, cpu/event=0x3c,umask=1/ on Intel" },
};

static const struct {
	char letter;
	const char *advice;
} modifiers[] = {
	{ 'p', "perf's :p is for precise samples; counts do not need it: leave it out" },
	{ 'P', "perf's :P is for precise samples; counts do not need it: leave it out" },
	{ 'D', "instead of perf's :D (pinned): events are on counters all the time, or refused" },
	{ 'W', "instead of perf's :W (weak group): without braces, or with --multiplex" },
	{ 'e', "perf's :e keeps others off the PMU; sets share it, or are refused: leave it out" },
	{ 'I', "instead of perf's :I: :H counts the host, :G guests" },
	{ 'S', "perf's :S is for samples of a group; leave it out" },
};

static const char *advice_of_terms(const char *event, size_t len)
{
	const char *at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		at = strstr(event, terms[i].term);
		if (at && at < event + len && at > event && (at[-1] == '/' || at[-1] == ','))
			return terms[i].advice;
	}
	return NULL;
}

/* Of letters that are modifiers all. */
static const char *advice_of_modifiers(const char *letters, size_t len)
{
	size_t i, at;

	if (!len || strspn(letters, "ukhGHpPDWeIS") < len)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(modifiers); i++)
		for (at = 0; at < len; at++)
			if (letters[at] == modifiers[i].letter)
				return modifiers[i].advice;
	return NULL;
}

/* One of perf's PMUs that this machine has, such as an uncore's. */
static bool is_pmu(const char *name, size_t len)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%.*s", (int)len, name);
	return len && !access(path, F_OK);
}

/* Is there no event of this name, or only one of perf's, as libpfm4 has tracepoints' groups? */
static bool is_unknown(const struct pmudev_pmus *pmus, const char *name, size_t len)
{
	struct pmudev_events *events;
	char word[128];
	int error;

	if (!len || len >= sizeof(word))
		return len;
	memcpy(word, name, len);
	word[len] = '\0';
	error = pmudev_events_parse(word, pmus, &events, NULL);
	if (!error)
		pmudev_events_free(events);
	return error == -ENOENT || error == -EOPNOTSUPP;
}

static const char *advice_of_event(const struct pmudev_pmus *pmus, const char *event, size_t len)
{
	const size_t name = strcspn(event, "/:,}");
	const char *colon, *advice = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == name && !strncmp(names[i].name, event, name))
			return names[i].advice;

	if (!strncmp(event, "mem:", 4))
		return "breakpoints (mem:ADDRESS) are counted by perf alone";
	if (event[name] == '/')
		advice = advice_of_terms(event, len);
	if (advice)
		return advice;
	for (colon = event + len; colon > event && colon[-1] != ':' && colon[-1] != '/'; colon--)
		;
	if (colon > event)
		advice = advice_of_modifiers(colon, event + len - colon);
	if (advice)
		return advice;
	if (event[name] == '/' && strncmp(event, "cpu/", 4) && is_pmu(event, name))
		return "this PMU is perf's alone; `pmudev list` shows those of pmudev";
	if (event[name] == ':' && name < len &&
	    strspn(event + name + 1, "ukhGH") + name + 1 < len && is_unknown(pmus, event, name))
		return "or, if GROUP:NAME is a tracepoint: those are counted by perf alone";
	return NULL;
}

/* Up to what follows it. */
static size_t length(const char *event)
{
	bool inside = false;
	size_t len;

	for (len = 0; event[len]; len++) {
		if (event[len] == '/')
			inside = !inside;
		else if (!inside && strchr(",{}", event[len]))
			break;
	}
	return len;
}

const char *perf_events_advice(const struct pmudev_pmus *pmus, const char *list)
{
	const char *advice = NULL;
	size_t len;

	for (; *list && !advice; list += len) {
		list += strspn(list, ",{}");
		len = length(list);
		if (len)
			advice = advice_of_event(pmus, list, len);
	}
	return advice;
}
