// SPDX-License-Identifier: MIT
/* Sums of records, and what an array says without a module. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/lib.h"
#include "tap.h"

/* ----------------------------------------------------------------------------- sums -- */

static union pmudev_record_buffer records[3];
static struct pmudev_total total;

/* Of what they are, and where their slots go. */
static bool parts;
static const uint8_t *slots[3];

static void start(void)
{
	memset(records, 0, sizeof(records));
}

static void count(unsigned int record, unsigned int slot, uint64_t value, uint64_t enabled,
		  uint64_t running)
{
	struct pmudev_record *r = &records[record].record;

	if (r->nr <= slot)
		r->nr = slot + 1;
	r->present |= 1ULL << slot;
	r->counts[slot] = (struct pmudev_count){
		.value = value,
		.time_enabled = enabled,
		.time_running = running,
	};
}

static void add_up(unsigned int nr)
{
	struct pmudev_adding adding = { .total = &total, .parts = parts, .sets = nr };
	unsigned int i;

	memset(&total, 0, sizeof(total));
	for (i = 0; i < nr; i++)
		pmudev_total_add(&adding, &records[i].record, slots[i]);
	pmudev_total_end(&adding);
}

static void test_sums(void)
{
	start();
	count(0, 0, 10, 100, 100);
	count(0, 2, 7, 100, 100);
	count(1, 0, 20, 50, 50);
	records[0].record.time_enabled = 100;
	records[1].record.time_enabled = 50;
	records[0].record.time_running = 90;
	records[1].record.time_running = 40;
	records[0].record.multiplexed = 4;
	add_up(2);
	is_number(total.nr, 3, "as many slots as the longest record");
	is_number(total.present, 5, "all events that some set has");
	is_number(total.multiplexed, 4, "what is multiplexed somewhere");
	is_number(total.time_enabled, 150, "times are added");
	is_number(total.time_running, 130, "  both");
	is_number(total.sums[0].value, 30, "counts are added");
	is_number(total.sums[0].estimate, 30, "  what was always counted needs no estimate");
	is_number(total.sums[0].time_enabled, 150, "  so are their times");
	is_number(total.sums[0].time_running, 150, "  both");
	is_number(total.sums[1].value, 0, "an empty slot");
	is_number(total.sums[2].value, 7, "an event of one set only");
}

/* What was counted between two readings: the estimate is of that stretch. */
static void test_since(void)
{
	start();
	count(0, 0, 1000, 200, 200);
	count(1, 0, 1100, 300, 250);
	count(1, 1, 5, 100, 10);
	records[0].record.time_enabled = 200;
	records[0].record.time_running = 200;
	records[1].record.time_enabled = 300;
	records[1].record.time_running = 250;
	records[1].record.multiplexed = 3;
	pmudev_record_since(&records[1].record, &records[0].record);
	is_number(records[1].record.time_enabled, 100, "the time between two readings");
	is_number(records[1].record.time_running, 50, "  of that on counters");
	records[0] = records[1];
	add_up(1);
	is_number(total.sums[0].value, 100, "  what was counted then");
	is_number(total.sums[0].estimate, 200, "  and its estimate");
	is_number(total.sums[1].value, 5, "  of an event that was not there before: all");
	is_number(total.sums[1].estimate, 50, "  and its estimate");
}

static void test_estimates(void)
{
	start();
	/* Two CPUs: 1000 events in a half of the time, 1 event in a tenth of it. */
	count(0, 0, 1000, 100, 50);
	count(1, 0, 1, 100, 10);
	add_up(2);
	is_number(total.sums[0].value, 1001, "what was counted");
	is_number(total.sums[0].estimate, 2010, "each CPU is scaled by its own times");
	/* A third one of which nothing is known, not even that nothing happened there. */
	count(2, 0, 0, 100, 0);
	add_up(3);
	is_number(total.sums[0].estimate, 3015, "an unknown one is like the others");
	is_number(total.sums[0].time_running, 60, "  and shows in the times");
	count(2, 0, 0, 0, 0);
	add_up(3);
	is_number(total.sums[0].estimate, 2010, "one that did not run has no events");
	start();
	count(0, 0, 0, 100, 0);
	count(1, 0, 0, 70, 0);
	add_up(2);
	is_number(total.sums[0].time_running, 0, "never on a counter: nothing is known");
	is_number(total.sums[0].estimate, 0, "  and nothing estimated");
	is_number(total.sums[0].time_enabled, 170, "  but how long");
	start();
	count(0, 0, UINT64_MAX, 100, 50);
	count(1, 0, UINT64_MAX, 100, 50);
	add_up(2);
	ok(total.sums[0].estimate == UINT64_MAX, "an estimate does not go round");
}

