// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of processes: a set for each, which counts all threads that it has and will have. What a
 * process did before it was found is in no row.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/descriptors.h"
#include "../common/json.h"
#include "refused.h"
#include "top.h"

/* Descriptors for all but sets. */
#define OTHER_FILES 24

/**
 * struct process - one that is counted
 * @row: its row
 * @array: its set; several where CPUs are of several kinds
 * @before: the last reading of each set
 * @now: room for the next
 */
struct process {
	struct row row;
	struct pmudev_set_array array;
	union pmudev_record_buffer *before;
	union pmudev_record_buffer *now;
};

/**
 * struct processes - all of them
 * @folder: /proc
 * @files: how many descriptors there may be
 * @used: how many of these are of sets
 * @refused: those that are not counted
 * @nr: how many processes
 * @room: for so many
 * @all: each of them, by its number
 */
struct processes {
	DIR *folder;
	unsigned long files;
	unsigned long used;
	struct refused refused;
	unsigned int nr;
	unsigned int room;
	struct process **all;
};

static bool no_memory(struct top *top)
{
	snprintf(top->error, sizeof(top->error), "no memory left");
	return false;
}

/* ------------------------------------------------------------------------ left out -- */

static void leave_out(struct top *top, const char *why)
{
	unsigned int i;

	for (i = 0; i < top->nr_left_out && strcmp(top->left_out[i].why, why); i++)
		;
	if (i == top->nr_left_out && i < MAX_LEFT_OUT)
		top->left_out[top->nr_left_out++] = (struct left_out){ .why = why };
	top->left_out[i < MAX_LEFT_OUT ? i : MAX_LEFT_OUT - 1].nr++;
}

/* One that has just ended is not left out. */
static void leave_out_refused(struct top *top, struct pmudev_set_array *array, int pid)
{
	struct processes *p = top->state;
	const char *reason;
	struct pmudev_refusal why = { .code = PMUDEV_OK };
	int error = pmudev_set_array_why(array, &why);

	if (error == -ESRCH)
		return;
	if (!top->nr_left_out)
		counting_explain(&top->counting, array, top->error, sizeof(top->error));
	reason = reason_of(error, &why);
	leave_out(top, reason);
	refused_add(&p->refused, pid, reason, watch_now());
}

/* --------------------------------------------------------------------- one process -- */

static void close_process(struct processes *p, struct process *process)
{
	p->used -= process->array.nr;
	pmudev_set_array_close(&process->array);
	row_close(&process->row);
	free(process->before);
	free(process->now);
	free(process);
}

static void read_name(struct process *process)
{
	char path[64];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/comm", process->row.id);
	in = fopen(path, "re");
	if (!in)
		return;
	if (fgets(process->row.name, sizeof(process->row.name), in))
		process->row.name[strcspn(process->row.name, "\n")] = '\0';
	fclose(in);
	utf8_printable(process->row.name);
}

/* Memory for its readings, and the first of them. */
static bool first_reading(struct process *process)
{
	const unsigned int nr = process->array.nr;

	process->before = calloc(nr, sizeof(*process->before));
	process->now = calloc(nr, sizeof(*process->now));
	return process->before && process->now &&
	       !pmudev_set_array_records(&process->array, process->before);
}

static int open_set(struct counting *c, struct pmudev_set_array *array, int pid)
{
	int error = pmudev_set_array_task(array, PMUDEV_TARGET_PROCESS, pid, 0);

	return error ? error : counting_start(c, array);
}

static bool make_room(struct processes *p)
{
	struct process **all;

	if (p->nr < p->room)
		return true;
	all = reallocarray(p->all, 2 * p->room + 64, sizeof(*all));
	if (!all)
		return false;
	p->all = all;
	p->room = 2 * p->room + 64;
	return true;
}

static void add_process(struct top *top, int pid)
{
	struct processes *p = top->state;
	const char *refused = refused_before(&p->refused, pid, watch_now());
	struct process *process;

	if (refused) {
		leave_out(top, refused);
		return;
	}
	if (p->used + OTHER_FILES > p->files) {
		leave_out(top, "too many open files, see `ulimit -n`");
		return;
	}
	process = calloc(1, sizeof(*process));
	if (!process || !make_room(p) || !row_open(&process->row, pid, &top->columns)) {
		free(process);
		leave_out(top, "no memory left");
		return;
	}
	if (!open_set(&top->counting, &process->array, pid) && first_reading(process)) {
		p->used += process->array.nr;
		read_name(process);
		p->all[p->nr++] = process;
		return;
	}
	leave_out_refused(top, &process->array, pid);
	p->used += process->array.nr;
	close_process(p, process);
}

/* --------------------------------------------------------------------- all of them -- */

