// SPDX-License-Identifier: GPL-2.0
#include "lock_stat.h"
#include "common.h"

#include <stdio.h>
#include <string.h>

#define LOCK_STAT "/proc/lock_stat"
/* A class's line has its name, a colon and so many numbers; times are in us. */
#define NUMBERS 12

int lock_stat_clear(void)
{
	return write_file(LOCK_STAT, "0");
}

static bool parse(char *line, struct lock_use *use)
{
	char *colon = strrchr(line, ':');
	double v[NUMBERS];
	int end = 0;

	if (!colon)
		return false;
	*colon = '\0';
	if (sscanf(colon + 1, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %n", &v[0], &v[1],
		   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10], &v[11],
		   &end) != NUMBERS ||
	    colon[1 + end])
		return false;
	line += strspn(line, " ");
	snprintf(use->name, sizeof(use->name), "%s", line);
	use->contended = v[1];
	use->acquired = v[7];
	use->hold_ns = v[10] * 1000;
	return true;
}

int lock_stat_read(struct lock_uses *uses)
{
	FILE *file = fopen(LOCK_STAT, "r");
	char line[512];

	if (!file)
		return -errno;
	uses->nr = 0;
	while (uses->nr < MOST_LOCKS && fgets(line, sizeof(line), file))
		if (parse(line, &uses->use[uses->nr]))
			uses->nr++;
	fclose(file);
	return 0;
}

const struct lock_use *lock_stat_find(const struct lock_uses *uses, const char *name)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		if (!strcmp(uses->use[i].name, name))
			return &uses->use[i];
	return NULL;
}
