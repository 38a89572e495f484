// SPDX-License-Identifier: BSD-3-Clause
/*
 * An EventSet's set of pmudev: it is made anew whenever events or options change.
 */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux-pmudev.h"

/* ------------------------------------------------------------------- making the set -- */

/* The levels that the domain leaves out */
static uint32_t excluded(int domain)
{
	uint32_t flags = 0;

	if (!(domain & PAPI_DOM_USER))
		flags |= PMUDEV_EXCLUDE_USER;
	if (!(domain & PAPI_DOM_KERNEL))
		flags |= PMUDEV_EXCLUDE_KERNEL;
	if (!(domain & PAPI_DOM_SUPERVISOR))
		flags |= PMUDEV_EXCLUDE_HV;
	return flags;
}

/* Only the counted thread reads directly, and what is scaled needs the times, too. */
static bool reads_directly(const struct pmudev_control *ctl)
{
	const struct pmudev_options *options = &ctl->options;

	return _pmudev_vector.cmp_info.fast_counter_read && !options->inherit &&
	       !options->multiplexed && !options->tid && options->cpu < 0;
}

/* Return: mask of the PMUs that have all of its events; PAPI's number of the error. */
static int fill_attrs(const struct pmudev_control *ctl, struct pmudev_event_attr *attrs,
		      uint32_t *pmus)
{
	const struct pmudev_native *native;
	unsigned int i;

	*pmus = UINT32_MAX;
	for (i = 0; i < ctl->nr; i++) {
		native = pmudev_names_get(ctl->event[i]);
		if (!native)
			return PAPI_ENOEVNT;
		attrs[i] = native->attr;
		attrs[i].flags |= excluded(ctl->options.domain) & ~native->levels;
		if (reads_directly(ctl))
			attrs[i].flags |= PMUDEV_USER_READ;
		if (ctl->options.multiplexed)
			attrs[i].flags |= PMUDEV_MULTIPLEX;
		attrs[i].group = ctl->options.multiplexed ? i : 0;
		if (native->pmus)
			*pmus &= native->pmus;
	}
	return *pmus ? PAPI_OK : PAPI_ECNFLCT;
}

/* Where CPUs are of several kinds a set counts on one kind: the first that has all events. */
static int bind_set(struct pmudev_control *ctl, uint32_t pmus)
{
	const unsigned int flags = ctl->options.inherit ? PMUDEV_BIND_INHERIT : 0;
	struct pmudev_query query;
	int error;

	/* As with perf, readers on that CPU may see its counts where the hardware shows them. */
	if (ctl->options.cpu >= 0)
		return pmudev_bind_cpu(&ctl->set, ctl->options.cpu, PMUDEV_BIND_SHARED);
	error = pmudev_query(&ctl->set, 0, &query);
	if (error)
		return error;
	if (query.nr_pmus > 1)
		return pmudev_bind_pmu(&ctl->set, PMUDEV_TARGET_TASK, ctl->options.tid,
				       __builtin_ctz(pmus), flags);
	return pmudev_bind_task(&ctl->set, ctl->options.tid, flags);
}

static int add_events(struct pmudev_control *ctl, struct pmudev_event_attr *attrs)
{
	int32_t counters[PMUDEV_MAX_EVENTS];
	unsigned int i;
	int error;

	error = pmudev_add(&ctl->set, attrs, ctl->nr, NULL);
	if (!error || !reads_directly(ctl))
		goto added;
	/* Some events cannot be read directly: then none is. */
	for (i = 0; i < ctl->nr; i++)
		attrs[i].flags &= ~PMUDEV_USER_READ;
	error = pmudev_add(&ctl->set, attrs, ctl->nr, NULL);
added:
	/* Whether there are counters for all of them, which PAPI wants to know now. */
	return error ? error : pmudev_place(&ctl->set, NULL, 0, counters);
}

