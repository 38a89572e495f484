// SPDX-License-Identifier: MIT
/* Every function called wrongly: what can be seen to be wrong without the module has a result. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../lib/lib.h"
#include "tap.h"

static const struct pmudev_event_attr attr;
static struct pmudev_query query;
static union pmudev_record_buffer buffer;
static struct pmudev_total total;
static uint64_t values[PMUDEV_MAX_EVENTS + 1];
static uint32_t slots[PMUDEV_READER_EVENTS + 1];
static struct pmudev_times times;
static struct pmudev_reader reader;
static struct pmudev_direct direct;

/* Each call that needs an open set, made of @set: all of them say @error. */
static void test_calls(struct pmudev *set, int error, const char *what)
{
	const struct {
		const char *name;
		int result;
	} calls[] = {
		{ "bind_self", pmudev_bind_self(set) },
		{ "bind_task", pmudev_bind_task(set, 0, 0) },
		{ "bind_process", pmudev_bind_process(set, 0, 0) },
		{ "bind_cpu", pmudev_bind_cpu(set, 0, 0) },
		{ "bind_cgroup", pmudev_bind_cgroup(set, 0, 0, 0) },
		{ "bind_pmu", pmudev_bind_pmu(set, PMUDEV_TARGET_TASK, 0, 0, 0) },
		{ "add", pmudev_add(set, &attr, 1, NULL) },
		{ "start", pmudev_start(set, &attr, 1, NULL) },
		{ "place", pmudev_place(set, &attr, 1, NULL) },
		{ "enable", pmudev_enable(set, PMUDEV_ALL) },
		{ "disable", pmudev_disable(set, PMUDEV_ALL) },
		{ "remove", pmudev_remove(set, PMUDEV_ALL) },
		{ "reset_slot", pmudev_reset_slot(set, 0, 0) },
		{ "reset_group", pmudev_reset_group(set, 0, 0) },
		{ "query", pmudev_query(set, 0, &query) },
		{ "query_cpu", pmudev_query_cpu(set, 0, &query) },
		{ "map", pmudev_map(set) },
		{ "read", pmudev_read(set, &buffer.record, sizeof(buffer)) },
	};
	char text[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		snprintf(text, sizeof(text), "%s: %s", what, calls[i].name);
		is_number(-calls[i].result, -error, text);
	}
}

/* Reads of a set that is not NULL, but not open. */
static void test_reads(struct pmudev *set, const char *what)
{
	errno = 77;
	is_number(-pmudev_read_count(set, 0, values), EBADF, what);
	is_number(-pmudev_read_counts(set, values, 1), EBADF, "  read_counts");
	is_number(-pmudev_read_counts_times(set, values, 1, &times), EBADF, "  with times");
	is_number(errno, 77, "  errno is what it was");
	ok(!pmudev_try_count(set, 0, values), "  try_count");
	ok(!pmudev_try_counts(set, values, 1, NULL), "  try_counts");
	ok(!pmudev_direct_begin(set, 0, &direct), "  direct_begin");
	is_number(pmudev_reader_init(&reader, set, NULL, 1), 0, "  a reader can be made");
	is_number(-pmudev_reader_count(&reader, values), EBADF, "  and reads nothing");
	pmudev_unmap(set);
	pmudev_close(set);
	ok(true, "  unmap and close do no harm");
}

/* Descriptor 0 is somebody's: a set of zeroes must not be taken for it. */
static void test_zeroes(void)
{
	struct pmudev set;
	char text[128];

	memset(&set, 0, sizeof(set));
	is_number(pmudev_why(&set, NULL), 0, "a set of zeroes: nothing has failed");
	test_calls(&set, -EBADF, "a set of zeroes");
	test_reads(&set, "a set of zeroes: read_count");
	ok(fcntl(0, F_GETFD) >= 0, "  descriptor 0 is open");
	pmudev_explain(&set, text, sizeof(text));
	is(text, "the set is not open: open it first", "  and so it says");
}

static void test_closed(void)
{
	struct pmudev set;

	if (access(PMUDEV_DEVICE, F_OK))
		is_number(-pmudev_open(&set), ENOENT, "no module: not opened");
	else
		is_number(pmudev_open(&set), 0, "opened");
	pmudev_close(&set);
	test_calls(&set, -EBADF, "closed");
	test_reads(&set, "closed: read_count");
}

static void test_null(void)
{
	struct pmudev set;
	struct pmudev_refusal why;
	uint64_t value = 5;
	char text[128];

	memset(&set, 0, sizeof(set));
	is_number(-pmudev_open(NULL), EFAULT, "NULL: open");
	test_calls(NULL, -EFAULT, "NULL");
	is_number(-pmudev_why(NULL, &why), EFAULT, "NULL: why");
	ok(pmudev_explain(NULL, text, sizeof(text)) > 0 && strstr(text, "NULL"), "NULL: explain");
	is_number(-pmudev_reader_init(NULL, &set, NULL, 1), EFAULT, "NULL: reader");
	is_number(-pmudev_reader_init(&reader, NULL, NULL, 1), EFAULT, "NULL: a reader's set");
	ok(!pmudev_direct_begin(NULL, 0, &direct), "NULL: direct_begin's set");
	ok(!pmudev_direct_begin(&set, 0, NULL), "NULL: direct_begin's result");
	ok(!pmudev_scale(1, 2, 1, NULL), "NULL: scale's result");
	ok(!pmudev_scale(1, 2, 0, &value) && value == 5, "nothing is known: no estimate");
	pmudev_unmap(NULL);
	pmudev_close(NULL);
	ok(pmudev_explain(&set, NULL, 10) > 0, "no room for a sentence: how long it is");
	ok(pmudev_explain_refusal(-EINVAL, NULL, NULL, 10) > 0, "  one's own");
	is(pmudev_strreason(~0U), "a reason that this version of the library does not know",
	   "no such reason");
}

