// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stddef.h>

#include "../common/cmd.h"
#include "told.h"

static volatile sig_atomic_t told;

static void keep(int signal)
{
	told = signal;
}

void told_listen(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM };
	/* Without SA_RESTART: a report that nobody reads ends. */
	struct sigaction action = { .sa_handler = keep }, before;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

bool told_to_end(void)
{
	return told;
}

void told_end(void)
{
	if (!told)
		return;
	signal(told, SIG_DFL);
	raise(told);
}
