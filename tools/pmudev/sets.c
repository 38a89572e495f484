// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"
#include "fit.h"
#include "parts.h"
#include "sets.h"
#include "watch.h"

int sets_refused(struct pmudev_bundle *bundle, const struct event_list *list)
{
	complain_bundle(bundle, list);
	return EXIT_NOT_RUN;
}

static int open_target(const struct stat_options *options, struct pmudev_bundle *bundle,
		       pid_t child)
{
	unsigned int flags = options->inherit ? PMUDEV_BIND_INHERIT : 0;

	if (options->target.kind == TARGET_NONE && !options->delay)
		flags |= PMUDEV_BIND_ON_EXEC;
	if (options->target.kind == TARGET_NONE)
		return pmudev_bundle_task(bundle, PMUDEV_TARGET_TASK, child, flags);
	return target_open(&options->target, bundle, flags);
}

static int add_events(struct pmudev_bundle *bundle, struct event_list *list, const uint32_t *pmus,
		      struct stat_run *run)
{
	struct pmudev_refusal why;
	int error;

	do {
		error = pmudev_bundle_add_on(bundle, list->attrs, list->nr, pmus);
		pmudev_bundle_why(bundle, &why);
	} while (error && give_way(list, &why, &run->user_only, &run->cycles));
	return error;
}

/* The set that refused last: of parts the first one that has the event. */
static unsigned int refusing(struct pmudev_bundle *bundle, const uint32_t *pmus,
			     const struct pmudev_refusal *why)
{
	unsigned int i;

	for (i = 0; i + 1 < bundle->nr; i++)
		if (bundle->cpus[i] == bundle->cpu &&
		    (!bundle->parts || why->event < 0 || pmus[why->event] >> i & 1))
			break;
	return i;
}

/* Why the bundle's last call was refused: for want of counters? */
static bool lacks_counters(struct pmudev_bundle *bundle)
{
	struct pmudev_refusal why;

	pmudev_bundle_why(bundle, &why);
	return why.code == PMUDEV_WHY_NO_COUNTER || why.code == PMUDEV_WHY_HELD;
}

void sets_advise(const struct measurement *m, struct pmudev_bundle *bundle, const uint32_t *pmus)
{
	const struct event_list *list = &m->list;
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	struct pmudev_refusal why;
	struct pmudev_query query;
	struct event_list part;

	if (!bundle->nr || !lacks_counters(bundle))
		return;
	pmudev_bundle_why(bundle, &why);
	i = refusing(bundle, pmus, &why);
	if (!parts_query(bundle, i, &query))
		return;
	parts_list(list, pmus, query.pmu, &part, index);
	/* Its groups are tried anew: as they are in the set, they are another kind. */
	pmudev_remove(&bundle->sets[i], PMUDEV_ALL);
	if (!m->options.multiplex && parts_can_turn(bundle, list) &&
	    fit_multiplexed(&bundle->sets[i], &part))
		complain("--multiplex lets the events take turns, and estimates their counts");
	complain("`pmudev explain` with the same events tells who has which counter");
}

void sets_take_turns(struct measurement *m)
{
	unsigned int i;

	m->options.multiplex = true;
	for (i = 0; i < m->list.nr; i++)
		m->list.attrs[i].flags |= PMUDEV_MULTIPLEX;
}

int sets_enable(struct measurement *m, struct pmudev_bundle *bundle)
{
	m->run.start = watch_now();
	return pmudev_bundle_enable(bundle, PMUDEV_ALL);
}

/* Return: 0, an exit status, or negative: the bundle was refused. */
static int try(struct measurement *m, struct pmudev_bundle *bundle, uint32_t *pmus, pid_t child)
{
	struct event_list *list = &m->list;
	int error = open_target(&m->options, bundle, child);

	if (error)
		return error;
	if (m->options.multiplex && !parts_check_turns(bundle, list))
		return EXIT_USAGE;
	if (!parts_find(&bundle->sets[0], list, pmus)) {
		complain_events(&bundle->sets[0], list);
		return EXIT_NOT_RUN;
	}
	error = add_events(bundle, list, pmus, &m->run);
	if (!error && !m->options.delay)
		error = sets_enable(m, bundle);
	return error;
}

int sets_open(struct measurement *m, struct pmudev_bundle *bundle, uint32_t *pmus, pid_t child)
{
	int error = try(m, bundle, pmus, child);

	/* More events are convenience, and no reason to count none. */
	if (error < 0 && m->options.detailed && !m->options.multiplex && lacks_counters(bundle) &&
	    parts_can_turn(bundle, &m->list)) {
		pmudev_bundle_close(bundle);
		m->run.shared = true;
		sets_take_turns(m);
		error = try(m, bundle, pmus, child);
	}
	if (error >= 0)
		return error;
	error = sets_refused(bundle, &m->list);
	sets_advise(m, bundle, pmus);
	return error;
}