static void test_reader(void)
{
	struct pmudev set;

	memset(&set, 0, sizeof(set));
	is_number(-pmudev_reader_init(&reader, &set, NULL, 0), EINVAL, "a reader of nothing");
	is_number(-pmudev_reader_init(&reader, &set, slots, PMUDEV_READER_EVENTS + 1), EINVAL,
		  "  of too much");
	slots[1] = PMUDEV_MAX_EVENTS;
	is_number(-pmudev_reader_init(&reader, &set, slots, 2), EINVAL, "  of no such slot");
	is_number(-pmudev_why(&set, NULL), EINVAL, "  which is remembered");
	ok(!pmudev_try_count(&set, PMUDEV_MAX_EVENTS, values), "try_count: no such slot");
	ok(!pmudev_try_counts(&set, values, PMUDEV_MAX_EVENTS + 1, NULL), "try_counts: too many");
}

static void test_array_null(void)
{
	struct pmudev_set_array array;
	const unsigned int cpu = 0;
	char text[128];

	is_number(-pmudev_set_array_cpus(NULL, &cpu, 1, 0), EFAULT, "an array, NULL: cpus");
	is_number(-pmudev_set_array_cgroup(NULL, 0, &cpu, 1, 0), EFAULT, "  cgroup");
	is_number(-pmudev_set_array_task(NULL, PMUDEV_TARGET_TASK, 0, 0), EFAULT, "  task");
	is_number(-pmudev_set_array_add(NULL, &attr, 1), EFAULT, "  add");
	is_number(-pmudev_set_array_add_on(NULL, &attr, 1, NULL), EFAULT, "  add_on");
	is_number(-pmudev_set_array_enable(NULL, PMUDEV_ALL), EFAULT, "  enable");
	is_number(-pmudev_set_array_disable(NULL, PMUDEV_ALL), EFAULT, "  disable");
	is_number(-pmudev_set_array_read(NULL, &total), EFAULT, "  read");
	is_number(-pmudev_set_array_records(NULL, &buffer), EFAULT, "  records");
	is_number(-pmudev_set_array_why(NULL, NULL), EFAULT, "  why");
	ok(pmudev_set_array_explain(NULL, text, sizeof(text)) > 0, "  explain");
	pmudev_set_array_close(NULL);
	is_number(-pmudev_set_array_cpus(&array, NULL, 1, 0), EFAULT, "no CPUs");
	ok(!array.nr && !array.sets && !array.cpus, "  it is closed");
	is_number(-pmudev_set_array_cpus(&array, &cpu, 0, 0), EINVAL, "none of them");
	is_number(-pmudev_set_array_task(&array, PMUDEV_TARGET_CPU, 0, 0), EINVAL, "not a thread");
	ok(!array.nr && !array.sets && !array.cpus, "  it is closed");
	pmudev_set_array_explain(&array, text, sizeof(text));
	ok(!strncmp(text, "there is no such kind of target", 31), "  and says why");
}

static void test_array_zeroes(void)
{
	struct pmudev_set_array array;

	memset(&array, 0, sizeof(array));
	is_number(-pmudev_set_array_add(&array, &attr, 1), EBADF, "an array of zeroes: add");
	is_number(-pmudev_set_array_add(&array, &attr, ~0U), EBADF, "  add far too many");
	is_number(-pmudev_set_array_enable(&array, PMUDEV_ALL), EBADF, "  enable");
	is_number(-pmudev_set_array_disable(&array, 77), EBADF, "  disable");
	is_number(-pmudev_set_array_read(&array, &total), EBADF, "  read");
	is_number(-pmudev_set_array_records(&array, &buffer), EBADF, "  records");
	total.nr = 7;
	pmudev_set_array_sum(&array, PMUDEV_ALL, NULL, &buffer, &total);
	is_number(total.nr, 0, "  the sum of nothing");
	is_number(-pmudev_set_array_records(&array, NULL), EFAULT, "  records into nothing");
	is_number(-pmudev_set_array_read(&array, NULL), EFAULT, "  read into nothing");
	is_number(-pmudev_set_array_why(&array, NULL), EFAULT, "  which is remembered");
	pmudev_set_array_close(&array);
	pmudev_set_array_close(&array);
}

int main(void)
{
	test_null();
	test_zeroes();
	test_closed();
	test_reader();
	test_array_null();
	test_array_zeroes();
	return tap_end();
}
