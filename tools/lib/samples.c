// SPDX-License-Identifier: MIT
/* The ring of samples, read. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmudev_samples.h>

#include "lib.h"

int pmudev_samples_open(struct pmudev_samples *samples, struct pmudev *set, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE), data = page;
	int error = pmudev_usable(set);
	void *map;

	memset(samples, 0, sizeof(*samples));
	if (error)
		return error;
	while (data < bytes && data <= PMUDEV_SAMPLES_MAX)
		data *= 2;
	map = mmap(NULL, page + data, PROT_READ | PROT_WRITE, MAP_SHARED, set->fd,
		   PMUDEV_SAMPLES_OFFSET);
	if (map == MAP_FAILED)
		return pmudev_fail_why(set, -errno);
	samples->page = map;
	samples->size = page + data;
	samples->tail = samples->page->tail;
	return 0;
}

/* The first of so many bytes, in one piece; NULL: there is none, because somebody else has read. */
static const struct pmudev_sample *in_one_piece(struct pmudev_samples *samples, uint32_t used)
{
	const char *data = (const char *)samples->page + samples->page->data_offset;
	uint32_t at = samples->tail & (samples->page->data_size - 1);
	uint32_t size, first = samples->page->data_size - at;

	/* Sizes are multiples of 8, and so is @first: it is never cut. */
	memcpy(&size, data + at, sizeof(size));
	if (size < sizeof(struct pmudev_sample) || size > sizeof(samples->room) || size > used ||
	    size % 8)
		return NULL;
	if (size <= first)
		return (const struct pmudev_sample *)(data + at);
	memcpy(samples->room, data + at, first);
	memcpy((char *)samples->room + first, data, size - first);
	return (const struct pmudev_sample *)samples->room;
}

/* The sample that was returned last has been read. */
static void give_back(struct pmudev_samples *samples)
{
	__atomic_store_n(&samples->page->tail, samples->tail, __ATOMIC_RELEASE);
}

const struct pmudev_sample *pmudev_samples_next(struct pmudev_samples *samples)
{
	struct pmudev_samples_page *page = samples->page;
	const struct pmudev_sample *sample;
	uint32_t head;

	if (!page)
		return NULL;
	give_back(samples);
	head = __atomic_load_n(&page->head, __ATOMIC_ACQUIRE);
	if (head == samples->tail)
		return NULL;
	sample = in_one_piece(samples, head - samples->tail);
	if (!sample || sample->size < sizeof(*sample) + 8 * __builtin_popcountll(sample->present))
		return NULL;
	samples->tail += sample->size;
	return sample;
}

uint64_t pmudev_samples_dropped(const struct pmudev_samples *samples)
{
	return samples->page ? __atomic_load_n(&samples->page->dropped, __ATOMIC_RELAXED) : 0;
}

void pmudev_samples_close(struct pmudev_samples *samples)
{
	if (!samples->page)
		return;
	give_back(samples);
	munmap(samples->page, samples->size);
	samples->page = NULL;
}
