// SPDX-License-Identifier: MIT
/* What `pmudev stat` advises for events that are perf's alone. */
#include "../pmudev/common/perf_events.h"
#include "tap.h"

/* @word: of the advice; NULL: there is none */
static const struct {
	const char *list;
	const char *word;
} cases[] = {
	{ "cycles:p", "precise" },
	{ "instructions:u,cycles:ppp", "precise" },
	{ "{r1,cycles:ukD}", "pinned" },
	{ "{cycles,r1}:W", "weak group" },
	{ "cpu/event=0xc0,umask=1/p", "precise" },
	{ "cpu/config=0xc0/", NULL },
	{ "cpu/event=1,config1=0x3/u", "config1=" },
	{ "cpu/config2=3/", "config2=" },
	{ "cpu/cycles,period=1000/", "record" },
	{ "cpu/event=1,percore/", "--per-core" },
	{ "mem:0x1000:rw", "breakpoints" },
	{ "sched:sched_switch", "tracepoints" },
	{ "r1,syscalls:sys_enter_read", "tracepoints" },
	{ "software/config=1/", "perf's alone" },
	{ "stalled-cycles-frontend", "stall_frontend" },
	{ "r1,stalled-cycles-backend:u", "stall_backend" },
	{ "bus-cycles", "umask=1" },
	{ "cycles", NULL },
	{ "cycles:uk,r1:u", NULL },
	{ "myconfig=1", NULL },
	{ "cpu/event=0xc0,cmask=1,inv/u", NULL },
	{ "", NULL },
};

int main(void)
{
	const char *advice, *word;
	size_t i;
	bool fine;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		advice = perf_events_advice(cases[i].list);
		word = cases[i].word;
		fine = !advice && !word;
		if (advice && word)
			fine = strstr(advice, word);
		if (!ok(fine, cases[i].list) && advice)
			printf("# %s\n", advice);
	}
	return tap_end();
}
