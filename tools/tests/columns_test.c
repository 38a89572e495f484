// SPDX-License-Identifier: MIT
/* The table of `pmudev monitor`. */
#include <stdlib.h>

#include <pmudev.h>

#include "../pmudev/monitor/columns.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];
static struct event_list list;
static union pmudev_record_buffer before, after;

static void use(const char *events)
{
	struct pmudev_events_error error;
	unsigned int i;

	if (!parse_events(events, pmus[INTEL], &list, &error)) {
		ok(false, error.text);
		abort();
	}
	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	for (i = 0; i < list.nr; i++) {
		before.record.counts[i].value = 1000000 * i;
		after.record.counts[i].value = 1000000 * i + 1000 + i;
	}
}

/* Makes one blank of several. */
static char *squeeze(char *text)
{
	char *to = text, *from;

	for (from = text; *from; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

/* Return: the length before blanks were squeezed. */
static size_t expect_header(const char *wanted, const char *what)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	size_t len;

	fprintf(out, "#");
	columns_header(out, &list);
	fclose(out);
	len = strlen(text);
	is(squeeze(text), wanted, what);
	return len;
}

static size_t expect_line(const char *wanted, const char *what)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	size_t len;

	fprintf(out, " ");
	columns_line(out, &list, &before.record, &after.record, false);
	fclose(out);
	len = strlen(text);
	is(squeeze(text), wanted, what);
	return len;
}

static void expect_remark(uint64_t missed, const char *wanted, const char *what)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	columns_remark(out, &before.record, &after.record, missed);
	fclose(out);
	is(text, wanted, what);
}

#define A "instructions@2"
#define B "instructions@fixed0"
#define C "cycles@3"
#define D "cycles@fixed1"

static void test_pairs(void)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	size_t header;

	use(A "," B "," C "," D);
	header = expect_header("# " A " " B " difference " C " " D " difference",
			       "two events, each on two counters");
	is_number(expect_line(" 1000 1001 1 1002 1003 1", "  a line"), header,
		  "  it ends where the header does");
	after.record.counts[1].value = before.record.counts[1].value + 998;
	after.record.counts[3].value = before.record.counts[3].value + 1002;
	is_number(expect_line(" 1000 998 -2 1002 1002 0",
			      "  a difference can be negative, or none"),
		  header, "  of the same length");
	after.record.counts[1].value = before.record.counts[1].value;
	after.record.counts[0].value = -1ULL;
	expect_line(" 18446744073709551615 0 1 1002 1002 0",
		    "  nothing is cut off that is too long");
	before.record.counts[0].value = -6ULL;
	after.record.counts[0].value = 5;
	expect_line(" 11 0 -11 1002 1002 0", "  a count may go beyond 64 bits");
	use(A "," B);
	after.record.counts[1].value += 1000000;
	columns_line(out, &list, &before.record, &after.record, true);
	fclose(out);
	is(squeeze(text), " 1,000 1,001,001 1000001", "commas for people");
}

static void test_others(void)
{
	use("r1,r2@3,r1,r2@4,r2@5,r3");
	expect_header("# r1 r1 difference r2@3 r2@4 difference r2@5 difference r3",
		      "readings of one event stand together, those without another alone");
	expect_line(" 1000 1002 2 1001 1003 2 1004 3 1005", "  each is compared with the first");
	use("r1,r1:u,r2,r1@0-3");
	expect_header("# r1 r1@0-3 difference r1:u r2", "levels make another event");
	use("cycles,cycles/threshold=1,name=a/,cycles/threshold=2,name=b/,r0");
	expect_header("# cycles a b r0", "so do thresholds and types");
	use("cycles/threshold=2,name=a/,cycles/threshold=2,threshold_compare=lt,name=b/");
	expect_header("# a b", "and comparisons");
	use("cycles/threshold=2,name=a/@3,cycles/threshold=2,name=b/@4");
	expect_header("# a@3 b@4 difference", "but not names");
}

static void test_remarks(void)
{
	use("cycles");
	after.record.time_enabled = 5000000000;
	after.record.time_running = 5000000000;
	expect_remark(0, "", "nothing to say");
	after.record.time_running = 4999900000;
	expect_remark(0, "", "  nor of a hundred microseconds");
	after.record.time_running = 4000000000;
	expect_remark(0, "  # counted 80.0% of the time", "not on counters all the time");
	expect_remark(1, "  # counted 80.0% of the time  # 1 interval missed", "one missed");
	after.record.time_running = 5000000000;
	expect_remark(7, "  # 7 intervals missed", "several missed");
	after.record.flags = PMUDEV_RECORD_OFFLINE | PMUDEV_RECORD_ENABLED;
	expect_remark(0, "  # the CPU is offline", "the CPU is gone");
	after.record.flags = 0;
	after.record.time_running = 0;
	after.record.time_enabled = 0;
	expect_remark(0, "", "no time at all");
}

int main(void)
{
	int i;

	fake_machines(pmus);
	test_pairs();
	test_others();
	test_remarks();
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
