// SPDX-License-Identifier: MIT
/* How many instructions a loop takes: a program that counts itself, as short as it can be. */
#include <stdio.h>
#include <pmudev.h>

int main(void)
{
	struct pmudev_event_attr event = { .config = PMUDEV_INSTRUCTIONS,
					   .flags = PMUDEV_EXCLUDE_KERNEL };
	uint64_t before, after;
	struct pmudev set;

	if (pmudev_open(&set) || pmudev_start(&set, &event, 1, NULL))
		return 1;
	pmudev_read_count(&set, 0, &before);
	for (int i = 0; i < 1000000; i++)
		__asm__ __volatile__("");
	pmudev_read_count(&set, 0, &after);
	printf("%lu instructions\n", (unsigned long)(after - before));
	pmudev_close(&set);
	return 0;
}
