// SPDX-License-Identifier: GPL-2.0
/*
 * The file of latencies, line by line, and what paths make of it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "model.h"

#define MOST_KEYS 32

static const char *const classes[MODEL_CLASSES] = {
	[MODEL_RDPMC] = "rdpmc",
	[MODEL_COUNTER_READ] = "counter_read",
	[MODEL_COUNTER_WRITE] = "counter_write",
	[MODEL_CONTROL_READ] = "control_read",
	[MODEL_CONTROL_WRITE] = "control_write",
	[MODEL_OTHER_READ] = "other_read",
	[MODEL_OTHER_WRITE] = "other_write",
	[MODEL_SERIALIZE] = "serialize",
	[MODEL_BARRIER] = "barrier",
	[MODEL_LOCKED] = "locked",
	[MODEL_TRANSLATION] = "translation",
	[MODEL_IPI] = "ipi",
};

/* Names that a file gives. */
struct keys {
	char of[MOST_KEYS][16];
	unsigned int nr;
};

/**
 * struct reading - a file that is read
 * @model: what becomes of it
 * @path: its name
 * @line: the number of the line
 * @family: of the CPU whose latencies are kept: x86's, or arm64's implementer
 * @number: x86's model, or arm64's part
 * @mine: the key of its `cpu` line; empty: there was none
 * @cpus: those of all `cpu` lines
 * @sources: those of all `source` lines
 */
struct reading {
	struct model *model;
	const char *path;
	unsigned int line;
	unsigned int family;
	unsigned int number;
	const char *mine;
	struct keys cpus;
	struct keys sources;
};

#define wrong(r, ...) complain_of_line((r)->path, (r)->line, "there are no estimates", __VA_ARGS__)

/* The next word of a line, cut off; "" if there is none. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t"), *end = word + strcspn(word, " \t");

	*rest = end + strspn(end, " \t");
	*end = '\0';
	return word;
}

static const char *find_key(const struct keys *keys, const char *key)
{
	unsigned int i;

	for (i = 0; i < keys->nr; i++)
		if (!strcmp(keys->of[i], key))
			return keys->of[i];
	return NULL;
}

/* Return: the key as it is kept, NULL: it was wrong. */
static const char *add_key(struct reading *r, struct keys *keys, const char *key)
{
	if (!*key || strlen(key) >= sizeof(keys->of[0]) || keys->nr == MOST_KEYS) {
		wrong(r, "'%s' is no key, or one too many", key);
		return NULL;
	}
	return memcpy(keys->of[keys->nr++], key, strlen(key) + 1);
}

/* ----------------------------------------------------------------------------- CPUs -- */

/* MIDR_EL1's fields; CPUID.01H:EAX, whose extended fields count in some families only. */
static void identify(struct reading *r, __u64 cpu_id)
{
	unsigned int family = cpu_id >> 8 & 0xf, model = cpu_id >> 4 & 0xf;

	if (r->model->arm64) {
		r->family = cpu_id >> 24 & 0xff;
		r->number = cpu_id >> 4 & 0xfff;
		return;
	}
	if (family == 0x6 || family == 0xf)
		model |= cpu_id >> 12 & 0xf0;
	if (family == 0xf)
		family += cpu_id >> 20 & 0xff;
	r->family = family;
	r->number = model;
}

static bool take_number(const char **at, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*number = strtoul(*at, &end, 0);
	*at = end;
	return true;
}

/* FAMILY:NUMBER[-NUMBER]. @same: out: is it this CPU? */
static bool take_id(const struct reading *r, const char *id, bool *same)
{
	unsigned long family, first, last;

	if (!take_number(&id, &family) || *id++ != ':' || !take_number(&id, &first))
		return false;
	last = first;
	if (*id == '-') {
		id++;
		if (!take_number(&id, &last))
			return false;
	}
	*same = family == r->family && r->number >= first && r->number <= last;
	return !*id && first <= last;
}

static bool take_cpu(struct reading *r, char *rest)
{
	const char *key = next_word(&rest), *arch = next_word(&rest), *kept;
	char *id, *ids = next_word(&rest);
	const bool arm64 = !strcmp(arch, "arm64");
	bool same = false, mine = false;

	if (find_key(&r->cpus, key))
		return wrong(r, "there is a CPU '%s' already", key);
	kept = add_key(r, &r->cpus, key);
	if (!kept)
		return false;
	if (!arm64 && strcmp(arch, "x86"))
		return wrong(r, "'%s' is neither arm64 nor x86", arch);
	if (!*rest || strlen(rest) >= sizeof(r->model->name))
		return wrong(r, "a CPU's name is missing or too long");
	while ((id = strsep(&ids, ","))) {
		if (!take_id(r, id, &same))
			return wrong(r, "'%s' is not FAMILY:MODEL or IMPLEMENTER:PART", id);
		mine |= same;
	}
	if (!mine || arm64 != r->model->arm64)
		return true;
	if (r->mine)
		return wrong(r, "CPU '%s' is '%s', too", key, r->mine);
	r->mine = kept;
	memcpy(r->model->name, rest, strlen(rest) + 1);
	return true;
}

/* ------------------------------------------------------------------------- latencies -- */

/* @low and @high: out: what "40" or "18-23" says */
static bool take_interval(const char *text, double *low, double *high)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*low = strtod(text, &end);
	*high = *low;
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*high = strtod(end + 1, &end);
	return !*end && *low <= *high && *high <= 1e6;
}

