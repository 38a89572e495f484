// SPDX-License-Identifier: MIT
/*
 * Reading sets on several CPUs, and the sum of what they counted.
 */
#include <errno.h>
#include <string.h>

#include "set_array.h"

int pmudev_set_array_read(struct pmudev_set_array *array, struct pmudev_total *total)
{
	struct pmudev_adding adding = { .total = total };
	union pmudev_record_buffer buffer;
	unsigned int i;
	int error;

	if (!array)
		return -EFAULT;
	if (!total)
		return fail_why(array, -EFAULT, PMUDEV_WHY_POINTER, 0);
	memset(total, 0, sizeof(*total));
	if (!array->nr)
		return fail(array, -EBADF);
	adding.parts = array->parts;
	adding.sets = array->nr;
	for (i = 0; i < array->nr; i++) {
		error = pmudev_read(&array->sets[i], &buffer.record, sizeof(buffer));
		if (error)
			return fail_set(array, i, error);
		pmudev_total_add(&adding, &buffer.record, array->members[i].slots);
	}
	pmudev_total_end(&adding);
	return 0;
}

int pmudev_set_array_records(struct pmudev_set_array *array, union pmudev_record_buffer *records)
{
	unsigned int i;
	int error;

	if (!array)
		return -EFAULT;
	if (!records)
		return fail_why(array, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (!array->nr)
		return fail(array, -EBADF);
	for (i = 0; i < array->nr; i++) {
		error = pmudev_read(&array->sets[i], &records[i].record, sizeof(records[i]));
		if (error)
			return fail_set(array, i, error);
	}
	return 0;
}

void pmudev_set_array_sum(const struct pmudev_set_array *array, uint32_t set,
			  const union pmudev_record_buffer *before,
			  const union pmudev_record_buffer *after, struct pmudev_total *total)
{
	struct pmudev_adding adding = { .total = total, .parts = array->parts, .sets = array->nr };
	union pmudev_record_buffer between;
	unsigned int i;

	memset(total, 0, sizeof(*total));
	for (i = 0; i < array->nr; i++) {
		if (set != PMUDEV_ALL && set != i)
			continue;
		between = after[i];
		if (before)
			pmudev_record_since(&between.record, &before[i].record);
		pmudev_total_add(&adding, &between.record, array->members[i].slots);
	}
	pmudev_total_end(&adding);
}
