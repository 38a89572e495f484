// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "pfm.h"

#define MAX_NAME 64 /* struct named_event */
#define SHOWN	 4

/* The most similar names, best first. */
struct likes {
	unsigned int nr;
	const char *name[SHOWN];
	unsigned int distance[SHOWN];
};

/* Compares without case, and with '-' as '_'. */
static char plain(char c)
{
	return c == '-' ? '_' : tolower((unsigned char)c);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* The number of characters to insert, remove or change. */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int row[MAX_NAME + 1], before, above;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		before = row[0];
		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			above = row[j];
			row[j] = least(least(above, row[j - 1]) + 1,
				       before + (plain(a[i - 1]) != plain(b[j - 1])));
			before = above;
		}
	}
	return row[b_len];
}

static bool contains(const char *name, size_t name_len, const char *part, size_t len)
{
	size_t at, i;

	for (at = 0; at + len <= name_len; at++) {
		for (i = 0; i < len && plain(name[at + i]) == plain(part[i]); i++)
			;
		if (i == len)
			return true;
	}
	return false;
}

static void consider(struct likes *likes, const char *name, const char *text, size_t len)
{
	const size_t name_len = strlen(name);
	unsigned int d, i;

	for (i = 0; i < likes->nr; i++)
		if (!strcmp(likes->name[i], name))
			return;
	if (name_len > MAX_NAME)
		return;
	d = distance(text, len, name, name_len);
	if (d > (len + 2) / 3) {
		/* Too different for a typing error, but a prefix of the name. */
		if (len < 3 || !contains(name, name_len, text, len))
			return;
		d += MAX_NAME;
	}
	for (i = likes->nr; i && likes->distance[i - 1] > d; i--) {
		if (i == SHOWN)
			continue;
		likes->distance[i] = likes->distance[i - 1];
		likes->name[i] = likes->name[i - 1];
	}
	if (i == SHOWN)
		return;
	likes->distance[i] = d;
	likes->name[i] = name;
	if (likes->nr < SHOWN)
		likes->nr++;
}

/* Another name of the same event. */
struct thought {
	struct likes *likes;
	const char *text;
	size_t len;
};

static void consider_pfm(void *to, const char *name)
{
	const struct thought *thought = to;

	consider(thought->likes, name, thought->text, thought->len);
}

void pmudev_similar_events(const struct pmudev_pmus *pmus, __u32 some, bool top, const char *name,
			   size_t len, char *buf, size_t size)
{
	struct likes likes = { .nr = 0 };
	struct thought thought = { .likes = &likes, .text = name, .len = len };
	unsigned int i, e;
	size_t used = 0;

	buf[0] = '\0';
	if (!len || len > MAX_NAME)
		return;
	for (i = 0; top && i < PMUDEV_GENERIC_MAX; i++)
		consider(&likes, pmudev_generic_name(i), name, len);
	for (i = 0; top && i < pmus->nr; i++)
		consider(&likes, pmus->pmu[i].name, name, len);
	for (i = 0; i < pmus->nr; i++)
		for (e = 0; some >> i & 1 && e < pmus->pmu[i].nr_events; e++)
			consider(&likes, pmus->pmu[i].events[e].name, name, len);
	pmudev_pfm_each(pmus, some, consider_pfm, &thought);
	for (i = 0; i < likes.nr && used < size; i++)
		used += snprintf(buf + used, size - used, "%s%s", i ? ", " : "", likes.name[i]);
}
