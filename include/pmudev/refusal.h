/* SPDX-License-Identifier: GPL-2.0 */
/* Refusals: why a call failed. */
#ifndef _PMUDEV_REFUSAL_H
#define _PMUDEV_REFUSAL_H

#include <pmudev/types.h>

/**
 * pmudev_refuse - record why a call fails
 * @why: the refusal; only @code and @limit of it are written
 * @error: negative errno
 * @code: the reason
 * @limit: the bound that goes with the reason (see enum pmudev_reason), else 0
 *
 * Return: @error, so that a check can end with "return pmudev_refuse(...)".
 */
int pmudev_refuse(struct pmudev_refusal *why, int error, enum pmudev_reason code, u64 limit);

#endif /* _PMUDEV_REFUSAL_H */
