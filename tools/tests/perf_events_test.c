// SPDX-License-Identifier: MIT
/* What `pmudev stat` advises for events that are perf's alone. */
#include "../pmudev/common/perf_events.h"
#include "sysfs.h"

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
	{ "sched:sched_switch", "tracepoint" },
	{ "foo:bar", "tracepoint" },
	{ "instructins:bar", "tracepoint" },
	{ "instructins:u", NULL },
	/* A modifier that there is not, of an event that there is. */
	{ "instructions:bar", NULL },
	{ "slots:bar", NULL },
	{ "r1,syscalls:sys_enter_read", "tracepoint" },
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

/* Both possibilities, one from the library. */
static void test_both(const struct pmudev_pmus *of)
{
	struct pmudev_events_error error = { .position = 0 };
	struct pmudev_events *events;

	pmudev_events_parse("instructins:bar", of, &events, &error);
	is(error.text,
	   "unknown event 'instructins'; did you mean instructions? `pmudev list` shows all",
	   "the library names a similar event");
	is(perf_events_advice(of, "instructins:bar"),
	   "or, if GROUP:NAME is a tracepoint: those are counted by perf alone",
	   "  and the advice has the other possibility");
}

int main(void)
{
	struct pmudev_pmus *pmus[NR_MACHINES];
	const char *advice, *word;
	size_t i;
	bool fine;

	fake_machines(pmus);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		advice = perf_events_advice(pmus[INTEL], cases[i].list);
		word = cases[i].word;
		fine = !advice && !word;
		if (advice && word)
			fine = strstr(advice, word);
		if (!ok(fine, cases[i].list) && advice)
			printf("# %s\n", advice);
	}
	test_both(pmus[INTEL]);
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