static int by_number(const void *a, const void *b)
{
	const struct process *one = *(struct process *const *)a;
	const struct process *other = *(struct process *const *)b;

	return one->row.id < other->row.id ? -1 : one->row.id > other->row.id;
}

/* Of the first @nr, which are sorted. */
static bool is_there(const struct processes *p, unsigned int nr, int pid)
{
	struct process wanted = { .row = { .id = pid } }, *key = &wanted;

	return p->all && bsearch(&key, p->all, nr, sizeof(key), by_number);
}

/* Is it in the list of -p already, before the nth? */
static bool was_named(const struct target *target, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (target->ids[i] == target->ids[n])
			return true;
	return false;
}

/* Those that are not counted yet, and may be. */
static void find_processes(struct top *top)
{
	struct processes *p = top->state;
	const unsigned int before = p->nr;
	struct dirent *entry;
	unsigned int i;

	top->nr_left_out = 0;
	for (i = 0; i < top->processes.nr_ids; i++)
		if (!was_named(&top->processes, i) && !is_there(p, before, top->processes.ids[i]))
			add_process(top, top->processes.ids[i]);
	rewinddir(p->folder);
	while (!top->processes.nr_ids && (entry = readdir(p->folder)))
		if (isdigit((unsigned char)*entry->d_name) &&
		    !is_there(p, before, atoi(entry->d_name)))
			add_process(top, atoi(entry->d_name));
	qsort(p->all, p->nr, sizeof(*p->all), by_number);
	refused_tidy(&p->refused);
}

/* Those that had ended when they were shown last. */
static void forget_ended(struct processes *p)
{
	unsigned int i, nr = 0;

	for (i = 0; i < p->nr; i++) {
		if (p->all[i]->row.flags & PMUDEV_RECORD_ENDED)
			close_process(p, p->all[i]);
		else
			p->all[nr++] = p->all[i];
	}
	p->nr = nr;
}

static bool sample_process(struct top *top, struct process *process)
{
	union pmudev_record_buffer *last = process->before;
	struct pmudev_total total;

	if (pmudev_set_array_records(&process->array, process->now)) {
		counting_explain(&top->counting, &process->array, top->error, sizeof(top->error));
		return false;
	}
	pmudev_set_array_sum(&process->array, PMUDEV_ALL, process->before, process->now, &total);
	row_update(&process->row, &top->columns, &total,
		   process->now->record.time - last->record.time);
	process->before = process->now;
	process->now = last;
	read_name(process);
	return true;
}

static bool processes_sample(struct top *top)
{
	struct processes *p = top->state;
	struct row **rows;
	unsigned int i;

	forget_ended(p);
	for (i = 0; i < p->nr; i++)
		if (!sample_process(top, p->all[i]))
			return false;
	rows = reallocarray(top->rows, p->nr + 1, sizeof(*rows));
	if (!rows)
		return no_memory(top);
	top->rows = rows;
	top->nr = p->nr;
	top->gone = top->processes.nr_ids;
	for (i = 0; i < p->nr; i++) {
		rows[i] = &p->all[i]->row;
		top->gone &= !!(rows[i]->flags & PMUDEV_RECORD_ENDED);
	}
	find_processes(top);
	return true;
}

/* ------------------------------------------------------------------- begin and end -- */

static void processes_close(struct top *top)
{
	struct processes *p = top->state;

	while (p->nr)
		close_process(p, p->all[--p->nr]);
	free(p->all);
	refused_free(&p->refused);
	if (p->folder)
		closedir(p->folder);
	free(p);
	top->state = NULL;
}

/* Which events can be counted here is found out with this process. */
static bool try_events(struct top *top)
{
	struct pmudev_set_array array = { .nr = 0 };
	int error;

	do {
		error = open_set(&top->counting, &array, getpid());
		pmudev_set_array_close(&array);
	} while (error && counting_give_up_event(&top->counting, &array));
	if (error)
		counting_explain(&top->counting, &array, top->error, sizeof(top->error));
	return !error;
}

static bool find_first(struct top *top)
{
	struct processes *p = top->state;

	columns_make(&top->columns, &top->counting, true);
	find_processes(top);
	if (!p->nr && !*top->error)
		snprintf(top->error, sizeof(top->error), "there is no such process");
	return p->nr;
}

static bool processes_open(struct top *top)
{
	struct processes *p = calloc(1, sizeof(*p));

	top->state = p;
	if (!p)
		return no_memory(top);
	p->files = descriptors_raise();
	p->folder = opendir("/proc");
	if (!p->folder)
		snprintf(top->error, sizeof(top->error), "cannot read /proc: %s", strerror(errno));
	else if (try_events(top) && find_first(top))
		return true;
	processes_close(top);
	return false;
}

const struct source source_processes = {
	.one = "process",
	.noun = "processes",
	.open = processes_open,
	.sample = processes_sample,
	.close = processes_close,
};
