// SPDX-License-Identifier: MIT
/*
 * What a function costs, in instructions and cycles: the least of many calls, because whatever
 * disturbs a call only adds to it, less what measuring adds. The counters are read by the bare
 * instruction (DIRECT) where that can be, else by a checked read of the page, else by read(2).
 */
#include <inttypes.h>
#include <stdio.h>

#include <pmudev.h>

#define OWN_CODE (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define WARM_UP	 100
#define ROUNDS	 1000
#define EVENTS	 2

static const struct {
	uint32_t flags;
	const char *name;
} ways[] = {
	{ PMUDEV_USER_READ | PMUDEV_DIRECT, "the bare instruction" },
	{ PMUDEV_USER_READ, "a checked read of the page" },
	{ 0, "a system call" },
};

struct meter {
	struct pmudev set;
	struct pmudev_direct direct[EVENTS];
	uint32_t flags;
};

static char text[26 * 100];

/* The function in question, and one that does nothing: the price of a call. */
static void count_letters(void)
{
	static unsigned int letters[26];
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		letters[text[i] - 'a']++;
	/* Somebody may look at them, for all that the compiler knows. */
	__asm__ __volatile__("" : : "r"(letters) : "memory");
}

static void nothing(void)
{
}

/* The first way that is possible here. What is refused changes nothing: the next may do. */
static const char *open_meter(struct meter *meter)
{
	struct pmudev_event_attr events[EVENTS] = {
		{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_INSTRUCTIONS },
		{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_CYCLES },
	};
	size_t way;

	if (pmudev_open(&meter->set) || pmudev_bind_self(&meter->set))
		return NULL;
	for (way = 0; way < sizeof(ways) / sizeof(*ways); way++) {
		events[0].flags = OWN_CODE | ways[way].flags;
		events[1].flags = OWN_CODE | ways[way].flags;
		if (pmudev_add(&meter->set, events, EVENTS, NULL))
			continue;
		meter->flags = ways[way].flags;
		if (pmudev_enable(&meter->set, PMUDEV_ALL) ||
		    (meter->flags && pmudev_map(&meter->set)))
			return NULL;
		return ways[way].name;
	}
	return NULL;
}

/* From here on, until holds(), bare reads are good. */
static bool begins(struct meter *meter)
{
	return !(meter->flags & PMUDEV_DIRECT) ||
	       (pmudev_direct_begin(&meter->set, 0, &meter->direct[0]) &&
		pmudev_direct_begin(&meter->set, 1, &meter->direct[1]));
}

static bool holds(const struct meter *meter)
{
	return !(meter->flags & PMUDEV_DIRECT) || pmudev_direct_holds(&meter->direct[0]);
}

static inline void look(struct meter *meter, uint64_t *now)
{
	if (meter->flags & PMUDEV_DIRECT) {
		now[0] = pmudev_direct_value(&meter->direct[0]);
		now[1] = pmudev_direct_value(&meter->direct[1]);
	} else if (pmudev_read_counts(&meter->set, now, EVENTS)) {
		now[0] = 0;
		now[1] = 0;
	}
}

/* The least of all rounds that nothing came between; of each event, for they need not coincide. */
static int least(struct meter *meter, void (*function)(void), uint64_t *result)
{
	uint64_t before[EVENTS], after[EVENTS], spent;
	int i, round, good = 0;

	/* Not to be inlined: which function it is the compiler does not know. */
	__asm__("" : "+r"(function));
	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		if (!begins(meter))
			continue;
		look(meter, before);
		function();
		look(meter, after);
		if (round < WARM_UP || !holds(meter))
			continue;
		for (i = 0; i < EVENTS; i++) {
			spent = after[i] - before[i];
			if (meter->flags & PMUDEV_DIRECT) /* modulo the counter's width */
				spent = pmudev_direct_since(&meter->direct[i], before[i], after[i]);
			if (!good || spent < result[i])
				result[i] = spent;
		}
		good++;
	}
	return good;
}

int main(void)
{
	uint64_t empty[EVENTS], whole[EVENTS];
	struct meter meter;
	const char *way;
	char why[256];
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = 'a' + i % 26;
	way = open_meter(&meter);
	if (!way) {
		pmudev_explain(&meter.set, why, sizeof(why));
		fprintf(stderr, "function_cost: %s\n", why);
		return 1;
	}
	if (!least(&meter, nothing, empty) || !least(&meter, count_letters, whole)) {
		fprintf(stderr, "function_cost: not one round was undisturbed; try again\n");
		return 1;
	}
	printf("count_letters: %" PRIu64 " instructions, %" PRIu64 " cycles\n", whole[0] - empty[0],
	       whole[1] - empty[1]);
	printf("measured by %s: %" PRIu64 " instructions, %" PRIu64 " cycles, subtracted\n", way,
	       empty[0], empty[1]);
	pmudev_close(&meter.set);
	return 0;
}
