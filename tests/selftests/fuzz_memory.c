// SPDX-License-Identifier: GPL-2.0
/* Memory for what the fuzzer's calls take: mostly good, at times at an edge, seldom nowhere. */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>

#define ARENA_PAGES   5 /* to be written; then one that is not there, and one to be read */
#define READ_ONLY     (ARENA_PAGES + 1)
#define ADDRESS(base) ((char *)(uintptr_t)(base))

static char *arena(struct fuzz *f)
{
	return ADDRESS(FUZZ_ARENA_BASE + f->arena * FUZZ_ARENA_ROOM);
}

void fuzz_arena(struct fuzz *f)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	mmap(arena(f), ARENA_PAGES * FUZZ_ARENA_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
	mmap(arena(f) + READ_ONLY * FUZZ_ARENA_PAGE, FUZZ_ARENA_PAGE, PROT_READ, flags, -1, 0);
}

static void *read_only(struct fuzz *f, const void *data, unsigned int bytes)
{
	char *at = arena(f) + READ_ONLY * FUZZ_ARENA_PAGE;

	mprotect(at, FUZZ_ARENA_PAGE, PROT_READ | PROT_WRITE);
	memcpy(at, data, bytes < FUZZ_ARENA_PAGE ? bytes : FUZZ_ARENA_PAGE);
	mprotect(at, FUZZ_ARENA_PAGE, PROT_READ);
	return at;
}

static void *nowhere(struct fuzz *f)
{
	switch (fuzz_pick(f, 6)) {
	case 0:
		return NULL;
	case 1:
		return ADDRESS(fuzz_pick(f, 0x10000));
	case 2:
		return arena(f) + ARENA_PAGES * FUZZ_ARENA_PAGE;
	case 3:
		/* The kernel's. */
		return ADDRESS(~0UL << (sizeof(long) * 8 - 17) | fuzz_random(f) >> 20 << 3);
	case 4:
		return ADDRESS(-fuzz_pick(f, 300));
	default:
		return ADDRESS(FUZZ_PAGE_BASE + fuzz_pick(f, FUZZ_PAGES) * FUZZ_PAGE_ROOM +
			       fuzz_pick(f, FUZZ_ARENA_PAGE));
	}
}

void *fuzz_put(struct fuzz *f, unsigned int offset, const void *data, unsigned int bytes)
{
	char *end = arena(f) + ARENA_PAGES * FUZZ_ARENA_PAGE, *at = arena(f) + offset;
	unsigned int some = bytes;

	if (some > FUZZ_ARENA_PAGE)
		some = FUZZ_ARENA_PAGE;
	switch (f->careful ? 40 : fuzz_pick(f, 40)) {
	case 0:
		at = end - some;
		break;
	case 1:
		some = fuzz_pick(f, some + 1);
		at = end - some;
		break;
	case 2:
		at += 1 + fuzz_pick(f, 7);
		break;
	case 3:
		return read_only(f, data, some);
	case 4:
		return nowhere(f);
	}
	memcpy(at, data, some);
	return at;
}

bool fuzz_is_good(struct fuzz *f, const void *at)
{
	return (const char *)at >= arena(f) && (const char *)at < arena(f) + 4 * FUZZ_ARENA_PAGE;
}
