// SPDX-License-Identifier: BSD-3-Clause
/*
 * PAPI's component pmudev: the CPU's counters through /dev/pmudev.
 *
 * Counts are exact: the events of an EventSet are on counters together all the time, or PAPI says
 * that they do not fit (PAPI_ECNFLCT) when one is added or started. Events take turns only in
 * EventSets that are multiplexed. The counted thread reads without a system call.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux-pmudev.h"
#include "papi_preset.h"
#include "threads.h"

/* -------------------------------------------------------------------------- errors -- */

int pmudev_papi_error(struct pmudev *set, int error)
{
	char text[512];

	if (error && set && getenv("PAPI_PMUDEV_EXPLAIN")) {
		pmudev_explain(set, text, sizeof(text));
		fprintf(stderr, "PAPI: pmudev: %s\n", text);
	}
	switch (-error) {
	case 0:
		return PAPI_OK;
	case ENOSPC:
	case EBUSY:
		return PAPI_ECNFLCT;
	case ENOENT:
		return PAPI_ENOEVNT;
	case EPERM:
	case EACCES:
		return PAPI_EPERM;
	case EOPNOTSUPP:
	case ENODEV:
		return PAPI_ENOSUPP;
	case ENOMEM:
		return PAPI_ENOMEM;
	case EDQUOT:
	case EMFILE:
	case ENFILE:
		return PAPI_ECOUNT;
	case EINVAL:
		return PAPI_EINVAL;
	default:
		return PAPI_ESYS;
	}
}

/* ----------------------------------------------------------------------- an EventSet -- */

static int init_control_state(hwd_control_state_t *state)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;

	memset(ctl, 0, sizeof(*ctl));
	ctl->options.domain = _pmudev_vector.cmp_info.default_domain;
	ctl->options.cpu = -1;
	return PAPI_OK;
}

static int update_control_state(hwd_control_state_t *state, NativeInfo_t *native, int count,
				hwd_context_t *context)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;
	int i;

	(void)context;
	if (count > PMUDEV_MAX_EVENTS)
		return PAPI_ECOUNT;
	for (i = 0; i < count; i++) {
		ctl->event[i] = native[i].ni_event;
		native[i].ni_position = i;
	}
	ctl->nr = count;
	if (!count) {
		pmudev_close(&ctl->set);
		return PAPI_OK;
	}
	return pmudev_rebuild(ctl);
}

/* --------------------------------------------------------------------------- counting -- */

static int start(hwd_context_t *context, hwd_control_state_t *state)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;
	int error;

	(void)context;
	error = pmudev_reset_group(&ctl->set, PMUDEV_ALL, 0);
	if (!error)
		error = pmudev_overflow_arm(ctl);
	if (!error)
		error = pmudev_enable(&ctl->set, PMUDEV_ALL);
	return pmudev_papi_error(&ctl->set, error);
}

static int stop(hwd_context_t *context, hwd_control_state_t *state)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;

	(void)context;
	return pmudev_papi_error(&ctl->set, pmudev_disable(&ctl->set, PMUDEV_ALL));
}

/* An event that had no turn yet is 0, as perf has it. */
static int read_scaled(struct pmudev_control *ctl)
{
	union pmudev_record_buffer buffer;
	const struct pmudev_count *count;
	uint64_t whole;
	unsigned int i;
	int error;

	error = pmudev_read(&ctl->set, &buffer.record, sizeof(buffer));
	for (i = 0; !error && i < ctl->nr; i++) {
		count = &buffer.record.counts[i];
		whole = 0;
		pmudev_scale(count->value, count->time_enabled, count->time_running, &whole);
		ctl->counts[i] = whole;
	}
	return error;
}

static int read_counts(hwd_context_t *context, hwd_control_state_t *state, long long **counts,
		       int flags)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;
	int error;

	(void)context;
	(void)flags;
	if (ctl->options.multiplexed)
		error = read_scaled(ctl);
	else
		error = pmudev_read_counts(&ctl->set, (uint64_t *)ctl->counts, ctl->nr);
	*counts = ctl->counts;
	return pmudev_papi_error(&ctl->set, error);
}

static int reset(hwd_context_t *context, hwd_control_state_t *state)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;

	(void)context;
	return pmudev_papi_error(&ctl->set, pmudev_reset_group(&ctl->set, PMUDEV_ALL, 0));
}

static int write_counts(hwd_context_t *context, hwd_control_state_t *state, long long *counts)
{
	struct pmudev_control *ctl = (struct pmudev_control *)state;
	unsigned int i;
	int error = 0;

	(void)context;
	for (i = 0; !error && i < ctl->nr; i++)
		error = pmudev_reset_slot(&ctl->set, i, counts[i]);
	return pmudev_papi_error(&ctl->set, error);
}

