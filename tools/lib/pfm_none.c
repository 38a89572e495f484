// SPDX-License-Identifier: MIT
#include <errno.h>

#include "pfm.h"

enum pfm_answer pmudev_pfm_event(struct parser *p, const char *where, const char *end,
				 struct what *what)
{
	(void)p;
	(void)where;
	(void)end;
	(void)what;
	return PFM_UNKNOWN;
}

const char *pmudev_pfm_remark(const struct pmudev_pmus *pmus)
{
	(void)pmus;
	return " (this libpmudev was built without libpfm4, which knows more names)";
}

void pmudev_pfm_each(const struct pmudev_pmus *pmus, __u32 some,
		     void (*take)(void *to, const char *name), void *to)
{
	(void)pmus;
	(void)some;
	(void)take;
	(void)to;
}

int pmudev_names_each(const struct pmudev_pmus *pmus, unsigned int pmu, pmudev_name_fn fn,
		      void *arg)
{
	(void)pmus;
	(void)pmu;
	(void)fn;
	(void)arg;
	return -EOPNOTSUPP;
}
