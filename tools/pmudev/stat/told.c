// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stddef.h>

#include "../common/cmd.h"
#include "told.h"

static int told;

static void keep(int signal)
{
	__atomic_store_n(&told, signal, __ATOMIC_RELAXED);
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
	return __atomic_load_n(&told, __ATOMIC_RELAXED);
}

void told_end(void)
{
	const int number = __atomic_load_n(&told, __ATOMIC_RELAXED);

	if (!number)
		return;
	signal(number, SIG_DFL);
	raise(number);
}
