// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev info --json: one object. Counters are words as after '@': "2", "fixed 0".
 */
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/events.h"
#include "../common/holders.h"
#include "identity.h"
#include "info.h"

void info_json_counter(struct json *json, const char *key, unsigned int counter)
{
	char text[20];

	if (counter < PMUDEV_FIXED_BASE)
		snprintf(text, sizeof(text), "%u", counter);
	else
		counter_text(counter, text, sizeof(text));
	json_string(json, key, text);
}

void info_json_counters(struct json *json, const char *key, __u64 mask)
{
	unsigned int i;

	json_open(json, key, '[');
	for (i = 0; i < 64; i++)
		if (mask >> i & 1)
			info_json_counter(json, NULL, i);
	json_close(json, ']');
}

static void write_users(struct json *json, const char *key, const struct users *users)
{
	unsigned int i;

	json_open(json, key, '[');
	for (i = 0; i < users->nr && i < MAX_USERS; i++) {
		json_open(json, NULL, '{');
		json_signed(json, "pid", users->pid[i]);
		json_string(json, "name", users->name[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_cpus(struct json *json, struct pmudev *set, const struct pmudev_query *q)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	long cpu;

	json_open(json, "cpus", '[');
	for (cpu = 0; cpu < nr; cpu++)
		if (info_has_cpu(set, q, cpu))
			json_signed(json, NULL, cpu);
	json_close(json, ']');
}

void info_json_holder(struct json *json, const struct pmudev_holder *holder)
{
	json_string(json, "kind", holder_kind(holder));
	if (holder->pid > 0)
		json_signed(json, "pid", holder->pid);
	else
		json_null(json, "pid");
	if (holder->cpu >= 0)
		json_signed(json, "cpu", holder->cpu);
	else
		json_null(json, "cpu");
}

static void write_holders(struct json *json, const struct pmudev_query *q)
{
	struct pmudev_holder holders[MAX_HELD];
	unsigned int i, nr = holders_find(q, holders);

	json_open(json, "holders", '[');
	for (i = 0; i < nr; i++) {
		json_open(json, NULL, '{');
		info_json_counter(json, "counter", holders[i].counter);
		info_json_holder(json, &holders[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_abilities(struct json *json, const struct pmudev_query *q)
{
	unsigned int i;

	json_open(json, "generic-events", '[');
	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (q->generic >> i & 1)
			json_string(json, NULL, pmudev_generic_name(i));
	json_close(json, ']');
	json_unsigned(json, "threshold-max", q->threshold_max);
	json_open(json, "features", '[');
	for (i = 0; i < MAX_FEATURES; i++)
		if (q->features >> i & 1)
			json_string(json, NULL, feature_names[i]);
	json_close(json, ']');
}

static void write_hooks(struct json *json, const struct pmudev_query *q)
{
	char names[INFO_HOOKS], *name, *rest = names;

	info_hooks(q, names, sizeof(names));
	json_open(json, "hooks", '[');
	while ((name = strsep(&rest, "\n")))
		if (*name)
			json_string(json, NULL, name);
	json_close(json, ']');
}

static void write_pmu(struct json *json, struct pmudev *set, const struct pmudev_query *q)
{
	char text[256];

	json_open(json, NULL, '{');
	snprintf(text, sizeof(text), "%.*s", (int)sizeof(q->name), q->name);
	json_string(json, "name", text);
	json_unsigned(json, "number", q->pmu);
	architecture_text(q, text, sizeof(text));
	json_string(json, "architecture", text);
	model_text(q, text, sizeof(text));
	json_string(json, "model", text);
	write_cpus(json, set, q);
	info_json_counters(json, "counters", q->counters);
	json_unsigned(json, "width", q->width);
	json_unsigned(json, "width-fixed", q->width_fixed);
	info_json_counters(json, "available", q->available);
	info_json_counters(json, "user-readable", q->user);
	info_json_counters(json, "in-use", q->busy);
	write_holders(json, q);
	write_abilities(json, q);
	json_bool(json, "user-reads", q->state & PMUDEV_STATE_USER_ACCESS);
	json_bool(json, "held", q->state & PMUDEV_STATE_RESERVED);
	write_hooks(json, q);
	json_unsigned(json, "reservations", q->reservations);
	json_unsigned(json, "perf_stops", q->perf_stops);
	json_unsigned(json, "user_access_lost", q->user_access_lost);
	json_unsigned(json, "overflows", q->overflows);
	json_unsigned(json, "unexpected", q->unexpected);
	json_unsigned(json, "late", q->late);
	json_close(json, '}');
}

void info_json(struct pmudev *set, const struct info *info)
{
	struct json json = { .out = stdout };
	struct pmudev_query q = { .nr_pmus = 1 };
	unsigned int pmu;
	char mode[8];

	json_open(&json, NULL, '{');
	json_string(&json, "version", PMUDEV_LIB_VERSION);
	json_string(&json, "module-version", *info->version ? info->version : NULL);
	if (!pmudev_query(set, 0, &q))
		json_unsigned(&json, "module-abi", q.abi);
	snprintf(mode, sizeof(mode), "%04o", info->mode);
	json_open(&json, "device", '{');
	json_string(&json, "path", PMUDEV_DEVICE);
	json_string(&json, "mode", mode);
	json_string(&json, "owner", info->owner);
	json_string(&json, "group", info->group);
	json_close(&json, '}');
	json_bool(&json, "may-count-all", info->may_all);
	write_users(&json, "set-users", &info->sets);
	write_users(&json, "perf-users", &info->perf);
	json_bool(&json, "nmi-watchdog", info->watchdog);
	json_open(&json, "pmus", '[');
	for (pmu = 0; pmu < q.nr_pmus && !pmudev_query(set, pmu, &q); pmu++)
		write_pmu(&json, set, &q);
	json_close(&json, ']');
	json_close(&json, '}');
	json_line(&json);
}
