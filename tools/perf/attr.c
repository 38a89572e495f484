// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attr.h"
#include "memory.h"

bool attr_take(struct perf_event_attr *attr, const struct perf_event_attr *from)
{
	char all[4096];
	uint32_t size, i;

	if (memory_read(&size, &from->size, sizeof(size)))
		return false;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > sizeof(all) || memory_read(all, from, size))
		return false;
	for (i = sizeof(*attr); i < size; i++)
		if (all[i])
			return false;
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, all, size < sizeof(*attr) ? size : sizeof(*attr));
	attr->size = sizeof(*attr);
	return true;
}

/* Bits that this library serves, or that change nothing of what it serves */
static const struct perf_event_attr known_bits = {
	.disabled = 1,
	.inherit = 1,
	.pinned = 1,
	.exclusive = 1,
	.exclude_user = 1,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.exclude_idle = 1,
	.inherit_stat = 1,
	.enable_on_exec = 1,
	.watermark = 1,
	.mmap_data = 1,
	.sample_id_all = 1,
	.exclude_host = 1,
	.exclude_guest = 1,
	.exclude_callchain_kernel = 1,
	.exclude_callchain_user = 1,
	.mmap2 = 1,
	.comm_exec = 1,
	.context_switch = 1,
	.write_backward = 1,
	.ksymbol = 1,
	.bpf_event = 1,
	.cgroup = 1,
	.build_id = 1,
};

/* The bits lie between two fields that have names. */
static uint64_t bits_of(const struct perf_event_attr *attr)
{
	uint64_t bits;

	memcpy(&bits, (const char *)attr + offsetof(struct perf_event_attr, read_format) + 8,
	       sizeof(bits));
	return bits;
}

/* Samples without rights or arguments of their own */
#define PLAIN_SAMPLES                                                                          \
	((uint64_t)(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |   \
		    PERF_SAMPLE_READ | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
		    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT |             \
		    PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TRANSACTION))

/* Behind sample_max_stack nothing is served; sig_data has no meaning without sigtrap. */
static bool has_more(const struct perf_event_attr *attr)
{
	const size_t begin =
		offsetof(struct perf_event_attr, sample_max_stack) + sizeof(attr->sample_max_stack);
	const size_t data = offsetof(struct perf_event_attr, sig_data);
	const char *all = (const char *)attr;
	size_t i;

	for (i = begin; i < sizeof(*attr); i++)
		if (all[i] && (i < data || i >= data + sizeof(attr->sig_data)))
			return true;
	return false;
}

bool attr_is_plain(const struct perf_event_attr *attr)
{
	return !(bits_of(attr) & ~bits_of(&known_bits)) && !(attr->sample_type & ~PLAIN_SAMPLES) &&
	       !(attr->inherit && attr->sample_type & PERF_SAMPLE_READ) &&
	       !(attr->sample_period >> 63) && !has_more(attr);
}
