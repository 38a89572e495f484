// SPDX-License-Identifier: MIT
/* The reader of a ring of samples, on a ring made here; also on one that another has read. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include <pmudev_samples.h>

#include "tap.h"

#define BYTES 4096						/* of the first page, and of data */
#define ONE   (sizeof(struct pmudev_sample) + sizeof(uint64_t)) /* a sample with one count */

static struct pmudev_samples samples;

static void fresh_ring(void)
{
	void *map =
		mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	memset(&samples, 0, sizeof(samples));
	samples.page = map;
	samples.size = 2 * BYTES;
	samples.page->data_offset = BYTES;
	samples.page->data_size = BYTES;
}

/* As the kernel does, in pieces at the end of the data. */
static void put(uint32_t size, uint64_t present, uint64_t ip)
{
	struct pmudev_sample sample = { .size = size, .ip = ip, .present = present };
	struct pmudev_samples_page *page = samples.page;
	uint64_t words[BYTES / 8] = {};
	unsigned int i;

	memcpy(words, &sample, sizeof(sample));
	words[sizeof(sample) / 8] = ip + 1;
	for (i = 0; i < size / 8 || i < ONE / 8; i++)
		memcpy((char *)page + BYTES + (page->head + 8 * i) % BYTES, &words[i], 8);
	page->head += size;
}

static bool is_next(uint64_t ip)
{
	const struct pmudev_sample *sample = pmudev_samples_next(&samples);

	return sample && sample->ip == ip && sample->counts[0] == ip + 1;
}

static void test_all_are_read(void)
{
	bool all = true;
	unsigned int i;

	fresh_ring();
	ok(!pmudev_samples_next(&samples), "an empty ring");
	/* Twice around, and never more than 50 of them at a time. */
	for (i = 0; i < 120; i++) {
		put(ONE, 4, 1000 + i);
		if (i < 50)
			continue;
		all &= is_next(1000 + i - 50);
	}
	ok(all, "the oldest first, also in pieces");
	ok(is_next(1070) && samples.page->tail == 70 * ONE,
	   "the last one that was returned is not given back");
	pmudev_samples_close(&samples);
}

static void test_closed(void)
{
	struct pmudev_samples_page *page;

	fresh_ring();
	page = samples.page;
	put(ONE, 1, 1);
	put(ONE, 1, 2);
	ok(is_next(1), "one of two");
	/* Another mapping, as the kernel has one. */
	page = mremap(page, 0, 2 * BYTES, MREMAP_MAYMOVE);
	pmudev_samples_close(&samples);
	ok(page != MAP_FAILED && page->tail == ONE, "closed: what was returned is given back");
	ok(!pmudev_samples_next(&samples), "  and there is no more");
	pmudev_samples_close(&samples);
	munmap(page, 2 * BYTES);
}

/* What a reader finds where another has read meanwhile, and the kernel written. */
static void test_nonsense(uint32_t size, uint64_t present, const char *what)
{
	uint32_t tail;

	fresh_ring();
	put(ONE, 1, 1);
	ok(is_next(1), what);
	put(size, present, 2);
	if (size < ONE)
		samples.page->head = 2 * ONE;
	tail = samples.tail;
	ok(!pmudev_samples_next(&samples) && samples.tail == tail, "  is no sample");
	pmudev_samples_close(&samples);
}

int main(void)
{
	test_all_are_read();
	test_closed();
	test_nonsense(0, 1, "size 0");
	test_nonsense(sizeof(struct pmudev_sample) - 8, 0, "less than a sample");
	test_nonsense(ONE - 4, 0, "not a multiple of 8");
	test_nonsense(ONE, 3, "fewer counts than it says");
	test_nonsense(PMUDEV_SAMPLE_ROOM + 8, 1, "larger than one can be");
	fresh_ring();
	put(ONE, 1, 1);
	samples.page->head = 64;
	ok(!pmudev_samples_next(&samples), "more than there is");
	pmudev_samples_close(&samples);
	return tap_end();
}
