// SPDX-License-Identifier: MIT
/* The parser of event lists: its grammar, and what every CPU knows. terms_test.c has the rest. */
#include "describe.h"
#include "tap.h"

#define EXCLUDE_U     PMUDEV_EXCLUDE_USER
#define EXCLUDE_K     PMUDEV_EXCLUDE_KERNEL
#define EXCLUDE_HV    PMUDEV_EXCLUDE_HV
#define EXCLUDE_HOST  PMUDEV_EXCLUDE_HOST
#define EXCLUDE_GUEST PMUDEV_EXCLUDE_GUEST

/* Both without sysfs: as describe() has it; what is wrong, and where. */
static const struct {
	const char *text;
	const char *meaning;
} good[] = {
	{ "cycles", "0:0/0/0" },
	{ "instructions", "0:0/1/0" },
	{ "ref-cycles", "0:0/2/0" },
	{ "cache-references", "0:0/3/0" },
	{ "cache-misses", "0:0/4/0" },
	{ "branches", "0:0/5/0" },
	{ "branch-misses", "0:0/6/0" },
	{ "cpu-cycles,branch-instructions", "0:0/0/0 1:0/5/0" },
	{ "instructions,cycles", "0:0/1/0 1:0/0/0" },
	{ "{instructions,cycles}", "0:0/1/0 0:0/0/0" },
	{ "r8,{cycles,r1B},r11", "0:1/8/0 1:0/0/0 1:1/1b/0 2:1/11/0" },
	{ "rFFFFffffFFFFffff", "0:1/ffffffffffffffff/0" },
	/* flags: 1 user, 2 kernel, 4 hypervisor, 8 host, 10 guest are excluded */
	{ "cycles:u", "0:0/0/6" },
	{ "cycles:k", "0:0/0/5" },
	{ "cycles:h", "0:0/0/3" },
	{ "cycles:uk", "0:0/0/4" },
	{ "cycles:ku", "0:0/0/4" },
	{ "cycles:ukh", "0:0/0/0" },
	{ "cycles:G", "0:0/0/8" },
	{ "cycles:H", "0:0/0/10" },
	{ "cycles:GH", "0:0/0/0" },
	{ "cycles:uG", "0:0/0/e" },
	{ "r8:Hk,cycles", "0:1/8/15 1:0/0/0" },
	{ "{cycles,r8}:u", "0:0/0/6 0:1/8/6" },
	{ "{cycles}:k,{r8:u,r9}", "0:0/0/5 1:1/8/6 1:1/9/0" },
	/* flags: 400 a counter was chosen, 800 cycles are counted */
	{ "instructions@2", "0:0/1/400@2" },
	{ "instructions@0:u", "0:0/1/406@0" },
	{ "instructions@fixed0,cycles@32", "0:0/1/400@32 1:0/0/400@32" },
	{ "rc0@fixed15", "0:1/c0/400@47" },
	{ "r3c@63", "0:1/3c/400@63" },
	{ "cycles@0x1f", "0:0/0/400@31" },
	{ "r3c@0-3,r3c@2-2,r3c@0-63", "0:1/3c/0&f 1:1/3c/0&4 2:1/3c/0&ffffffffffffffff" },
	{ "r3c@1-fixed1", "0:1/3c/0&3fffffffe" },
	/* as it is printed */
	{ "cycles@fixed 0,r3c@fixed 1:u", "0:0/0/400@32 1:1/3c/406@33" },
	{ "r3c@fixed 0-2,r3c@fixed0-2,r3c@fixed0-fixed2",
	  "0:1/3c/0&700000000 1:1/3c/0&700000000 2:1/3c/0&700000000" },
	{ "r3c@3-fixed 1", "0:1/3c/0&3fffffff8" },
	{ "{r3c@3,r3c@fixed1}:u", "0:1/3c/406@3 0:1/3c/406@33" },
};

#define COUNTER "a counter is a number up to 31, fixed0 and so on, or a range such as 0-3"

static const struct {
	const char *text;
	size_t position;
	const char *error;
} bad[] = {
	{ "", 0, "an event is missing here" },
	{ "cycles,", 7, "an event is missing here" },
	{ ",cycles", 0, "an event is missing here" },
	{ "{}", 1, "an event is missing here" },
	{ "{cycles,}", 8, "an event is missing here" },
	{ "{cycles", 0, "this '{' is not closed" },
	{ "r8,{cycles,r8", 3, "this '{' is not closed" },
	{ "{cycles{r8}}", 7, "groups cannot be nested" },
	{ "cycles}", 6, "a comma is expected here, not '}'" },
	{ "cycles r8", 6, "a comma is expected here, not ' '" },
	{ "{cycles}r8", 8, "a comma is expected here, not 'r'" },
	{ "cycles:", 7, "a modifier is missing after ':'; there are u, k, h, G, H" },
	{ "cycles:ux", 8, "unknown modifier 'x'; there are u, k, h, G, H" },
	{ "{cycles}:p", 9, "unknown modifier 'p'; there are u, k, h, G, H" },
	{ "{cycles:u,r8}:k", 14, "'cycles:u' in the group has modifiers already" },
	{ "cycles:u:k", 8, "a comma is expected here, not ':'" },
	{ "cycles@", 7, COUNTER },
	{ "cycles@64", 7, COUNTER },
	{ "cycles@fixed", 7, COUNTER },
	{ "cycles@fixed32", 7, COUNTER },
	{ "cycles@-1", 7, COUNTER },
	{ "cycles@3-", 7, COUNTER },
	{ "cycles@3-2", 7, COUNTER },
	{ "cycles@1@2", 8, "a comma is expected here, not '@'" },
	{ "cycles:u@2", 8, "a comma is expected here, not '@'" },
	{ "r3c/event=1/", 3, "a comma is expected here, not '/'" },
};