int pmudev_rebuild(struct pmudev_control *ctl)
{
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
	uint32_t pmus;
	int error;

	pmudev_close(&ctl->set);
	if (!ctl->nr && !ctl->options.tid && ctl->options.cpu < 0)
		return PAPI_OK;
	error = fill_attrs(ctl, attrs, &pmus);
	if (error)
		return error;
	error = pmudev_open(&ctl->set);
	if (!error)
		error = bind_set(ctl, pmus);
	if (!error && ctl->nr)
		error = add_events(ctl, attrs);
	/* Without the page, reads are system calls. */
	if (!error && ctl->nr && reads_directly(ctl))
		pmudev_map(&ctl->set);
	error = pmudev_papi_error(&ctl->set, error);
	if (error || !ctl->nr)
		pmudev_close(&ctl->set);
	return error;
}

/* --------------------------------------------------------------------------- options -- */

/* Tries other options; if they are refused the EventSet stays as it was. */
static int change(struct pmudev_control *ctl, const struct pmudev_options *options)
{
	const struct pmudev_options before = ctl->options;
	int error;

	ctl->options = *options;
	error = pmudev_rebuild(ctl);
	if (error) {
		ctl->options = before;
		pmudev_rebuild(ctl);
	}
	return error;
}

static int granularity(struct pmudev_options *options, int wanted)
{
	switch (wanted) {
	case PAPI_GRN_THR:
		options->cpu = -1;
		return PAPI_OK;
	case PAPI_GRN_SYS:
		options->cpu = sched_getcpu();
		return PAPI_OK;
	case PAPI_GRN_PROC:
	case PAPI_GRN_PROCG:
	case PAPI_GRN_SYS_CPU:
		return PAPI_ECMP;
	default:
		return PAPI_EINVAL;
	}
}

/* NULL: the option is not one of an EventSet. */
static EventSetInfo_t *event_set(int code, _papi_int_option_t *option)
{
	switch (code) {
	case PAPI_MULTIPLEX:
		return option->multiplex.ESI;
	case PAPI_ATTACH:
	case PAPI_DETACH:
		return option->attach.ESI;
	case PAPI_CPU_ATTACH:
		return option->cpu.ESI;
	case PAPI_DOMAIN:
		return option->domain.ESI;
	case PAPI_GRANUL:
		return option->granularity.ESI;
	case PAPI_INHERIT:
		return option->inherit.ESI;
	default:
		return NULL;
	}
}

int pmudev_control(hwd_context_t *context, int code, _papi_int_option_t *option)
{
	EventSetInfo_t *ESI = event_set(code, option);
	struct pmudev_options changed;
	struct pmudev_control *ctl;
	int error = PAPI_OK;

	(void)context;
	/* PAPI's own timer, of which there is one for all components */
	if (code == PAPI_DEF_ITIMER || code == PAPI_DEF_ITIMER_NS)
		return PAPI_OK;
	if (!ESI)
		return PAPI_ENOSUPP;
	ctl = (struct pmudev_control *)ESI->ctl_state;
	changed = ctl->options;
	switch (code) {
	case PAPI_MULTIPLEX:
		changed.multiplexed = true;
		break;
	case PAPI_ATTACH:
		changed.tid = option->attach.tid;
		break;
	case PAPI_DETACH:
		changed.tid = 0;
		break;
	case PAPI_CPU_ATTACH:
		changed.cpu = option->cpu.cpu_num;
		break;
	case PAPI_DOMAIN:
		changed.domain = option->domain.domain;
		break;
	case PAPI_GRANUL:
		error = granularity(&changed, option->granularity.granularity);
		break;
	case PAPI_INHERIT:
		changed.inherit = option->inherit.inherit;
		break;
	}
	/* Others would get signals that they know nothing of. */
	if (ctl->nr_periods &&
	    (changed.inherit || (changed.tid && changed.tid != (pid_t)syscall(SYS_gettid))))
		return PAPI_ENOSUPP;
	return error ? error : change(ctl, &changed);
}

/* PAPI calls this before there are events, and ctl() afterwards. */
int pmudev_set_domain(hwd_control_state_t *state, int domain)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;

	if (!(domain & (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR)))
		return PAPI_EINVAL;
	ctl->options.domain = domain;
	return PAPI_OK;
}
