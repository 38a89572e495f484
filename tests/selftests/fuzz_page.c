// SPDX-License-Identifier: GPL-2.0
/* The fuzzer and user pages: mappings come, change and go, and are looked at, there or not. */
#include "fuzz.h"

#include <setjmp.h>
#include <stdio.h>
#include <sys/mman.h>

static char *some_place(struct fuzz *f)
{
	return (char *)(FUZZ_PAGE_BASE + fuzz_pick(f, FUZZ_PAGES) * FUZZ_PAGE_ROOM);
}

static int number(const void *at)
{
	return ((uintptr_t)at - FUZZ_PAGE_BASE) / FUZZ_PAGE_ROOM;
}

static void check(struct fuzz *f, long ret)
{
	/* Too many mappings, or too much memory that may not be moved out: not ours. */
	if (ret != -EAGAIN && ret != -EOVERFLOW)
		fuzz_check_errno(f, ret);
}

void fuzz_mmap(struct fuzz *f, int fd)
{
	int prot = PROT_READ, flags = MAP_SHARED | MAP_FIXED;
	unsigned int pages = 1;
	char *at = some_place(f);
	__u64 offset = 0;
	void *got;

	if (fuzz_rarely(f, 2))
		flags |= MAP_POPULATE;
	/* The ring of samples: most sets have one of one size. */
	if (fuzz_rarely(f, 3)) {
		offset = PMUDEV_SAMPLES_OFFSET;
		pages = fuzz_rarely(f, 8) ? 2 : 3;
		prot |= PROT_WRITE;
	} else if (fuzz_rarely(f, 3)) {
		offset = PMUDEV_PERF_PAGE_OFFSET;
		offset += (__u64)fuzz_pick(f, 6) * PMUDEV_PERF_PAGE_STEP;
	}
	if (f->careful)
		goto map;
	if (fuzz_rarely(f, 12))
		prot = fuzz_pick(f, 8);
	if (fuzz_rarely(f, 12))
		flags = MAP_FIXED | fuzz_pick(f, 4);
	if (fuzz_rarely(f, 16))
		flags |= MAP_LOCKED;
	if (fuzz_rarely(f, 16))
		pages = fuzz_pick(f, 4);
	if (fuzz_rarely(f, 16))
		offset = fuzz_random(f) >> fuzz_pick(f, 64) << 12;
map:
	fuzz_begin(f, FUZZ_MMAP, "mmap(%d) at %d, %u pages, prot %x flags %x offset %llx",
		   fd - FUZZ_FD, number(at), pages, prot, flags, offset);
	got = mmap(at, pages * PAGE_BYTES, prot, flags, fd, offset);
	check(f, fuzz_end(f, got == MAP_FAILED ? -errno : 0));
}

void fuzz_munmap(struct fuzz *f)
{
	unsigned int pages = fuzz_rarely(f, 4) ? fuzz_pick(f, 16) : 1;
	char *at = some_place(f) + (fuzz_rarely(f, 6) ? fuzz_pick(f, 4) * PAGE_BYTES : 0);

	fuzz_begin(f, FUZZ_MUNMAP, "munmap at %d, %u pages", number(at), pages);
	fuzz_end(f, fuzz_result(munmap(at, pages * PAGE_BYTES)));
}

/* MREMAP_DONTUNMAP leaves two. */
void fuzz_mremap(struct fuzz *f)
{
	unsigned int from = 1, to = 1, flags = MREMAP_MAYMOVE | MREMAP_FIXED;
	char *at = some_place(f), *dest = some_place(f);
	void *got;

	if (fuzz_rarely(f, 3))
		flags = fuzz_pick(f, 8);
	if (fuzz_rarely(f, 3))
		to = fuzz_pick(f, 4);
	if (fuzz_rarely(f, 6))
		from = fuzz_pick(f, 3);
	fuzz_begin(f, FUZZ_MREMAP, "mremap at %d to %d, %u to %u pages, flags %x", number(at),
		   number(dest), from, to, flags);
	got = mremap(at, from * PAGE_BYTES, to * PAGE_BYTES, flags, dest);
	fuzz_end(f, got == MAP_FAILED ? -errno : 0);
	/* Anywhere else it would be out of reach. */
	if (got != MAP_FAILED && got != at && got != dest)
		munmap(got, to * PAGE_BYTES);
}