/* ------------------------------------------------------------------------ the component -- */

static int init_thread(hwd_context_t *context)
{
	memset(context, 0, sizeof(struct pmudev_context));
	return PAPI_OK;
}

static int shutdown_thread(hwd_context_t *context)
{
	(void)context;
	return PAPI_OK;
}

/* Opens a set to learn about the machine. */
static int query_machine(papi_vector_t *component)
{
	PAPI_component_info_t *info = &component->cmp_info;
	struct pmudev_query query;
	struct pmudev set;
	int error;

	error = pmudev_open(&set);
	if (!error)
		error = pmudev_query(&set, 0, &query);
	if (error) {
		pmudev_explain(&set, info->disabled_reason, sizeof(info->disabled_reason));
		pmudev_close(&set);
		return PAPI_ENOSUPP;
	}
	pmudev_close(&set);
	info->fast_counter_read =
		(query.features & PMUDEV_HAS_USER_READ) && (query.state & PMUDEV_STATE_USER_ACCESS);
	info->num_cntrs = __builtin_popcountll(query.available);
	info->hardware_intr = !!(query.features & PMUDEV_HAS_DEADLINE);
	snprintf(info->kernel_version, sizeof(info->kernel_version), "ABI %u", query.abi);
	return PAPI_OK;
}

/*
 * PAPI takes presets from its first component only, and looks their events up with the calling
 * thread's state, which there is if PAPI knows that this component has presets (add-to-papi).
 */
static int load_presets(papi_vector_t *component, int cidx)
{
	const char *table = pmudev_names_table();

	if (cidx || !table || !_papi_hwi_my_thread)
		return PAPI_OK;
	if (_papi_load_preset_table((char *)table, 0, cidx) == PAPI_OK)
		return PAPI_OK;
	snprintf(component->cmp_info.disabled_reason, sizeof(component->cmp_info.disabled_reason),
		 "no table of presets for %s", table);
	return PAPI_ENOEVNT;
}

static int init_component(int cidx)
{
	papi_vector_t *component = _papi_hwd[cidx];
	int error;

	component->cmp_info.CmpIdx = cidx;
	/* perf_event's is SIGRTMIN + 2. */
	component->cmp_info.hardware_intr_sig = SIGRTMIN + 3;
	error = query_machine(component);
	if (!error)
		error = pmudev_names_init(component);
	if (!error)
		error = load_presets(component, cidx);
	component->cmp_info.disabled = error;
	return error;
}

static int shutdown_component(void)
{
	pmudev_names_exit(&_pmudev_vector);
	return PAPI_OK;
}

papi_vector_t _pmudev_vector = {
	.cmp_info = {
		.name = "pmudev",
		.short_name = "pmudev",
		.description = "The CPU's counters through /dev/pmudev, exactly",
		.version = PMUDEV_LIB_VERSION,
		.support_version = "libpmudev " PMUDEV_LIB_VERSION,

		.default_domain = PAPI_DOM_USER,
		.available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR,
		.default_granularity = PAPI_GRN_THR,
		.available_granularities = PAPI_GRN_THR | PAPI_GRN_SYS,

		.num_mpx_cntrs = PMUDEV_MAX_EVENTS,
		.kernel_multiplex = 1,
		.attach = 1,
		/* It need not, but PAPI's tests stop and continue what they attach to only then. */
		.attach_must_ptrace = 1,
		.cpu = 1,
		.inherit = 1,
		.cntr_umasks = 1,
	},
	.size = {
		.context = sizeof(struct pmudev_context),
		.control_state = sizeof(struct pmudev_control),
		.reg_value = sizeof(int),
		.reg_alloc = sizeof(int),
	},
	.init_component = init_component,
	.shutdown_component = shutdown_component,
	.init_thread = init_thread,
	.shutdown_thread = shutdown_thread,
	.init_control_state = init_control_state,
	.update_control_state = update_control_state,
	.start = start,
	.stop = stop,
	.read = read_counts,
	.reset = reset,
	.write = write_counts,
	.ctl = pmudev_control,
	.set_domain = pmudev_set_domain,
	.set_overflow = pmudev_set_overflow,
	.dispatch_timer = pmudev_dispatch_timer,
	.ntv_enum_events = pmudev_ntv_enum_events,
	.ntv_name_to_code = pmudev_ntv_name_to_code,
	.ntv_code_to_name = pmudev_ntv_code_to_name,
	.ntv_code_to_descr = pmudev_ntv_code_to_descr,
	.ntv_code_to_info = pmudev_ntv_code_to_info,
};
