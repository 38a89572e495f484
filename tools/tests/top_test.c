// SPDX-License-Identifier: MIT
/* The rows of `pmudev top`: columns, values, order, and sparklines. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pmudev/top/refused.h"
#include "../pmudev/top/rows.h"
#include "../pmudev/top/spark.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];
static struct counting counting;
static struct columns columns;

static void use(const char *events, bool by_default, bool cpu_time)
{
	struct pmudev_events_error error;

	memset(&counting, 0, sizeof(counting));
	memset(&columns, 0, sizeof(columns));
	if (!parse_events(events, pmus[INTEL], &counting.list, &error)) {
		ok(false, error.text);
		abort();
	}
	counting.by_default = by_default;
	columns_make(&columns, &counting, cpu_time);
}

static const char *names(void)
{
	static char text[512];

	columns_names(&columns, text, sizeof(text));
	return text;
}

static void test_columns(void)
{
	char wide[64 * 8] = "r0";
	int i;

	use("instructions,cycles,branch-misses,cache-misses", true, true);
	is(names(), "%CPU, insn/s, cycles/s, IPC, br-miss/k, c-miss/k", "of processes");
	is_number(columns.sort, 1, "  sorted by what is counted");
	use("instructions:u,cycles:u,branch-misses:u,cache-misses:u", true, false);
	is(names(), "insn/s, cycles/s, IPC, br-miss/k, c-miss/k", "of CPUs, in user mode");
	use("instructions,cycles,branch-misses", true, false);
	is(names(), "insn/s, cycles/s, IPC, br-miss/k", "without an event");
	use("cycles,branch-misses,cache-misses", true, false);
	is(names(), "cycles/s, br-miss/s, c-miss/s", "without instructions");
	use("branches,instructions,r11,cycles", false, true);
	is(names(), "%CPU, branches/s, instructions/s, r11/s, cycles/s, IPC", "of -e");
	use("instructions,cycles:u", false, false);
	is(names(), "instructions/s, cycles:u/s", "of different levels there is no IPC");
	ok(columns_sort_by(&columns, "CYCLES:U/S") && columns.sort == 1, "chosen by name");
	ok(!columns_sort_by(&columns, "IPC") && columns.sort == 1, "  but not one that is missing");
	for (i = 1; i < 40; i++)
		snprintf(wide + strlen(wide), sizeof(wide) - strlen(wide), ",r%x", i);
	use(wide, false, false);
	is_number(columns.nr, MAX_COLUMNS, "not more than there is room for");
	is(counting.note, "left out: 16 columns, there is room for 24", "  which is told");
}

/* A row of so many of each event, in half a second, and 100 ms of CPU time. */
static void count(struct row *row, int id, const uint64_t *counts, unsigned int nr)
{
	struct pmudev_total total = { .nr = nr, .present = (1ULL << nr) - 1 };
	unsigned int i;

	if (!row->history && !row_open(row, id, &columns))
		abort();
	total.time_enabled = 100000000;
	total.time_running = 100000000;
	for (i = 0; i < nr; i++) {
		total.sums[i].value = counts[i];
		total.sums[i].time_enabled = total.time_enabled;
		total.sums[i].time_running = total.time_running;
	}
	row_update(row, &columns, &total, 500000000);
}

static const char *line(const struct row *row)
{
	static char text[256];
	char number[COLUMN_TEXT];
	unsigned int i;

	*text = '\0';
	for (i = 0; i < columns.nr; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 column_text(&columns.columns[i], row->values[i], number));
	return text;
}

static void test_values(void)
{
	struct row row = { .history = NULL };
	struct pmudev_total idle = { .nr = 4, .present = 0xf }, partly = { .nr = 4, .present = 7 };
	char text[ROW_REMARK];

	use("instructions,cycles,branch-misses,cache-misses", true, true);
	count(&row, 1, (uint64_t[]){ 1000000, 2000000, 5000, 1 }, 4);
	ok(row.values[1] == 2e6 && row.values[2] == 4e6, "rates are of the time that passed");
	ok(row.values[3] == 0.5 && row.values[4] == 5, "ratios are of the counts");
	is(line(&row), "20.0 2.000M 4.000M 0.50 5.00 0.00", "in short");
	ok(!row_remark(&row, text), "counted all the time");
	count(&row, 1, (uint64_t[]){ 999, 0, 0, 0 }, 4);
	is(line(&row), "20.0 1.998k 0 - 0.00 0.00", "no quotient of nothing");
	count(&row, 1, (uint64_t[]){ 499, 499974999, 49998, 0 }, 4);
	is(line(&row), "20.0 998 999.9M 0.00 100.2k 0.00", "large numbers");
	count(&row, 1, (uint64_t[]){ 1ULL << 63, 499975001, 0, 0 }, 4);
	is(line(&row), "20.0 18.45E 1.000G 18.45G 0.00 0.00", "  and the largest");
	row_update(&row, &columns, &idle, 500000000);
	is(line(&row), "0.0 0 0 - - -", "what did not run has counted nothing");
	partly.time_enabled = 1000;
	partly.time_running = 250;
	partly.sums[0] =
		(struct pmudev_sum){ .value = 7, .time_enabled = 1000, .time_running = 250 };
	partly.sums[1].time_enabled = 1000;
	row_update(&row, &columns, &partly, 500000000);
	is(line(&row), "0.0 14 - - 0.00 -", "what was on no counter is not known");
	is(row_remark(&row, text), "counted 25.0% of the time", "  and told");
	row_close(&row);
}

