// SPDX-License-Identifier: MIT
/*
 * For languages other than C and C++: the headers' inline functions as exported ones, and sets
 * whose structure they need not know.
 */
#include <errno.h>
#include <stdlib.h>

/* Defines the functions here, and still inlines them into those that call them. */
#define PMUDEV_EXTERN_INLINE

/* The readers' @n is no constant here: GCC cannot tell that both loops are alike. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "lib.h"

struct pmudev *pmudev_new(void)
{
	struct pmudev *set = malloc(sizeof(*set));
	int error;

	if (!set)
		return NULL;
	error = pmudev_open(set);
	if (!error)
		return set;
	free(set);
	errno = -error;
	return NULL;
}

void pmudev_free(struct pmudev *set)
{
	if (!set)
		return;
	pmudev_close(set);
	free(set);
}

int pmudev_fd(const struct pmudev *set)
{
	if (!set)
		return -EFAULT;
	return set->opened && set->fd >= 0 ? set->fd : -EBADF;
}

const struct pmudev_page *pmudev_user_page(const struct pmudev *set)
{
	return set && set->opened ? set->page : NULL;
}
