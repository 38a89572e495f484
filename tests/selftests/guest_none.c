// SPDX-License-Identifier: GPL-2.0
/* Where guests are not known: there is no KVM. */
#include "guest.h"

#ifndef __aarch64__

#include <errno.h>

int guest_open_vcpus(struct guest *g, unsigned int nr)
{
	(void)nr;
	*g = (struct guest){ .vm = -1 };
	return -ENOENT;
}

int guest_open(struct guest *g)
{
	return guest_open_vcpus(g, 1);
}

int guest_run(struct guest *g)
{
	(void)g;
	return -ENOENT;
}

bool guest_forbids_hotplug(void)
{
	return false;
}

void guest_close(struct guest *g)
{
	(void)g;
}

int vcpu_set_work(struct guest_vcpu *v, struct guest_work work)
{
	(void)v;
	(void)work;
	return -ENOENT;
}

int vcpu_run(struct guest_vcpu *v)
{
	(void)v;
	return -ENOENT;
}

int vcpu_interrupt(struct guest_vcpu *v, int tid)
{
	(void)v;
	(void)tid;
	return -ENOENT;
}

int vcpu_executed(struct guest_vcpu *v, struct guest_count *c)
{
	(void)v;
	(void)c;
	return -ENOENT;
}

int vcpu_cut_short(struct guest_vcpu *v)
{
	(void)v;
	return -ENOENT;
}

struct guest_count guest_round(struct guest_work work)
{
	(void)work;
	return (struct guest_count){ 0 };
}

#endif
