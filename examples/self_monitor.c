// SPDX-License-Identifier: MIT
/* A thread counts its own instructions and cycles, and reads them without a system call. */
#include <stdio.h>

#include <pmudev.h>

#define OWN_CODE (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV | PMUDEV_USER_READ)

int main(void)
{
	const struct pmudev_event_attr events[] = {
		{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_INSTRUCTIONS, .flags = OWN_CODE },
		{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_CYCLES, .flags = OWN_CODE },
	};
	uint64_t before[2], after[2];
	struct pmudev set;
	char why[256];

	if (pmudev_open(&set) || pmudev_start(&set, events, 2, NULL) || pmudev_map(&set)) {
		pmudev_explain(&set, why, sizeof(why));
		fprintf(stderr, "self_monitor: %s\n", why);
		return 1;
	}

	pmudev_read_counts(&set, before, 2);
	for (int i = 0; i < 1000000; i++)
		__asm__ __volatile__("");
	pmudev_read_counts(&set, after, 2);

	unsigned long long instructions = after[0] - before[0];
	unsigned long long cycles = after[1] - before[1];

	printf("%llu instructions, %llu cycles, %.2f instructions per cycle\n", instructions,
	       cycles, (double)instructions / cycles);
	pmudev_close(&set);
	return 0;
}
