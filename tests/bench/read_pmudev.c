// SPDX-License-Identifier: GPL-2.0
/* What pmudev's reads cost: see read_bench.c. */
#include "read_bench.h"

#include <pmudev.h>
#include <stdio.h>
#include <stdlib.h>

struct ours {
	struct pmudev_reader reader;
	struct pmudev_reader clock;
	struct pmudev set;
	uint64_t v[MOST];
	struct pmudev_ticks ticks;
	struct pmudev_times times;
};

typedef long measure_fn(struct ours *ours);

static uint64_t ours_instructions(void *arg)
{
	uint64_t value = 0;

	if (pmudev_reader_count(arg, &value))
		fail("the first event", -EIO);
	return value;
}

/* The forms, each of @n events; inlined, with a constant. */
#define FORM(name, call)                                                                \
	static inline __attribute__((always_inline)) void do_##name(                    \
		struct ours *ours, struct pmudev_reader *reader, uint64_t *v, unsigned int n) \
	{                                                                               \
		(void)ours;                                                             \
		(void)reader;                                                           \
		call;                                                                   \
		use_at(v);                                                              \
	}

FORM(reader, pmudev_reader_counts(reader, v, n))
FORM(reader_ticks, pmudev_reader_counts_ticks(reader, v, n, &ours->ticks))
FORM(read_counts, pmudev_read_counts(&ours->set, v, n))
FORM(read_counts_times, pmudev_read_counts_times(&ours->set, v, n, &ours->times))

#define READER	struct pmudev_reader *reader = IN_REGISTER(&ours->reader)
#define VALUES	uint64_t *v = IN_REGISTER(ours->v)

#define OUR_FORM(name, n)                                            \
	MEASURE(name##_##n, ours, READER; VALUES, &ours->clock,      \
		do_##name(ours, reader, v, n))

OUR_FORM(reader, 2)
OUR_FORM(reader, 4)
OUR_FORM(reader, 6)
OUR_FORM(reader_ticks, 1)
OUR_FORM(reader_ticks, 2)
OUR_FORM(reader_ticks, 4)
OUR_FORM(reader_ticks, 6)
OUR_FORM(read_counts, 2)
OUR_FORM(read_counts, 4)
OUR_FORM(read_counts, 6)
OUR_FORM(read_counts_times, 1)
OUR_FORM(read_counts_times, 2)
OUR_FORM(read_counts_times, 4)
OUR_FORM(read_counts_times, 6)

/* A value in a register. */
static inline __attribute__((always_inline)) void use_value(struct pmudev_reader *reader)
{
	uint64_t value;

	if (!pmudev_reader_count(reader, &value))
		use(value);
}

static inline __attribute__((always_inline)) void use_slot(struct pmudev *set)
{
	uint64_t value;

	if (!pmudev_read_count(set, 0, &value))
		use(value);
}

MEASURE(value_alone, ours, READER, &ours->clock, use_value(reader))
MEASURE(read_count, ours, NOTHING, &ours->clock, use_slot(&ours->set))

static measure_fn *const forms[][NR_NUMBERS] = {
	{ value_alone, reader_2, reader_4, reader_6 },
	{ reader_ticks_1, reader_ticks_2, reader_ticks_4, reader_ticks_6 },
	{ read_count, read_counts_2, read_counts_4, read_counts_6 },
	{ read_counts_times_1, read_counts_times_2, read_counts_times_4, read_counts_times_6 },
};

#define NR_FORMS ARRAY_SIZE(forms)

static const char *const keys[NR_FORMS] = { "read-values", "read-ticks", "read-plain",
					    "read-times" };

/* DIRECT events are of a counter that is known: where the first instruction counter was. */
#define DIRECT_COUNTER 1

MEASURE(direct_constant, ours, NOTHING, &ours->clock, use(PMUDEV_DIRECT_READ(DIRECT_COUNTER)))

static inline __attribute__((always_inline)) struct pmudev_direct direct_of(struct ours *ours)
{
	struct pmudev_direct direct;

	if (!pmudev_direct_begin(&ours->set, 1, &direct))
		fail("pmudev_direct_begin", -EINVAL);
	return direct;
}

MEASURE(direct_learnt, ours, struct pmudev_direct direct = direct_of(ours), &ours->clock,
	use(pmudev_direct_value(&direct)))

static void open_ours(struct ours *ours, const struct pmudev_event_attr *events, unsigned int nr,
		      int *refused)
{
	struct pmudev *set = &ours->set;
	char why[256];
	int ret;

	ret = pmudev_open(set) ?: pmudev_bind_self(set) ?: pmudev_add(set, events, nr, NULL);
	if (refused && ret == -EOPNOTSUPP) {
		*refused = true;
		pmudev_close(set);
		return;
	}
	ret = ret ?: pmudev_enable(set, PMUDEV_ALL) ?: pmudev_map(set);
	ret = ret ?: pmudev_reader_init(&ours->reader, set, NULL, nr);
	ret = ret ?: pmudev_reader_init(&ours->clock, set, NULL, 1);
	if (ret) {
		pmudev_explain(set, why, sizeof(why));
		fprintf(stderr, "read_bench: %s\n", why);
		exit(1);
	}
}

void measure_pmudev(double row[4][NR_NUMBERS])
{
	struct pmudev_event_attr events[MOST];
	static struct ours ours;
	unsigned int i, n;

	for (i = 0; i < MOST; i++)
		events[i] = raw_event(config_of(i), DIRECT_READ);
	for (n = 0; n < NR_NUMBERS; n++) {
		open_ours(&ours, events, numbers[n], NULL);
		for (i = 0; i < NR_FORMS; i++) {
			row[i][n] = cost(forms[i][n](&ours));
			costs_row(pmudev_api.name, keys[i], numbers[n]);
		}
		pmudev_close(&ours.set);
	}
}

void measure_bare(double *constant, double *learnt)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		in_group(event_on(DIRECT_COUNTER, DIRECT_READ | PMUDEV_DIRECT), 1),
	};
	static struct ours ours;
	int refused = false;

	events[0].allowed = ~(1ULL << DIRECT_COUNTER);
	if (PMU_ARCH != PMUDEV_ARCH_ARM64)
		events[0].allowed &= 0xffffffffULL;
	open_ours(&ours, events, 2, &refused);
	*constant = *learnt = REFUSED;
	if (refused)
		return;
	*constant = cost(direct_constant(&ours));
	costs_row(pmudev_api.name, "direct-known", 1);
	*learnt = cost(direct_learnt(&ours));
	costs_row(pmudev_api.name, "direct-learnt", 1);
	pmudev_close(&ours.set);
}
