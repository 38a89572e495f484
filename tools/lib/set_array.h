/* SPDX-License-Identifier: MIT */
/* Shared by the files of set arrays: remembering why a call failed. All return @error. */
#ifndef SET_ARRAY_H
#define SET_ARRAY_H

#include <string.h>

#include "lib.h"

static inline int fail(struct pmudev_set_array *array, int error)
{
	array->cpu = -1;
	array->error = error;
	array->refusal = (struct pmudev_refusal){ .event = -1 };
	return error;
}

static inline int fail_why(struct pmudev_set_array *array, int error, uint32_t code, uint64_t limit)
{
	fail(array, error);
	array->refusal.code = code;
	array->refusal.limit = limit;
	return error;
}

/*
 * Copies the set's refusal, so that the set can be closed. A failure to open is not about its CPU.
 */
static inline int fail_set(struct pmudev_set_array *array, unsigned int i, int error)
{
	const struct pmudev *set = &array->sets[i];

	array->cpu = set->fd >= 0 ? array->cpus[i] : -1;
	array->error = error;
	array->refusal = set->refusal;
	memcpy(array->holders, set->holders, sizeof(array->holders));
	array->refusal.holders = (uintptr_t)array->holders;
	return error;
}

#endif /* SET_ARRAY_H */