/* These are events with no meaning; the sentence names them. */
static const char *const unknown[] = {
	"foo",	"Cycles", "cycle",	   "r", "rg", "r12345678123456789", "r-1",
	"0x11", "cpu",	  "cpux/event=1/",
};

static struct pmudev_pmus *no_pmus;

static void test_good(void)
{
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect_meaning(no_pmus, good[i].text, good[i].meaning);
}

static void test_bad(void)
{
	struct pmudev_events_error error;
	struct event_list list;
	char what[128];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_wrong(no_pmus, bad[i].text, bad[i].position, bad[i].error);
	for (i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		snprintf(what, sizeof(what), "unknown: '%s'", unknown[i]);
		if (ok(!parse_events(unknown[i], no_pmus, &list, &error), what))
			ok(!!strstr(error.text, "unknown event"), "  and said so");
	}
}

static void test_names(void)
{
	struct pmudev_events_error error;
	struct event_list list;

	parse_events("{cycles,r8}:u,instructions,r9:G", no_pmus, &list, &error);
	is(list.events[0].name, "cycles:u", "a group's modifiers are in its events' names");
	is(list.events[1].name, "r8:u", "of all of them");
	ok(list.events[1].levels && !list.events[2].levels && !list.events[3].levels,
	   "events know whether u, k or h was said");
	event_user_only(&list, 2);
	is(list.events[2].name, "instructions:u", "restricted to user mode, and named so");
	is_number(list.attrs[2].flags, EXCLUDE_K | EXCLUDE_HV, "  its flags");
	event_user_only(&list, 3);
	is(list.events[3].name, "r9:Gu", "the same behind another modifier");
	is_number(list.attrs[3].flags, EXCLUDE_K | EXCLUDE_HV | EXCLUDE_HOST, "  its flags");
	parse_events("{r8@1}:u", no_pmus, &list, &error);
	is(list.events[0].name, "r8@1:u", "a counter and a group's modifiers");
	parse_events("cycles:h", no_pmus, &list, &error);
	is_number(list.attrs[0].flags, EXCLUDE_U | EXCLUDE_K, "the hypervisor alone");
	parse_events("cycles:H", no_pmus, &list, &error);
	is_number(list.attrs[0].flags, EXCLUDE_GUEST, "the host alone");
}

static void test_limits(void)
{
	char text[PMUDEV_MAX_EVENTS * 3 + 8] = "r1";
	struct pmudev_events_error error;
	struct event_list list;
	int i;

	for (i = 1; i < PMUDEV_MAX_EVENTS; i++)
		strcat(text, ",r1");
	ok(parse_events(text, no_pmus, &list, &error), "64 events");
	is_number(list.groups, PMUDEV_MAX_GROUPS, "  each a group of its own");
	strcat(text, ",r1");
	ok(!parse_events(text, no_pmus, &list, &error), "65 are too many");
	memset(text, 'u', sizeof(text) - 1);
	memcpy(text, "cycles:", 7);
	ok(!parse_events(text, no_pmus, &list, &error), "a name that has no room is refused");
	is(error.text, "this event is too long", "  and said so");
	memcpy(text, "{r8}:", 5);
	ok(!parse_events(text, no_pmus, &list, &error), "also with the modifiers of its group");
	text[EVENT_NAME - 2] = '\0';
	memcpy(text, "cycles:", 7);
	ok(parse_events(text, no_pmus, &list, &error), "one that just fits");
	event_user_only(&list, 0);
	event_user_only(&list, 0);
	is_number(strlen(list.events[0].name), EVENT_NAME - 1, "  and is cut when it grows");
}

int main(void)
{
	if (!ok(!pmudev_pmus_load(&no_pmus, "/nonexistent"), "no sysfs is no error"))
		return tap_end();
	is_number(pmudev_pmus_nr(no_pmus), 0, "  and no PMU");
	test_good();
	test_bad();
	test_names();
	test_limits();
	pmudev_pmus_free(no_pmus);
	return tap_end();
}
