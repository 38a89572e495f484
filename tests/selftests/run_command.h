/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of `pmudev run` share: this program as the command that is run, and the report. */
#ifndef PMUDEV_TEST_RUN_COMMAND_H
#define PMUDEV_TEST_RUN_COMMAND_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "deadline.h"

/* As timeout(1) has it */
#define REACHED 124

static struct output output;
static char program[256];

/* Find this program. NULL; why it cannot be run with a deadline; or "": it failed. */
static inline const char *cannot_run(struct pmudev_query *query)
{
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) <= 0)
		return "";
	if (!have_command())
		return "there is no `pmudev` command in PATH";
	return no_deadlines(query);
}

/* The same for what follows threads and children. */
static inline const char *cannot_follow(struct pmudev_query *query)
{
	const char *missing = cannot_run(query);

	if (missing)
		return missing;
	if (!(query->features & PMUDEV_HAS_INHERIT))
		return "no inheritance here";
	return query->nr_pmus > 1 ? "CPUs of several kinds are not followed" : NULL;
}

/* As many threads, or children, as a part has */
#define PEOPLE 4

/* A part: threads. Return: the exit status. */
static inline int play_threads(void *(*be_thread)(void *))
{
	pthread_t thread[PEOPLE];
	int i;

	for (i = 0; i < PEOPLE; i++)
		if (pthread_create(&thread[i], NULL, be_thread, NULL))
			return 1;
	for (i = 0; i < PEOPLE; i++)
		pthread_join(thread[i], NULL);
	return 7;
}

/* The number behind the @nth "key" of the report, from 0 on; ~0 if it is not there. */
static inline __u64 reported(const char *key, int nth)
{
	const char *at = output.text;
	char name[40];

	snprintf(name, sizeof(name), "\"%s\":", key);
	do {
		at = strstr(at, name);
		if (!at)
			return ~0ULL;
		at += strlen(name);
	} while (nth--);
	at += strspn(at, " \"");
	return strtoull(at, NULL, 0);
}

#endif /* PMUDEV_TEST_RUN_COMMAND_H */