/* Each [KEY] is a source, and there is one. */
static bool check_sources(const struct reading *r, const char *what)
{
	char key[sizeof(r->sources.of[0])];
	const char *at = what;
	unsigned int nr = 0;

	while ((at = strchr(at, '['))) {
		if (sscanf(++at, "%15[^]]", key) != 1 || !find_key(&r->sources, key))
			return wrong(r, "'[%s' is no source", at);
		nr++;
	}
	return nr || wrong(r, "it has no [SOURCE]: '%s'", what);
}

static int find_class(const char *name)
{
	int i;

	for (i = 0; i < MODEL_CLASSES; i++)
		if (!strcmp(classes[i], name))
			return i;
	return -1;
}

static void widen(struct model_latency *of, double low, double high)
{
	if (!of->known || low < of->low)
		of->low = low;
	if (!of->known || high > of->high)
		of->high = high;
	of->known = true;
}

static bool take_latency(struct reading *r, char *rest)
{
	const char *key = find_key(&r->cpus, next_word(&rest));
	char *name, *names = next_word(&rest);
	const char *interval = next_word(&rest);
	double low, high;
	int class;

	if (!key)
		return wrong(r, "no line before tells that CPU");
	if (!take_interval(interval, &low, &high))
		return wrong(r, "'%s' is no interval LOW-HIGH", interval);
	if (!check_sources(r, rest))
		return false;
	while ((name = strsep(&names, ","))) {
		class = find_class(name);
		if (class < 0)
			return wrong(r, "'%s' is no class", name);
		if (key == r->mine)
			widen(&r->model->of[class], low, high);
	}
	return true;
}

static bool take_source(struct reading *r, char *rest)
{
	const char *key = next_word(&rest);

	if (!*rest)
		return wrong(r, "a source is its key and a text");
	return find_key(&r->sources, key) || add_key(r, &r->sources, key);
}

/* ------------------------------------------------------------------------------ lines -- */

static bool take_line(struct reading *r, char *line)
{
	const char *word;

	r->line++;
	line[strcspn(line, "\r\n")] = '\0';
	word = next_word(&line);
	if (!*word || *word == '#')
		return true;
	if (!strcmp(word, "cpu"))
		return take_cpu(r, line);
	if (!strcmp(word, "latency"))
		return take_latency(r, line);
	if (!strcmp(word, "source"))
		return take_source(r, line);
	return wrong(r, "'%s' is none of source, cpu, latency", word);
}

bool model_load(struct model *model, FILE *in, const char *path, __u32 arch, __u64 cpu_id)
{
	struct reading r = { .model = model, .path = path };
	char *line = NULL;
	bool fine = true;
	size_t room = 0;

	*model = (struct model){ .arm64 = arch == PMUDEV_ARCH_ARM64 };
	identify(&r, cpu_id);
	while (fine && getline(&line, &room, in) >= 0)
		fine = take_line(&r, line);
	free(line);
	if (!fine)
		*model = (struct model){ .arm64 = false };
	return fine;
}

/* ------------------------------------------------------------------------------ paths -- */

/*
 * How often a path executes a class: @each, times the events, and @once. Counted by the emulator
 * (docs/performance.md, "What hardware pays for"); a switch is the average of one to the counted
 * thread and one away from it. Paths through the kernel have more that depends on its
 * configuration and has no figure: exceptions, registers of the address space and the stack.
 */
static const struct {
	enum model_path path;
	bool arm64;
	enum model_class class;
	double each;
	double once;
} parts[] = {
	{ MODEL_USER_READ, true, MODEL_COUNTER_READ, 1, 0 },
	{ MODEL_USER_READ, false, MODEL_RDPMC, 1, 0 },
	{ MODEL_READ_CALL, true, MODEL_COUNTER_READ, 1, 0 },
	{ MODEL_READ_CALL, true, MODEL_SERIALIZE, 0, 2 },
	{ MODEL_READ_CALL, true, MODEL_BARRIER, 0, 1 },
	{ MODEL_READ_CALL, true, MODEL_LOCKED, 0, 1 },
	{ MODEL_READ_CALL, false, MODEL_RDPMC, 1, 0 },
	{ MODEL_READ_CALL, false, MODEL_BARRIER, 0, 1 },
	{ MODEL_SWITCH, true, MODEL_COUNTER_READ, 1, 0 },
	{ MODEL_SWITCH, true, MODEL_CONTROL_WRITE, 0, 1 },
	{ MODEL_SWITCH, true, MODEL_SERIALIZE, 0, 0.5 },
	{ MODEL_SWITCH, true, MODEL_LOCKED, 0, 1 },
	{ MODEL_SWITCH, false, MODEL_RDPMC, 1, 0 },
	{ MODEL_SWITCH, false, MODEL_CONTROL_WRITE, 0, 1 },
};

struct estimate model_estimate(const struct model *model, enum model_path path, unsigned int events)
{
	struct estimate estimate = { .open = path == MODEL_READ_CALL || path == MODEL_SWITCH };
	const struct model_latency *of;
	double times;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].path != path || parts[i].arm64 != model->arm64)
			continue;
		of = &model->of[parts[i].class];
		times = parts[i].each * events + parts[i].once;
		if (of->known) {
			estimate.known = true;
			estimate.low += times * of->low;
			estimate.high += times * of->high;
		} else {
			estimate.open = true;
		}
	}
	return estimate;
}

const char *estimate_text(const struct estimate *estimate, double unit, int decimals, char *buf,
			  size_t len)
{
	const double low = estimate->low / unit, high = estimate->high / unit;

	if (!estimate->known)
		snprintf(buf, len, "-");
	else if (estimate->open)
		snprintf(buf, len, ">= %.*f", decimals, low);
	else if (low == high)
		snprintf(buf, len, "%.*f", decimals, low);
	else
		snprintf(buf, len, "%.*f - %.*f", decimals, low, decimals, high);
	return buf;
}
