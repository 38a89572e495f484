/* SPDX-License-Identifier: GPL-2.0 */
/* `pmudev list metrics`: what -M of stat takes on this machine. */
#ifndef LIST_METRICS_H
#define LIST_METRICS_H

#include <stdio.h>

#include "../common/groups.h"
#include "list.h"

/*
 * By groups; with @how->all with formulas, and those that this machine has not. Return: how many
 * were shown.
 */
unsigned int list_metrics(FILE *out, const struct groups *groups, const struct pmudev_pmus *pmus,
			  const struct list_how *how);

/* All of it. Return: the exit status. */
int list_metrics_run(const struct pmudev_pmus *pmus, const struct list_how *how);

#endif /* LIST_METRICS_H */
