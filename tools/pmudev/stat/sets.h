/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of `pmudev stat`: opened, given their events, enabled, or refused. */
#ifndef SETS_H
#define SETS_H

#include "stat.h"

/*
 * On the target, or on @child, and enabled, if there is no delay. @pmus: gets the PMUs of each
 * event, by number. Return: 0, or the exit status, and what is wrong has been told on stderr. The
 * caller closes the array in either case.
 */
int sets_open(struct measurement *m, struct pmudev_set_array *array, uint32_t *pmus, pid_t child);

/* Counting begins. Return: 0 or a negative errno. */
int sets_enable(struct measurement *m, struct pmudev_set_array *array);

/* Make all groups multiplexed. */
void sets_multiplex(struct measurement *m);

/* Tells why the array's last call was refused. Return: the exit status. */
int sets_refused(struct pmudev_set_array *array, const struct event_list *list);

/* Tells what helps if it was for want of counters; the array counts no more afterwards. */
void sets_advise(const struct measurement *m, struct pmudev_set_array *array, const uint32_t *pmus);

#endif /* SETS_H */
