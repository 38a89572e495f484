// SPDX-License-Identifier: MIT
/*
 * Refusals in English. A sentence has up to four parts:
 *
 *	event 1: every counter that could take the event is in use (counters 2-3: counter 2 is
 *	held by process 123, which counts CPU 1): wait until one is free, ...
 *
 * They are: the event, if the refusal is about one; the fact; numbers in brackets, if there are
 * any; what to do next.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reason.h"

/* --------------------------------------------------------------- writing text -- */

struct text {
	char *buf;
	size_t len;
	size_t used; /* length of the whole text, may exceed len */
};

static __attribute__((__format__(printf, 2, 3))) void put(struct text *t, const char *format, ...)
{
	bool room = t->buf && t->used < t->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(room ? t->buf + t->used : NULL, room ? t->len - t->used : 0, format, args);
	va_end(args);
	if (n > 0)
		t->used += n;
}

static void put_ranges(struct text *t, const char *one, const char *several, uint64_t mask)
{
	int first, last;

	put(t, "%s", mask & (mask - 1) ? several : one);
	for (first = 0; first < 64; first = last + 1) {
		last = first;
		if (!(mask >> first & 1))
			continue;
		while (last < 63 && mask >> (last + 1) & 1)
			last++;
		put(t, last > first ? " %d-%d" : " %d", first, last);
	}
}

/* "counter 3", "counters 0-2 5", "fixed 0", "counters 0-2, fixed 0-1" */
static void put_counters(struct text *t, uint64_t mask)
{
	const uint64_t others = mask & ((1ULL << PMUDEV_FIXED_BASE) - 1);
	const uint64_t fixed = mask >> PMUDEV_FIXED_BASE;

	if (others)
		put_ranges(t, "counter", "counters", others);
	if (others && fixed)
		put(t, ", ");
	if (fixed)
		put_ranges(t, "fixed", "fixed", fixed);
}

static void put_holder(struct text *t, const struct pmudev_holder *h)
{
	switch (h->kind) {
	case PMUDEV_HOLDER_SET:
		put(t, "the same set");
		return;
	case PMUDEV_HOLDER_PERF:
		put(t, "perf");
		if (h->cpu >= 0)
			put(t, " on CPU %d", h->cpu);
		return;
	case PMUDEV_HOLDER_WATCHDOG:
		put(t, "the NMI watchdog");
		return;
	case PMUDEV_HOLDER_HYPERVISOR:
		put(t, "the hypervisor");
		return;
	case PMUDEV_HOLDER_TASK_SET:
	case PMUDEV_HOLDER_CPU_SET:
		break;
	default:
		put(t, "an unknown holder");
		return;
	}
	if (h->pid > 0)
		put(t, "process %d", h->pid);
	else
		put(t, "another process");
	if (h->cpu >= 0)
		put(t, ", which counts CPU %d", h->cpu);
	else
		put(t, ", which counts a thread");
}

/* Nothing if nobody is named. */
static void put_who(struct text *t, const struct pmudev_refusal *why)
{
	if (why->holder.kind != PMUDEV_HOLDER_NONE)
		put_holder(t, &why->holder);
}

static void put_holders(struct text *t, const struct pmudev_refusal *why)
{
	if (why->busy)
		put_counters(t, why->busy);
	if (why->holder.kind == PMUDEV_HOLDER_NONE)
		return;
	put(t, why->busy ? ": " : "in use by ");
	if (why->busy & (why->busy - 1)) {
		put_counters(t, 1ULL << (why->holder.counter & 63));
		put(t, " is held by ");
	} else if (why->busy) {
		put(t, "held by ");
	}
	put_holder(t, &why->holder);
}

/* Flags that a machine or a version of the module may not support. */
static const struct {
	uint32_t flag;
	const char *name;
} flags[] = {
	{ PMUDEV_EXCLUDE_USER, "PMUDEV_EXCLUDE_USER" },
	{ PMUDEV_EXCLUDE_KERNEL, "PMUDEV_EXCLUDE_KERNEL" },
	{ PMUDEV_EXCLUDE_HV, "PMUDEV_EXCLUDE_HV" },
	{ PMUDEV_EXCLUDE_HOST, "PMUDEV_EXCLUDE_HOST, :G" },
	{ PMUDEV_EXCLUDE_GUEST, "PMUDEV_EXCLUDE_GUEST, :H" },
	{ PMUDEV_LONG, "PMUDEV_LONG" },
	{ PMUDEV_USER_READ, "PMUDEV_USER_READ" },
	{ PMUDEV_DIRECT, "PMUDEV_DIRECT" },
	{ PMUDEV_CHAIN_READ, "PMUDEV_CHAIN_READ" },
	{ PMUDEV_MULTIPLEX, "PMUDEV_MULTIPLEX" },
	{ PMUDEV_COUNTER, "PMUDEV_COUNTER" },
	{ PMUDEV_THRESHOLD_COUNT, "PMUDEV_THRESHOLD_COUNT" },
};