static void test_order(void)
{
	struct row rows[4] = { { .history = NULL } }, *order[4];
	const uint64_t counts[4][2] = { { 10, 10 }, { 30, 10 }, { 20, 0 }, { 30, 60 } };
	unsigned int i;

	use("instructions,cycles", true, false);
	for (i = 0; i < 4; i++) {
		count(&rows[i], i, counts[i], 2);
		order[i] = &rows[i];
	}
	rows_sort(order, 4, &columns);
	ok(order[0]->id == 1 && order[1]->id == 3 && order[2]->id == 2 && order[3]->id == 0,
	   "the largest first, of equals the lowest number");
	columns.reverse = true;
	rows_sort(order, 4, &columns);
	ok(order[0]->id == 0 && order[1]->id == 2 && order[2]->id == 1 && order[3]->id == 3,
	   "  the smallest first");
	columns_sort_by(&columns, "IPC");
	rows_sort(order, 4, &columns);
	ok(order[0]->id == 3 && order[1]->id == 0 && order[2]->id == 1 && order[3]->id == 2,
	   "  and what has no value last");
	columns.reverse = false;
	rows_sort(order, 4, &columns);
	ok(order[0]->id == 1 && order[3]->id == 2, "    in both orders");
	for (i = 0; i < 4; i++)
		row_close(&rows[i]);
}

static void test_sparks(void)
{
	static const uint64_t values[] = { 0, 1, 20, 40, 79, 80 };
	struct row row = { .history = NULL };
	char text[SPARK_BYTES(HISTORY)];
	unsigned int i;

	use("instructions", true, false);
	for (i = 0; i < 6; i++)
		count(&row, 1, &values[i], 1);
	is(spark(&row, 0, 8, false, text), "  __,=##", "as letters");
	is(spark(&row, 0, 8, true, text), "  ▁▁▃▅██", "  as blocks");
	is(spark(&row, 0, 2, true, text), "██", "  the newest, to the largest of these");
	for (i = 0; i < 3 * HISTORY; i++)
		count(&row, 1, (uint64_t[]){ i }, 1);
	ok(row_value_ago(&row, 0, 0) == 2 * (3 * HISTORY - 1), "the last value");
	ok(row_value_ago(&row, 0, HISTORY - 1) == 2 * (2 * HISTORY), "  the first that is kept");
	ok(isnan(row_value_ago(&row, 0, HISTORY)), "  and none before it");
	row_close(&row);
}

/* A process that was refused is not tried for ten seconds, if it is the same one. */
static void test_refused(void)
{
	struct refused refused = { .nr = 0 };
	const int pid = getpid(), child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	refused_tidy(&refused);
	ok(!refused_before(&refused, pid, 5), "nothing was refused");
	refused_add(&refused, child, "no", 5);
	refused_add(&refused, pid, "why", 5);
	refused_tidy(&refused);
	is(refused_before(&refused, pid, 6), "why", "what was refused is known");
	is(refused_before(&refused, child, 4 + REFUSED_AGAIN), "no", "  for ten seconds");
	ok(!refused_before(&refused, pid, 5 + REFUSED_AGAIN), "  and then tried again");
	refused.all[0].start++;
	ok(!refused_before(&refused, refused.all[0].pid, 6),
	   "another one with its number is tried");
	refused.all[0].start--;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ok(!refused_before(&refused, child, 6), "one that has ended is not known");
	refused_add(&refused, child, "no", 7);
	refused_tidy(&refused);
	refused_before(&refused, pid, 7);
	refused_tidy(&refused);
	ok(refused.nr == 1 && refused.all[0].pid == pid, "who is not asked for is forgotten");
	refused_free(&refused);
}

static void test_count(void)
{
	char text[ROW_REMARK];

	is(rows_count(text, 4, false, "CPU", "CPUs"), "4 CPUs", "several rows");
	is(rows_count(text, 1, false, "CPU", "CPUs"), "1 CPU", "  one");
	is(rows_count(text, 0, false, "process", "processes"), "0 processes", "  none");
	is(rows_count(text, 0, true, "CPU", "CPUs"), "waiting for CPUs", "  none yet");
}

int main(void)
{
	int i;

	fake_machines(pmus);
	test_columns();
	test_values();
	test_order();
	test_count();
	test_sparks();
	test_refused();
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
