// SPDX-License-Identifier: GPL-2.0
#include "../common/cmd.h"
#include "../common/fit.h"
#include "../common/parts.h"
#include "../common/watch.h"
#include "sets.h"

int sets_refused(struct pmudev_set_array *array, const struct event_list *list)
{
	complain_array(array, list);
	return EXIT_NOT_RUN;
}

static int open_target(const struct stat_options *options, struct pmudev_set_array *array,
		       pid_t child)
{
	unsigned int flags = options->inherit ? PMUDEV_BIND_INHERIT : 0;

	if (options->target.kind == TARGET_NONE && !options->delay)
		flags |= PMUDEV_BIND_ON_EXEC;
	if (options->target.kind == TARGET_NONE)
		return pmudev_set_array_task(array, PMUDEV_TARGET_TASK, child, flags);
	return target_open(&options->target, array, flags);
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

/* Was the array's last call refused because counters were missing? */
static bool lacks_counters(struct pmudev_set_array *array)
{
	struct pmudev_refusal why;

	pmudev_set_array_why(array, &why);
	return why.code == PMUDEV_WHY_NO_COUNTER || why.code == PMUDEV_WHY_HELD;
}

void sets_advise(const struct measurement *m, struct pmudev_set_array *array, const uint32_t *pmus)
{
	const struct event_list *list = &m->list;
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	struct pmudev_refusal why;
	struct pmudev_query query;
	struct event_list part;

	if (!array->nr || !lacks_counters(array))
		return;
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

int sets_enable(struct measurement *m, struct pmudev_set_array *array)
{
	m->run.start = watch_now();
	return pmudev_set_array_enable(array, PMUDEV_ALL);
}

/* Return: 0, an exit status, or negative: the array was refused. */
static int try(struct measurement *m, struct pmudev_set_array *array, uint32_t *pmus, pid_t child)
{
	struct event_list *list = &m->list;
	int error = open_target(&m->options, array, child);

	if (error)
		return error;
	if (m->options.multiplex && !parts_check_rotate(array, list))
		return EXIT_USAGE;
	if (!parts_find(&array->sets[0], list, pmus)) {
		complain_events(&array->sets[0], list);
		return EXIT_NOT_RUN;
	}
	error = add_events(array, list, pmus, &m->run);
	if (!error && !m->options.delay)
		error = sets_enable(m, array);
	return error;
}

int sets_open(struct measurement *m, struct pmudev_set_array *array, uint32_t *pmus, pid_t child)
{
	int error = try(m, array, pmus, child);

	/* Extra events must not prevent counting. */
	if (error < 0 && m->options.detailed && !m->options.multiplex && lacks_counters(array) &&
	    parts_can_rotate(array, &m->list)) {
		pmudev_set_array_close(array);
		m->run.shared = true;
		sets_multiplex(m);
		error = try(m, array, pmus, child);
	}
	if (error >= 0)
		return error;
	error = sets_refused(array, &m->list);
	sets_advise(m, array, pmus);
	return error;
}
