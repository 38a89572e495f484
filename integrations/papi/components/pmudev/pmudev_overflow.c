// SPDX-License-Identifier: BSD-3-Clause
/*
 * PAPI_overflow() and PAPI_profil(): each event with a threshold has a deadline, which the module
 * reports to the counted thread by a signal.
 */
#include <signal.h>

#include "linux-pmudev.h"
#include "extras.h"
#include "linux-context.h"

/*
 * The deadlines are set anew at each start, because counts begin at 0 again. They stay when the set
 * is disabled.
 */
int pmudev_overflow_arm(struct pmudev_control *ctl)
{
	struct pmudev_deadline deadlines[PMUDEV_MAX_EVENTS] = {};
	unsigned int i, nr = 0;

	for (i = 0; i < ctl->nr; i++) {
		if (!ctl->period[i])
			continue;
		deadlines[nr++] = (struct pmudev_deadline){
			.slot = i,
			.flags = PMUDEV_DEADLINE_PERIODIC | PMUDEV_DEADLINE_SIGNAL,
			.value = ctl->period[i],
			.period = ctl->period[i],
			.signal = _pmudev_vector.cmp_info.hardware_intr_sig,
			.id = ctl->set.fd,
		};
	}
	return nr ? pmudev_deadline_set(&ctl->set, deadlines, nr) : 0;
}

/* The signal's handler is installed while some event of the EventSet has a threshold. */
int pmudev_set_overflow(EventSetInfo_t *ESI, int index, int threshold)
{
	struct pmudev_control *ctl = (struct pmudev_control *)ESI->ctl_state;
	const int signal = _pmudev_vector.cmp_info.hardware_intr_sig;
	const int slot = ESI->EventInfoArray[index].pos[0];
	int error = PAPI_OK;

	if (slot < 0 || (!threshold && !ctl->period[slot]))
		return PAPI_EINVAL;
	/* A child would get signals that it knows nothing of. */
	if (ctl->options.inherit)
		return PAPI_ENOSUPP;
	if (threshold && !ctl->nr_periods)
		error = _papi_hwi_start_signal(signal, NEED_CONTEXT, ESI->CmpIdx);
	else if (!threshold && ctl->nr_periods == 1)
		error = _papi_hwi_stop_signal(signal);
	if (error)
		return error;
	ctl->nr_periods += !!threshold - !!ctl->period[slot];
	ctl->period[slot] = threshold;
	if (!threshold)
		pmudev_deadline_remove(&ctl->set, slot);
	return PAPI_OK;
}

/*
 * The module says which event it was in si_errno, and by si_fd for which set. The set rests while
 * the program's handler runs: what that does is not counted, and cannot reach the next deadline,
 * which would leave the program no instruction of its own.
 */
static void reached(EventSetInfo_t *ESI, ThreadInfo_t *thread, const siginfo_t *info,
		    _papi_hwi_context_t *context)
{
	struct pmudev_control *ctl = (struct pmudev_control *)ESI->ctl_state;
	int error;

	/* Of a set that was stopped while the signal was on its way */
	if (info->si_fd != ctl->set.fd || (unsigned int)info->si_errno >= ctl->nr)
		return;
	pmudev_disable(&ctl->set, PMUDEV_ALL);
	_papi_hwi_dispatch_overflow_signal(context, GET_OVERFLOW_ADDRESS((*context)), NULL,
					   1LL << info->si_errno, 0, &thread, ESI->CmpIdx);
	/* The handler may have stopped it. */
	if (!(ESI->state & PAPI_RUNNING))
		return;
	error = pmudev_enable(&ctl->set, PMUDEV_ALL);
	if (error)
		PAPIERROR("pmudev: counting cannot go on after an overflow: error %d",
			  pmudev_papi_error(&ctl->set, error));
}

void pmudev_dispatch_timer(int signal, hwd_siginfo_t *info, void *ucontext)
{
	const int cidx = _pmudev_vector.cmp_info.CmpIdx;
	ThreadInfo_t *thread = _papi_hwi_lookup_thread(0);
	_papi_hwi_context_t context = { .si = info, .ucontext = ucontext };
	EventSetInfo_t *ESI;

	ESI = thread ? thread->running_eventset[cidx] : NULL;
	if (!ESI)
		return;
	if (signal == _pmudev_vector.cmp_info.hardware_intr_sig)
		reached(ESI, thread, info, &context);
	else
		_papi_hwi_dispatch_overflow_signal(&context, GET_OVERFLOW_ADDRESS(context), NULL, 0,
						   0, &thread, cidx);
}
