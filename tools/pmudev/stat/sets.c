// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "../common/cmd.h"
#include "../common/fit.h"
#include "../common/parts.h"
#include "sets.h"

int sets_refused(struct sets *sets, const struct event_list *list)
{
	complain_array(sets->last, list);
	return EXIT_NOT_RUN;
}

static int open_target(const struct stat_options *options, unsigned int n,
		       struct pmudev_set_array *array, pid_t child)
{
	unsigned int flags = options->inherit ? PMUDEV_BIND_INHERIT : 0;

	if (options->target.kind == TARGET_NONE && !options->delay)
		flags |= PMUDEV_BIND_ON_EXEC;
	if (options->target.kind == TARGET_NONE)
		return pmudev_set_array_task(array, PMUDEV_TARGET_TASK, child, flags);
	return target_open_nth(&options->target, n, array, flags);
}

static int add_events(struct pmudev_set_array *array, struct event_list *list, const uint32_t *pmus,
		      struct stat_run *run)
{
	struct pmudev_refusal why;
	int error;

	do {
		error = pmudev_set_array_add_on(array, list->attrs, list->nr, pmus);
		pmudev_set_array_why(array, &why);
	} while (error && give_way(list, &why, &run->user_only, &run->cycles));
	return error;
}

/* The set that refused last: of parts the first one that has the event. */
static unsigned int refusing(struct pmudev_set_array *array, const uint32_t *pmus,
			     const struct pmudev_refusal *why)
{
	unsigned int i;

	for (i = 0; i + 1 < array->nr; i++)
		if (array->cpus[i] == array->cpu &&
		    (!array->parts || why->event < 0 || pmus[why->event] >> i & 1))
			break;
	return i;
}

bool sets_lack_counters(struct sets *sets)
{
	struct pmudev_refusal why;

	pmudev_set_array_why(sets->last, &why);
	return why.code == PMUDEV_WHY_NO_COUNTER || why.code == PMUDEV_WHY_HELD;
}

bool sets_can_rotate(const struct sets *sets, const struct event_list *list)
{
	return parts_can_rotate(sets->last, list);
}

void sets_advise(const struct measurement *m, struct sets *sets)
{
	struct pmudev_set_array *array = sets->last;
	const uint32_t *pmus = sets->pmus;
	const struct event_list *list = &m->list;
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	struct pmudev_refusal why;
	struct pmudev_query query;
	struct event_list part;

	if (!array->nr || !sets_lack_counters(sets))
		return;
	if (m->metrics.nr > 1 && !m->options.multiplex)
		complain("the metrics do not fit on the counters together: name fewer, or use "
			 "--multiplex, which counts each for a part of the time");
	pmudev_set_array_why(array, &why);
	i = refusing(array, pmus, &why);
	if (!parts_query(array, i, &query))
		return;
	parts_list(list, pmus, query.pmu, &part, index);
	/* Try copies of its groups as multiplexed: those in the set are not. */
	pmudev_remove(&array->sets[i], PMUDEV_ALL);
	if (!m->options.multiplex && parts_can_rotate(array, list) &&
	    fit_multiplexed(&array->sets[i], &part))
		complain("--multiplex lets the events share counters, and estimates their counts");
	complain("`pmudev explain` with the same events shows who holds which counter");
}

void sets_multiplex(struct measurement *m)
{
	unsigned int i;

	m->options.multiplex = true;
	for (i = 0; i < m->list.nr; i++)
		m->list.attrs[i].flags |= PMUDEV_MULTIPLEX;
}

int sets_enable(struct sets *sets)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < sets->nr && !error; i++) {
		sets->last = &sets->arrays[i];
		error = pmudev_set_array_enable(sets->last, PMUDEV_ALL);
		/* Of several targets some may have ended. */
		if (error == -ESRCH && sets->nr > 1)
			error = 0;
	}
	return error;
}

int sets_disable(struct sets *sets)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < sets->nr && !error; i++) {
		sets->last = &sets->arrays[i];
		error = pmudev_set_array_disable(sets->last, PMUDEV_ALL);
	}
	return error;
}

unsigned int sets_records(const struct sets *sets)
{
	unsigned int i, nr = 0;

	for (i = 0; i < sets->nr; i++)
		nr += sets->arrays[i].nr;
	return nr;
}

int sets_read(struct sets *sets, union pmudev_record_buffer *records)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < sets->nr && !error; i++) {
		sets->last = &sets->arrays[i];
		error = pmudev_set_array_records(sets->last, records);
		records += sets->last->nr;
	}
	return error;
}

void sets_sum(const struct sets *sets, unsigned int array, uint32_t set,
	      const union pmudev_record_buffer *before, const union pmudev_record_buffer *after,
	      struct pmudev_total *total)
{
	unsigned int i, at = 0;

	for (i = 0; i < array; i++)
		at += sets->arrays[i].nr;
	pmudev_set_array_sum(&sets->arrays[array], set, before ? before + at : NULL, after + at,
			     total);
}

void sets_close(struct sets *sets)
{
	unsigned int i;

	for (i = 0; i < sets->nr; i++)
		pmudev_set_array_close(&sets->arrays[i]);
	free(sets->arrays);
	sets->arrays = NULL;
	sets->nr = 0;
}

/* Return: 0, an exit status, or negative: the array was refused. */
static int open_one(struct measurement *m, struct sets *sets, unsigned int n, pid_t child)
{
	struct pmudev_set_array *array = &sets->arrays[n];
	struct event_list *list = &m->list;
	int error;

	sets->last = array;
	error = open_target(&m->options, n, array, child);
	if (error)
		return error;
	if (m->options.multiplex && !parts_check_rotate(array, list))
		return EXIT_USAGE;
	if (!parts_find(&array->sets[0], list, sets->pmus)) {
		complain_events(&array->sets[0], list);
		return EXIT_NOT_RUN;
	}
	return add_events(array, list, sets->pmus, &m->run);
}

int sets_open(struct measurement *m, struct sets *sets, pid_t child)
{
	const unsigned int nr = m->list.nr ? target_arrays(&m->options.target) : 0;
	int error = 0;

	sets->arrays = calloc(nr + 1, sizeof(*sets->arrays));
	sets->nr = 0;
	if (!sets->arrays) {
		complain("no memory left");
		return EXIT_NOT_RUN;
	}
	while (!error && sets->nr < nr)
		error = open_one(m, sets, sets->nr++, child);
	return error;
}
