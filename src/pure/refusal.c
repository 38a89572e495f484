// SPDX-License-Identifier: GPL-2.0
/* Refusals. */
#include <pmudev/refusal.h>

int pmudev_refuse(struct pmudev_refusal *why, int error, enum pmudev_reason code, u64 limit)
{
	why->code = code;
	why->limit = limit;
	return error;
}
