// SPDX-License-Identifier: MIT
/*
 * All threads of a process, while it goes on making threads.
 *
 * A thread that appears while sets are being bound may have been made by one that is bound, and is
 * counted by inheritance; or by one that is not, and would be missed. Nothing tells which. So all
 * sets are bound anew until there was no new thread from before the first to after the last.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib.h"

#define TRIES 100

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int append(int **tids, unsigned int *nr, int tid)
{
	int *more = *tids;

	/* Room is doubled at each power of two. */
	if (!(*nr & (*nr - 1))) {
		more = realloc(*tids, (*nr ? 2 * *nr : 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		*tids = more;
	}
	more[(*nr)++] = tid;
	return 0;
}

static int list_threads(DIR *dir, int **tids, unsigned int *nr)
{
	struct dirent *entry;
	int error = 0;

	while (!error) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (entry->d_name[0] != '.')
			error = append(tids, nr, atoi(entry->d_name));
	}
	return error;
}

int pmudev_threads(pid_t pid, int **tids, unsigned int *nr)
{
	char path[32];
	int error;
	DIR *dir;

	*tids = NULL;
	*nr = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	error = list_threads(dir, tids, nr);
	closedir(dir);
	if (!error && !*nr)
		error = -ESRCH;
	if (error) {
		free(*tids);
		*tids = NULL;
		return error == -ENOENT ? -ESRCH : error;
	}
	qsort(*tids, *nr, sizeof(**tids), compare);
	return 0;
}

static bool any_new(const int *before, unsigned int nr_before, const int *now, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!bsearch(&now[i], before, nr_before, sizeof(*now), compare))
			return true;
	return false;
}

static int fail_scan(struct pmudev_bundle *bundle, int error)
{
	pmudev_bundle_close(bundle);
	return pmudev_bundle_fail(bundle, error, error == -ESRCH ? PMUDEV_WHY_NO_TASK : PMUDEV_OK);
}

int pmudev_bundle_process(struct pmudev_bundle *bundle, pid_t pid, unsigned int flags)
{
	int *before = NULL, *now = NULL;
	unsigned int nr_before, nr = 0;
	int tries, error;

	*bundle = (struct pmudev_bundle){ .target = -1 };
	error = pmudev_threads(pid, &before, &nr_before);
	if (error)
		return fail_scan(bundle, error);
	for (tries = 0; tries < TRIES; tries++) {
		error = pmudev_bundle_open(bundle, before, nr_before, flags);
		/* Of these threads none may be left, but there may be others. */
		if (error && error != -ESRCH)
			goto out;
		error = pmudev_threads(pid, &now, &nr);
		if (error) {
			fail_scan(bundle, error);
			goto out;
		}
		if (bundle->nr && !any_new(before, nr_before, now, nr))
			goto out;
		pmudev_bundle_close(bundle);
		free(before);
		before = now;
		nr_before = nr;
		now = NULL;
	}
	error = fail_scan(bundle, -EAGAIN);
out:
	free(before);
	free(now);
	return error;
}
