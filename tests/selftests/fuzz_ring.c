// SPDX-License-Identifier: GPL-2.0
/* The fuzzer's dice, and its memory of what was done. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const fuzz_kinds[FUZZ_KINDS] = {
	[FUZZ_OPEN] = "open",
	[FUZZ_CLOSE] = "close",
	[FUZZ_PASS] = "dup, pass on",
	[FUZZ_QUERY] = "QUERY",
	[FUZZ_BIND] = "BIND",
	[FUZZ_ADD] = "ADD",
	[FUZZ_PLACE] = "PLACE",
	[FUZZ_ENABLE] = "ENABLE",
	[FUZZ_DISABLE] = "DISABLE",
	[FUZZ_RESET] = "RESET",
	[FUZZ_REMOVE] = "REMOVE",
	[FUZZ_WHY] = "WHY",
	[FUZZ_DEADLINE] = "DEADLINE",
	[FUZZ_REPORT] = "REPORT",
	[FUZZ_CONTINUE] = "CONTINUE",
	[FUZZ_READ_SETS] = "READ_SETS",
	[FUZZ_OTHER_IOCTL] = "no such ioctl",
	[FUZZ_READ] = "read",
	[FUZZ_POLL] = "poll, lseek, ...",
	[FUZZ_MMAP] = "mmap",
	[FUZZ_MUNMAP] = "munmap",
	[FUZZ_MREMAP] = "mremap",
	[FUZZ_MPROTECT] = "mprotect, ...",
	[FUZZ_LOOK] = "page looked at",
	[FUZZ_FORK] = "fork",
	[FUZZ_THREAD] = "thread",
	[FUZZ_EXEC] = "exec",
	[FUZZ_RIGHTS] = "rights, namespaces",
	[FUZZ_SIGNAL] = "signal",
	[FUZZ_PTRACE] = "ptrace",
	[FUZZ_MOVE] = "moved",
	[FUZZ_HOTPLUG] = "hotplug",
	[FUZZ_USER_ACCESS] = "user_access",
	[FUZZ_RMMOD] = "rmmod",
	[FUZZ_PERF] = "perf",
	[FUZZ_PERF_RIGHT] = "perf's right",
	[FUZZ_SYSFS] = "sysfs",
	[FUZZ_OWN] = "own counts",
};

/* SplitMix64 */
__u64 fuzz_random(struct fuzz *f)
{
	__u64 x = f->random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

void fuzz_begin(struct fuzz *f, enum fuzz_kind kind, const char *format, ...)
{
	__u64 nr = __atomic_fetch_add(&f->s->nr, 1, __ATOMIC_RELAXED);
	struct fuzz_entry *entry = &f->s->ring[nr % FUZZ_RING];
	int at;
	va_list args;

	f->kind = kind;
	f->entry = entry;
	entry->returned = 0;
	entry->nr = nr;
	entry->time = now_ns();
	entry->tid = my_tid();
	at = snprintf(entry->text, sizeof(entry->text), "%d.%d ", f->worker, f->depth);
	va_start(args, format);
	vsnprintf(entry->text + at, sizeof(entry->text) - at, format, args);
	va_end(args);
	memcpy(entry->mark, FUZZ_MARK, sizeof(entry->mark));
	__atomic_fetch_add(&f->s->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&f->s->done[kind], 1, __ATOMIC_RELAXED);
}

long fuzz_end(struct fuzz *f, long ret)
{
	f->entry->ret = ret;
	WRITE_ONCE(f->entry->returned, 1);
	if (ret >= 0)
		__atomic_fetch_add(&f->s->good[f->kind], 1, __ATOMIC_RELAXED);
	return ret;
}

void fuzz_fail(struct fuzz *f, const char *format, ...)
{
	char text[sizeof(f->s->failure)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!__atomic_exchange_n(&f->s->stop, 2, __ATOMIC_SEQ_CST) || !f->s->failure[0])
		snprintf(f->s->failure, sizeof(f->s->failure), "%.150s: %.100s",
			 f->entry ? f->entry->text : "-", text);
}

void fuzz_print_calls(struct fuzz_shared *s, unsigned int nr)
{
	__u64 end = READ_ONCE(s->nr), i;

	for (i = end > nr ? end - nr : 0; i < end; i++) {
		struct fuzz_entry *entry = &s->ring[i % FUZZ_RING];

		printf("# %llu %llu.%06llu [%d] %.*s", entry->nr, entry->time / 1000000000,
		       entry->time / 1000 % 1000000, entry->tid, (int)sizeof(entry->text),
		       entry->text);
		if (entry->returned)
			printf(" = %lld\n", entry->ret);
		else
			printf(" ...\n");
	}
}