/*
 * Names the flag only if the refusal is about an event: a binding's flags have the same numbers.
 */
static void put_flag(struct text *t, const struct pmudev_refusal *why)
{
	size_t i;

	for (i = 0; why->event >= 0 && i < ARRAY_SIZE(flags); i++)
		if (why->limit == flags[i].flag)
			put(t, "%s", flags[i].name);
}

static void put_detail(struct text *t, enum pmudev_detail detail, const struct pmudev_refusal *why)
{
	switch (detail) {
	case NOTHING:
		break;
	case LEAST:
		put(t, "at least %llu", (unsigned long long)why->limit);
		break;
	case MOST:
		put(t, "at most %llu", (unsigned long long)why->limit);
		break;
	case HIGHEST:
		put(t, "the highest is %llu", (unsigned long long)why->limit);
		break;
	case MASK:
		put(t, "valid bits: %#llx", (unsigned long long)why->limit);
		break;
	case BITS:
		put(t, "%llu bits", (unsigned long long)why->limit);
		break;
	case FLAG:
		put_flag(t, why);
		break;
	case COUNTERS:
		if (why->allowed)
			put_counters(t, why->allowed);
		if (why->allowed && why->busy) {
			put(t, ", of these ");
			put_holders(t, why);
		}
		break;
	case HOLDERS:
		put_holders(t, why);
		break;
	case WHO:
		put_who(t, why);
		break;
	}
}

/* ------------------------------------------------------------------ sentences -- */

/* strerror() is not thread-safe. */
static void put_system_error(struct text *t, int error)
{
	char words[128];

	if (strerror_r(error, words, sizeof(words)))
		put(t, "error %d", error);
	else
		put(t, "%s", words);
}

/* Errors without a reason: from open(2), and from calls that did not reach the module. */
static void put_errno(struct text *t, int error)
{
	switch (error) {
	case 0:
		put(t, "nothing was refused");
		break;
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		put(t, "there is no " PMUDEV_DEVICE
		       ": load the module, `modprobe pmudev` or `insmod pmudev.ko`");
		break;
	case -EACCES:
	case -EPERM:
		put(t,
		    "this user may not use " PMUDEV_DEVICE
		    ": run as root, or join its group and log in again; `pmudev doctor` says more");
		break;
	case -EFAULT:
		put(t, "a pointer is NULL, or does not point to memory of this program");
		break;
	case -EBADF:
		put(t, "the set is not open: open it first");
		break;
	case -EMFILE:
		put(t, "there are too many open files, and each set needs one: raise `ulimit -n`");
		break;
	case -ENOTTY:
		put(t, "the module does not know this call: load a newer one");
		break;
	default:
		put_system_error(t, -error);
		break;
	}
}

static void put_code(struct text *t, const struct pmudev_refusal *why)
{
	const struct pmudev_sentence *s = pmudev_sentence(why);
	size_t before;

	if (!s) {
		put(t, "%s (%u): a newer library may", pmudev_strreason(why->code), why->code);
		return;
	}
	put(t, "%s (", s->why);
	before = t->used;
	put_detail(t, s->detail, why);
	if (t->used > before)
		put(t, ")");
	else
		t->used -= 2; /* drop the empty brackets */
	put(t, ": %s", s->next);
}

static void put_sentence(struct text *t, int error, const struct pmudev_refusal *why)
{
	if (why && why->code != PMUDEV_OK)
		put_code(t, why);
	else
		put_errno(t, error);
}

int pmudev_explain_refusal(int error, const struct pmudev_refusal *why, char *buf, size_t len)
{
	struct text t = { .buf = buf, .len = len };

	put_sentence(&t, error, why);
	return t.used;
}

/* "event 1: ", if the refusal is about an event. */
static void put_event(struct text *t, const struct pmudev_refusal *why)
{
	if (why->code != PMUDEV_OK && why->event >= 0)
		put(t, "event %d: ", why->event);
}

int pmudev_explain(struct pmudev *set, char *buf, size_t len)
{
	struct text t = { .buf = buf, .len = len };
	struct pmudev_refusal why = { .event = -1 };
	int error = pmudev_why(set, &why);

	put_event(&t, &why);
	put_sentence(&t, error, &why);
	return t.used;
}

int pmudev_set_array_explain(struct pmudev_set_array *array, char *buf, size_t len)
{
	struct text t = { .buf = buf, .len = len };

	if (!array)
		return pmudev_explain_refusal(-EFAULT, NULL, buf, len);
	if (array->cpu >= 0)
		put(&t, "CPU %d: ", array->cpu);
	put_event(&t, &array->refusal);
	/* Refusals that only set arrays have. */
	if (array->error == -EEXIST)
		put(&t, "the group already has events: add all events of a group in one call");
	else if (array->refusal.code == PMUDEV_WHY_NO_PMU && array->refusal.event >= 0)
		put(&t,
		    "the array has no set for that PMU: leave the event out, or add CPUs of that PMU");
	else
		put_sentence(&t, array->error, &array->refusal);
	return t.used;
}