/* A thread on two kinds of CPUs: an event that both parts have, and one of the second's. */
static void test_parts(void)
{
	static const uint8_t first[PMUDEV_MAX_EVENTS] = { 1 };
	static const uint8_t second[PMUDEV_MAX_EVENTS] = { 1, 0 };

	start();
	parts = true;
	slots[0] = first;
	slots[1] = second;
	count(0, 0, 30, 100, 60);
	count(1, 0, 10, 100, 20);
	count(1, 1, 5, 100, 20);
	records[1].record.multiplexed = 2;
	records[0].record.time_enabled = 100;
	records[1].record.time_enabled = 101;
	add_up(2);
	is_number(total.nr, 2, "slots of both parts");
	is_number(total.present, 3, "  all are there");
	is_number(total.multiplexed, 1, "  each with what its set has");
	is_number(total.time_enabled, 101, "the time is the target's");
	is_number(total.sums[1].value, 40, "an event of both parts is added");
	is_number(total.sums[1].time_enabled, 100, "  their times are not");
	is_number(total.sums[1].time_running, 80, "  but those on counters");
	is_number(total.sums[1].estimate, 50, "  which tell what is missing");
	is_number(total.sums[0].value, 5, "an event of one part");
	is_number(total.sums[0].time_enabled, 100, "  was enabled elsewhere, too");
	is_number(total.sums[0].time_running, 20, "  where it was on no counter");
	is_number(total.sums[0].estimate, 5, "  and nothing is made up for that");
	parts = false;
	slots[0] = NULL;
	slots[1] = NULL;
}

static uint32_t flags_of(uint32_t a, uint32_t b)
{
	start();
	records[0].record.flags = a;
	records[1].record.flags = b;
	add_up(2);
	return total.flags;
}

static void test_flags(void)
{
	const uint32_t ended = PMUDEV_RECORD_ENDED, enabled = PMUDEV_RECORD_ENABLED;

	is_number(flags_of(ended, ended), ended, "all have ended");
	is_number(flags_of(ended, enabled), enabled, "one has ended");
	is_number(flags_of(enabled, ended), enabled, "  or the other");
	is_number(flags_of(0, PMUDEV_RECORD_INCOMPLETE), PMUDEV_RECORD_INCOMPLETE,
		  "any other flag is that of all");
	is_number(flags_of(PMUDEV_RECORD_OFFLINE, enabled), PMUDEV_RECORD_OFFLINE | enabled,
		  "  several too");
}

/* ------------------------------------------------------------------- without a set -- */

static void test_words(void)
{
	struct pmudev_set_array array = {
		.cpu = 3,
		.error = -EBUSY,
		.refusal = { .code = PMUDEV_WHY_ENABLED, .event = 2 },
	};
	char text[256], small[16];
	int len = pmudev_set_array_explain(&array, text, sizeof(text));

	is(text, "CPU 3: event 2: the group is enabled: disable it first", "which CPU, event, why");
	is_number(len, strlen(text), "  of this length");
	is_number(pmudev_set_array_explain(&array, small, sizeof(small)), len,
		  "  also if there is no room");
	is(small, "CPU 3: event 2:", "  for all of it");
	is_number(pmudev_set_array_explain(&array, NULL, 0), len, "  or for nothing");
	array.cpu = -1;
	array.refusal.event = -1;
	pmudev_set_array_explain(&array, text, sizeof(text));
	is(text, "the group is enabled: disable it first", "about no CPU");
}

/* An array of one set, which no call reaches. */
static void open_fake(struct pmudev_set_array *array)
{
	array->sets = calloc(1, sizeof(*array->sets));
	array->cpus = calloc(1, sizeof(*array->cpus));
	array->members = calloc(1, sizeof(*array->members));
	array->nr = 1;
}

static void test_closed(void)
{
	struct pmudev_event_attr attr = { .group = 1 };
	struct pmudev_set_array array = { .cpu = -1 };
	unsigned int none = 0;
	char text[256];

	is_number(-pmudev_set_array_enable(&array, PMUDEV_ALL), EBADF, "not open: no enabling");
	is_number(-pmudev_set_array_disable(&array, PMUDEV_ALL), EBADF, "  no disabling");
	is_number(-pmudev_set_array_add(&array, &attr, 1), EBADF, "  no adding");
	is_number(-pmudev_set_array_read(&array, &total), EBADF, "  no reading");
	open_fake(&array);
	array.groups = 2;
	is_number(-pmudev_set_array_add(&array, &attr, 1), EEXIST, "a group comes in one call");
	pmudev_set_array_explain(&array, text, sizeof(text));
	ok(!strncmp(text, "the group already has events", 28), "  and so it says");
	pmudev_set_array_close(&array);
	is_number(-pmudev_set_array_cpus(&array, &none, 0, 0), EINVAL, "no CPU at all");
	if (!access(PMUDEV_DEVICE, F_OK))
		return;
	is_number(-pmudev_set_array_cpus(&array, &none, 1, 0), ENOENT, "no module");
	ok(array.cpu == -1 && !array.nr && !array.sets, "  which is no CPU's fault");
	is_number(-pmudev_set_array_task(&array, PMUDEV_TARGET_TASK, 0, 0), ENOENT,
		  "  nor a thread's");
	is_number(-pmudev_set_array_why(&array, NULL), ENOENT, "  and remembered");
}

int main(void)
{
	test_sums();
	test_since();
	test_estimates();
	test_parts();
	test_flags();
	test_words();
	test_closed();
	return tap_end();
}
