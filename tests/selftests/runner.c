// SPDX-License-Identifier: GPL-2.0
#include "runner.h"

int runner_start(struct runner *r, struct guest_vcpu *v)
{
	*r = (struct runner){ .vcpu = v };
	return subject_thread(&r->thread);
}

static long run(long arg)
{
	struct runner *r = (struct runner *)arg;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->rounds && !ret; i++) {
		if (r->cpus)
			ret = pin_to(i % r->cpus);
		if (!ret)
			ret = vcpu_run(r->vcpu);
	}
	return ret;
}

void runner_go(struct runner *r, unsigned int rounds)
{
	r->rounds = rounds;
	r->busy = true;
	subject_tell(&r->thread, run, (long)r);
}

long runner_wait(struct runner *r)
{
	turn_wait(&r->thread.turns, 0);
	r->busy = false;
	if (!WAIT_FOR(task_state(r->thread.pid) == 'S'))
		return -ETIMEDOUT;
	return r->thread.order->result;
}

/* A guest that runs takes time in which no system call ends. */
static bool in_guest(struct runner *r)
{
	return task_state(r->thread.pid) == 'R';
}

int runner_enter(struct runner *r, int cpu)
{
	int ret = cpu < 0 ? 0 : pin_task_to(r->thread.pid, cpu);

	if (ret)
		return ret;
	runner_go(r, 1);
	return WAIT_FOR(in_guest(r)) ? 0 : -ETIMEDOUT;
}

int runner_leave(struct runner *r, struct guest_count *c)
{
	int ret = vcpu_interrupt(r->vcpu, r->thread.pid);
	long said;

	if (ret)
		return ret;
	said = runner_wait(r);
	if (said != -EINTR)
		return said ? said : -EPROTO;
	return vcpu_executed(r->vcpu, c);
}

void runner_end(struct runner *r)
{
	if (r->busy && !vcpu_interrupt(r->vcpu, r->thread.pid))
		runner_wait(r);
	subject_end(&r->thread);
}
