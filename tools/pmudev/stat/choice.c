// SPDX-License-Identifier: GPL-2.0
/*
 * The events of `pmudev stat`: those that were named, or perf's by default as far as they can be
 * counted.
 */
#include <errno.h>
#include <string.h>

#include "../common/choice.h"
#include "../common/cmd.h"
#include "../common/detailed.h"
#include "stat.h"

bool stat_choose_events(struct measurement *m)
{
	struct stat_options *options = &m->options;
	struct choice choice = {
		.events = &options->events,
		.names = options->metrics,
		.multiplex = options->multiplex,
		.detailed = options->detailed,
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
		.instructions = options->repeatability,
		.list = &m->list,
		.software = &m->software,
		.metrics = &m->metrics,
		.missing = m->missing,
		.missing_size = sizeof(m->missing),
	};

	if (options->null)
		return true;
	if (!choose_events(&choice))
		return false;
	m->by_default = choice.by_default;
	m->optional = choice.optional;
	if (options->repeatability && !m->list.nr) {
		complain("--repeatability looks at an event of the CPU: -e has none");
		return false;
	}
	return true;
}

/* --------------------------------------------------------------------- leaving out -- */

/* The default order: the kernel's, then the PMU's. */
static void reorder(struct measurement *m)
{
	struct software *software = &m->software;
	unsigned int i, n = 0;

	software->hardware = m->list.nr;
	for (i = 0; i < software->nr; i++)
		software->order[n++] = m->list.nr + i;
	for (i = 0; i < m->list.nr; i++)
		software->order[n++] = i;
	software_append(software, &m->list);
}

void stat_leave_out_optional(struct measurement *m)
{
	unsigned int i;

	for (i = m->list.nr - m->optional; i < m->list.nr; i++)
		detailed_miss(m->left_out, sizeof(m->left_out), m->list.events[i].name);
	m->list.nr -= m->optional;
	m->optional = 0;
	reorder(m);
}

void stat_leave_out_software(struct measurement *m, unsigned int event, int error)
{
	struct software *software = &m->software;
	const unsigned int behind = software->nr - event - 1;

	if (error == -EACCES || error == -EPERM)
		detailed_miss(m->forbidden, sizeof(m->forbidden), software->names[event]);
	else
		detailed_miss(m->unknown, sizeof(m->unknown), software->names[event]);
	memmove(&software->events[event], &software->events[event + 1],
		behind * sizeof(*software->events));
	memmove(&software->names[event], &software->names[event + 1],
		behind * sizeof(*software->names));
	memmove(&software->user_only[event], &software->user_only[event + 1],
		behind * sizeof(*software->user_only));
	memmove(&software->kernel_only[event], &software->kernel_only[event + 1],
		behind * sizeof(*software->kernel_only));
	software->nr--;
	reorder(m);
}
