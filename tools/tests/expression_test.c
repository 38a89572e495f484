// SPDX-License-Identifier: MIT
/* Expressions of perf's metrics as formulas. */
#include <stdlib.h>

#include "../pmudev/metrics/expression.h"
#include "tap.h"

static const char *find(void *context, const char *name)
{
	(void)context;
	if (!strcmp(name, "inner"))
		return "LOADS + STORES";
	if (!strcmp(name, "endless"))
		return "1 + endless";
	return NULL;
}

static const struct {
	const char *text;
	const char *formula;
	const char *events; /* name=event */
} good[] = {
	{ "INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD",
	  "INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD",
	  "INST_RETIRED.ANY=INST_RETIRED.ANY CPU_CLK_UNHALTED.THREAD=CPU_CLK_UNHALTED.THREAD" },
	{ "100*(a-b)", "100 * (a - b)", "a=a b=b" },
	{ "branch\\-misses / branches", "branch-misses / branches",
	  "branch-misses=branch-misses branches=branches" },
	{ "cpu@EVENT\\,umask\\=0x1@ / A:u", "e1 / e2", "e1=cpu/EVENT,umask=0x1/ e2=A:u" },
	{ "d_ratio(A, B) if A > 1e-9 else min(A,B)", "d_ratio(A, B) if A > 1e-9 else min(A, B)",
	  "A=A B=B" },
	{ "inner / A", "(LOADS + STORES) / A", "LOADS=LOADS STORES=STORES A=A" },
	{ "64 * A / 1e9 / duration_time", "64 * A / 1e9 / (duration_time / 1e9)",
	  "A=A duration_time=duration_time" },
	{ "A + A", "A + A", "A=A" },
};

static const struct {
	const char *text;
	const char *why;
} bad[] = {
	{ "A if #smt_on else B", "perf's #smt_on" },
	{ "source_count(A) * 64", "perf's function source_count()" },
	{ "A | B", "perf's |" },
	{ "A == B", "perf's =" },
	{ "A / user_time", "perf's event user_time" },
	{ "endless / A", "metrics within metrics, too many: endless" },
	{ "1 + 2", "it has no events" },
	{ "(A + B", "a ')' is missing" },
	{ "A B", "this does not belong to the formula" },
	{ "\"text\" + A", "perf's \"" },
};

int main(void)
{
	struct expression e;
	char events[512];
	unsigned int n;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!ok(expression_convert(&e, good[i].text, find, NULL), good[i].text))
			printf("# %s\n", e.why);
		is(e.formula, good[i].formula, "  the formula");
		events[0] = '\0';
		for (n = 0; n < e.nr; n++)
			sprintf(events + strlen(events), "%s%s=%s", n ? " " : "", e.events[n].name,
				e.events[n].event);
		is(events, good[i].events, "  its events");
		expression_free(&e);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok(!expression_convert(&e, bad[i].text, find, NULL), bad[i].text);
		is(e.why, bad[i].why, "  the reason");
		expression_free(&e);
	}
	return tap_end();
}
