/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's component pmudev: what its files share.
 *
 * An EventSet is one set of pmudev (struct pmudev), which is bound to its target when events are
 * added, and enabled by PAPI_start().
 */
#ifndef LINUX_PMUDEV_H
#define LINUX_PMUDEV_H

#include <stdbool.h>

#include <pmudev.h>
#include <pmudev_deadline.h>
#include <pmudev_events.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"

/* All levels that an event can leave out */
#define LEVELS (PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)

/**
 * struct pmudev_native - an event of this machine by its name
 * @name: "INST_RETIRED:ANY_P", "L1-dcache-loads"
 * @about: what it counts
 * @is_mask: @name is an event with one of its unit masks, after the event itself
 * @listed: it is enumerated; otherwise a program asked for it
 * @known: the fields below are valid
 * @attr: the event
 * @levels: those of LEVELS that the name decides; the EventSet's domain decides the others
 * @pmus: mask of the PMUs that have it; 0: all
 */
struct pmudev_native {
	char *name;
	char *about;
	bool is_mask;
	bool listed;
	bool known;
	struct pmudev_event_attr attr;
	uint32_t levels;
	uint32_t pmus;
};

/**
 * struct pmudev_options - what PAPI_set_opt() changes
 * @domain: PAPI_DOM_*
 * @inherit: children are counted too
 * @multiplexed: the events take turns on the counters
 * @tid: the thread that is counted; 0: the caller
 * @cpu: the CPU that is counted; -1: none
 */
struct pmudev_options {
	int domain;
	bool inherit;
	bool multiplexed;
	pid_t tid;
	int cpu;
};

/**
 * struct pmudev_control - an EventSet
 * @set: open while there are events
 * @nr: number of events, in the slots from 0 on
 * @event: their indices in the table of native events
 * @options: whom it counts, and how
 * @period: of each event: a signal comes each time it has counted so many; 0: none
 * @nr_periods: how many of them are not 0
 * @counts: what PAPI reads
 */
struct pmudev_control {
	struct pmudev set;
	unsigned int nr;
	int event[PMUDEV_MAX_EVENTS];
	struct pmudev_options options;
	uint64_t period[PMUDEV_MAX_EVENTS];
	unsigned int nr_periods;
	long long counts[PMUDEV_MAX_EVENTS];
};

/* Of a thread nothing is kept. */
struct pmudev_context {
	int unused;
};

extern papi_vector_t _pmudev_vector;

/* ---------------------------------------------------------------- pmudev_names.c -- */

/* The table of native events. Return: PAPI_OK or an error. */
int pmudev_names_init(papi_vector_t *component);
void pmudev_names_exit(papi_vector_t *component);

/* The name of libpfm4's table for this CPU, as PAPI's presets are listed by; NULL: unknown. */
const char *pmudev_names_table(void);

/* The event with this index, looked up. NULL: there is none, or pmudev cannot count it. */
const struct pmudev_native *pmudev_names_get(int index);

/* For the component's vector. */
int pmudev_ntv_enum_events(unsigned int *code, int modifier);
int pmudev_ntv_name_to_code(const char *name, unsigned int *code);
int pmudev_ntv_code_to_name(unsigned int code, char *name, int len);
int pmudev_ntv_code_to_descr(unsigned int code, char *about, int len);
int pmudev_ntv_code_to_info(unsigned int code, PAPI_event_info_t *info);

/* ------------------------------------------------------------- pmudev_overflow.c -- */

/* Before the set is enabled: sets the deadlines of its events. Return: a negative errno or 0. */
int pmudev_overflow_arm(struct pmudev_control *ctl);

int pmudev_set_overflow(EventSetInfo_t *ESI, int index, int threshold);

/* The handler of signals */
void pmudev_dispatch_timer(int signal, hwd_siginfo_t *info, void *context);

/* ------------------------------------------------------------------- pmudev_set.c -- */

/*
 * Makes the set anew. Without events it is only tried whether the caller has a right to the target.
 * Return: PAPI_OK or an error.
 */
int pmudev_rebuild(struct pmudev_control *ctl);

/* PAPI_set_opt() of an EventSet; before there is one, its domain */
int pmudev_control(hwd_context_t *context, int code, _papi_int_option_t *option);
int pmudev_set_domain(hwd_control_state_t *state, int domain);

/* ----------------------------------------------------------------- linux-pmudev.c -- */

/*
 * PAPI's number of a negative errno; with PAPI_PMUDEV_EXPLAIN in the environment the sentence that
 * says why goes to stderr. @set: whose last call it was; NULL: unknown
 */
int pmudev_papi_error(struct pmudev *set, int error);

#endif /* LINUX_PMUDEV_H */
