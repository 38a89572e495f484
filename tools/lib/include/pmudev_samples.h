/* SPDX-License-Identifier: MIT */
/*
 * pmudev_samples.h - where a program was when its events reached their deadlines
 *
 * The kernel writes samples into a ring in shared memory; <linux/pmudev.h> says what they contain,
 * and what happens when the ring is full.
 *
 *	struct pmudev_deadline every = { .slot = 0, .value = 100000, .period = 100000,
 *		.flags = PMUDEV_DEADLINE_RELATIVE | PMUDEV_DEADLINE_PERIODIC |
 *			 PMUDEV_DEADLINE_SAMPLE };
 *	struct pmudev_samples samples;
 *	const struct pmudev_sample *sample;
 *
 *	if (pmudev_samples_open(&samples, &set, 1 << 20) || pmudev_deadline_set(&set, &every, 1))
 *		... pmudev_explain(&set, text, sizeof(text)) ...
 *	while ((sample = pmudev_samples_next(&samples)))
 *		printf("%llx\n", sample->ip);
 *	pmudev_samples_close(&samples);
 *
 * As in pmudev.h, functions return 0 or a negative errno unless they say otherwise.
 */
#ifndef PMUDEV_SAMPLES_H
#define PMUDEV_SAMPLES_H

#include <pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest sample, in bytes */
#define PMUDEV_SAMPLE_ROOM (sizeof(struct pmudev_sample) + PMUDEV_MAX_EVENTS * 8)

/**
 * struct pmudev_samples - a set's ring, as one thread reads it
 * @page: its first page
 * @size: bytes that are mapped
 * @tail: where the next sample begins; this one's bytes are the reader's until it is asked for
 * @room: for a sample that continues at the data's begin
 */
struct pmudev_samples {
	struct pmudev_samples_page *page;
	size_t size;
	uint32_t tail;
	uint64_t room[PMUDEV_SAMPLE_ROOM / 8];
};

/*
 * Makes the ring, with at least @bytes for samples, or maps the one that the set has, which must
 * have the same size.
 */
int pmudev_samples_open(struct pmudev_samples *samples, struct pmudev *set, size_t bytes);

/*
 * Returns the next sample, or NULL if there is none now. It is valid until the next call, which
 * makes room in the ring for others. One thread at a time.
 */
const struct pmudev_sample *pmudev_samples_next(struct pmudev_samples *samples);

/* Samples that had no room, since the ring was made. */
uint64_t pmudev_samples_dropped(const struct pmudev_samples *samples);

/* Lets go of the mapping. The ring goes with the set. */
void pmudev_samples_close(struct pmudev_samples *samples);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_SAMPLES_H */
