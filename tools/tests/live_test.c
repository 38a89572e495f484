// SPDX-License-Identifier: MIT
/* Pictures of the live table of `pmudev monitor`, for windows of several sizes. */
#include <stdlib.h>

#include "../pmudev/monitor/monitor.h"
#include "sysfs.h"

#define CPUS 3

static struct pmudev_pmus *pmus[NR_MACHINES];
static struct event_list list;
static struct watched cpus[CPUS];
static struct monitor monitor = {
	.command = "monitor", .list = &list, .interval = 500000000, .cpus = cpus
};

/* CPU n has counted 1000 (n + 1) of event 0 in the interval, and ten times as much before. */
static void use(const char *events, const char *text, unsigned int nr)
{
	struct pmudev_events_error error;
	unsigned int i, e;

	if (!parse_events(events, pmus[INTEL], &list, &error)) {
		ok(false, error.text);
		abort();
	}
	memset(cpus, 0, sizeof(cpus));
	monitor.nr = nr;
	monitor.cpus_text = text;
	for (i = 0; i < nr; i++) {
		cpus[i].cpu = i;
		cpus[i].now.record.time = 5500000000;
		cpus[i].now.record.time_enabled = 11;
		cpus[i].now.record.time_running = 11;
		for (e = 0; e < list.nr; e++) {
			cpus[i].before.record.counts[e].value = 10000 * (i + 1) + e;
			cpus[i].now.record.counts[e].value = 11000 * (i + 1) + 2 * e;
		}
	}
}

/* Ends it without blanks. */
static char *end_of_line(const char *text, char *to)
{
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\n';
	return to + 1;
}

/* The picture without the sequences that draw it in place. */
static const char *picture(unsigned int rows, unsigned int width)
{
	static char text[8192];
	char *from, *to = text;
	FILE *out;

	memset(text, 0, sizeof(text));
	out = fmemopen(text, sizeof(text), "w");
	live_draw(out, &monitor, rows, width);
	fclose(out);
	ok(!strncmp(text, "\033[H", 3), "it begins at the top");
	ok(strlen(text) > 3 && !strcmp(text + strlen(text) - 3, "\033[J"),
	   "  and removes what is below");
	for (from = text; *from; from++) {
		if (*from == '\033')
			from += 2;
		else if (*from == '\n')
			to = end_of_line(text, to);
		else if (*from != '\r')
			*to++ = *from;
	}
	end_of_line(text, to)[-1] = '\0';
	return text;
}

static void test_one(void)
{
	use("instructions@2,instructions@fixed0,cycles", "0", 1);
	is(picture(24, 100),
	   "pmudev monitor: CPU 0, every 0.5 s, 5.5 s so far; Ctrl-C ends it\n"
	   "\n"
	   "event                       last interval difference  since the start difference\n"
	   "instructions@2                      1,000                      11,000\n"
	   "instructions@fixed0                 1,001          1           11,002          2\n"
	   "cycles                              1,002                      11,004\n"
	   "\n"
	   "insn per cycle                       1.00                        1.00",
	   "one CPU: a row for each event");
	is(picture(4, 20),
	   "pmudev monitor: CPU\n"
	   "\n"
	   "event\n"
	   "instructions@2",
	   "a small window shows a part");
	cpus[0].now.record.flags = PMUDEV_RECORD_OFFLINE;
	ok(strstr(picture(24, 100), "\n  # the CPU is offline"), "  what is to be known is told");
}

static void test_several(void)
{
	use("r1,r2", "0-2", 3);
	is(picture(24, 100),
	   "pmudev monitor: CPUs 0-2, every 0.5 s, 5.5 s so far; Ctrl-C ends it\n"
	   "\n"
	   "  CPU              r1              r2\n"
	   "    0           1,000           1,001\n"
	   "    1           2,000           2,001\n"
	   "    2           3,000           3,001\n"
	   "  all           6,000           6,003\n"
	   "\n"
	   "since the start:\n"
	   "    0          11,000          11,002\n"
	   "    1          22,000          22,002\n"
	   "    2          33,000          33,002\n"
	   "  all          66,000          66,006",
	   "several: a row for each, and their sum");
	is(picture(12, 100),
	   "pmudev monitor: CPUs 0-2, every 0.5 s, 5.5 s so far; Ctrl-C ends it\n"
	   "\n"
	   "  CPU              r1              r2\n"
	   "    0           1,000           1,001\n"
	   "    1           2,000           2,001\n"
	   "    2           3,000           3,001\n"
	   "  all           6,000           6,003",
	   "a low window has the interval only");
	is(picture(6, 20),
	   "pmudev monitor: CPUs\n"
	   "\n"
	   "  CPU              r\n"
	   "    0           1,00\n"
	   "  all           6,00\n"
	   "2 more CPUs: the win",
	   "  a lower one the sum, and how many are missing");
}

int main(void)
{
	int i;

	fake_machines(pmus);
	test_one();
	test_several();
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