void fuzz_mprotect(struct fuzz *f)
{
	static const int advice[] = {
		MADV_DONTNEED,
		MADV_DONTFORK,
		MADV_DOFORK,
		MADV_WIPEONFORK,
		MADV_KEEPONFORK,
		MADV_WILLNEED,
		MADV_MERGEABLE,
		MADV_DODUMP,
		MADV_FREE,
		MADV_REMOVE,
		20 /* COLD */,
		21 /* PAGEOUT */,
		22 /* POPULATE_READ */,
		23 /* POPULATE_WRITE */,
	};
	unsigned int what = fuzz_pick(f, 5);
	unsigned char resident;
	char *at = some_place(f);
	int how;
	long ret;

	if (what < 2) {
		how = fuzz_pick(f, 8);
		fuzz_begin(f, FUZZ_MPROTECT, "mprotect at %d, %x", number(at), how);
		ret = fuzz_end(f, fuzz_result(mprotect(at, PAGE_BYTES, how)));
		/* Whatever else may lie there is not ours: it is never made writable. */
		if (!ret && (how & PROT_WRITE))
			munmap(at, PAGE_BYTES);
	} else if (what < 4) {
		how = FUZZ_ONE_OF(f, advice);
		fuzz_begin(f, FUZZ_MPROTECT, "madvise at %d, %d", number(at), how);
		fuzz_end(f, fuzz_result(madvise(at, PAGE_BYTES, how)));
	} else {
		how = fuzz_pick(f, 4);
		fuzz_begin(f, FUZZ_MPROTECT, "m%s at %d",
			   how == 0 ? "sync" :
			   how == 1 ? "incore" :
			   how == 2 ? "lock" :
				      "unlock",
			   number(at));
		ret = how == 0 ? msync(at, PAGE_BYTES, MS_SYNC) :
		      how == 1 ? mincore(at, PAGE_BYTES, &resident) :
		      how == 2 ? mlock(at, PAGE_BYTES) :
				 munlock(at, PAGE_BYTES);
		fuzz_end(f, fuzz_result(ret));
	}
}

/* ---------------------------------------------------------------- looking at one -- */

static __thread sigjmp_buf back;
static __thread sig_atomic_t looking;

static void not_there(int signal_)
{
	if (!READ_ONCE(looking)) {
		/* A bug of the fuzzer's: again, and for good. */
		signal(signal_, SIG_DFL);
		return;
	}
	WRITE_ONCE(looking, 0);
	siglongjmp(back, 1);
}

static void watch_faults(void)
{
	struct sigaction action = { .sa_handler = not_there, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
}

/* Others of this process may be about to unmap it. */
void fuzz_look(struct fuzz *f)
{
	char *at = some_place(f);
	struct reader reader = reader_of((void *)at);
	unsigned int slot = fuzz_pick(f, 4);
	__u64 value = 0;
	int ret = -EFAULT;

	watch_faults();
	fuzz_begin(f, FUZZ_LOOK, "look at %d, slot %u", number(at), slot);
	if (!sigsetjmp(back, 1)) {
		WRITE_ONCE(looking, 1);
		ret = direct_read(&reader, slot, &value);
		WRITE_ONCE(looking, 0);
	}
	fuzz_end(f, ret);
	if (!ret)
		__atomic_fetch_add(&f->s->direct, 1, __ATOMIC_RELAXED);
}

static bool is_even(const struct pmudev_page *page)
{
	bool even;

	if (!sigsetjmp(back, 1)) {
		WRITE_ONCE(looking, 1);
		even = !(READ_ONCE(page->seq) & 1);
		WRITE_ONCE(looking, 0);
		return even;
	}
	/* Not there. */
	return true;
}

void fuzz_pages_even(struct fuzz *f)
{
	unsigned int i;

	watch_faults();
	for (i = 0; i < FUZZ_PAGES; i++) {
		struct pmudev_page *page = (void *)(FUZZ_PAGE_BASE + i * FUZZ_PAGE_ROOM);

		if (!WAIT_FOR(is_even(page)))
			fuzz_fail(f, "page %u stays odd", i);
	}
}
