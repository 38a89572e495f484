// SPDX-License-Identifier: MIT
/* The parser of event lists. */
#include "../pmudev/events.h"
#include "tap.h"

#define EXCLUDE_U PMUDEV_EXCLUDE_USER
#define EXCLUDE_K PMUDEV_EXCLUDE_KERNEL
#define EXCLUDE_HV PMUDEV_EXCLUDE_HV
#define EXCLUDE_HOST PMUDEV_EXCLUDE_HOST
#define EXCLUDE_GUEST PMUDEV_EXCLUDE_GUEST

/*
 * What a list means, as text: for each event "group:type/config/flags", and what is said of
 * "@counter", "&allowed counters" and "~threshold.comparison".
 */
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
	/* the CPU's own codes, field by field */
	{ "cpu/event=0xc0/", "0:1/c0/0" },
	{ "cpu/event=192,umask=0/", "0:1/c0/0" },
	{ "cpu/event=0x2e,umask=0x41/u", "0:1/412e/6" },
	{ "cpu/umask=0x41,event=0x2e/:k", "0:1/412e/5" },
	{ "cpu/event=0xc0,cmask=1,inv,edge/", "0:1/18400c0/0" },
	{ "cpu/event=0xc0,cmask=0xff,inv=1,edge=0/,cycles", "0:1/ff8000c0/0 1:0/0/0" },
	{ "cpu/event=0x4004/", "0:1/4004/0" },
	{ "{cpu/event=1/,cpu/event=2,edge/}:u", "0:1/1/6 0:1/40002/6" },
	/* flags: 400 a counter was chosen, 800 cycles are counted */
	{ "instructions@2", "0:0/1/400@2" },
	{ "instructions@0:u", "0:0/1/406@0" },
	{ "instructions@fixed0,cycles@32", "0:0/1/400@32 1:0/0/400@32" },
	{ "rc0@fixed15", "0:1/c0/400@47" },
	{ "r3c@63", "0:1/3c/400@63" },
	{ "cycles@0x1f", "0:0/0/400@31" },
	{ "cpu/event=0x3c/@3:k", "0:1/3c/405@3" },
	{ "r3c@0-3,r3c@2-2,r3c@0-63", "0:1/3c/0&f 1:1/3c/0&4 2:1/3c/0&ffffffffffffffff" },
	{ "r3c@1-fixed1", "0:1/3c/0&3fffffffe" },
	{ "{r3c@3,r3c@fixed1}:u", "0:1/3c/406@3 0:1/3c/406@33" },
	/* thresholds: 0 not equal, 1 equal, 2 greater or equal, 3 less */
	{ "cpu/event=0xc2,threshold=2/", "0:1/c2/0~2.2" },
	{ "cpu/event=0xc2,threshold=1,threshold_compare=lt,threshold_count/", "0:1/c2/800~1.3" },
	{ "instructions/threshold=4095,threshold_compare=ne/u", "0:0/1/6~4095.0" },
	{ "instructions/threshold_compare=eq,threshold=1,threshold_count=0/", "0:0/1/0~1.1" },
	{ "instructions/threshold=1,threshold_compare=3,threshold_count=1/@2", "0:0/1/c00@2~1.3" },
	{ "cycles/threshold_count/", "0:0/0/800" },
	{ "cycles/threshold=0,threshold_compare=lt/", "0:0/0/0" },
};

#define UNKNOWN_FIELD(name)                                                               \
	"unknown field '" name "'; there are event, umask, cmask, edge, inv, threshold, " \
	"threshold_compare, threshold_count, name"
#define COUNTER "a counter is a number up to 63, fixedN, or a range such as 0-3"

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
	{ "cpu/event=0xc0", 3, "this '/' is not closed" },
	{ "{cpu/event=1}", 4, "this '/' is not closed" },
	{ "cycles/u", 7, UNKNOWN_FIELD("u") },
	{ "cpu//", 4, UNKNOWN_FIELD("") },
	{ "cpu/event=1,/", 12, UNKNOWN_FIELD("") },
	{ "cpu/event=1,any/", 12, UNKNOWN_FIELD("any") },
	{ "cpu/umask=1/", 4, "the event's code is missing: event=..." },
	{ "cpu/name=x/", 4, "the event's code is missing: event=..." },
	{ "cpu/event/", 9, "event needs a value: event=..." },
	{ "cpu/event=/", 10, "event is a number up to 0xffff" },
	{ "cpu/event=0x/", 10, "event is a number up to 0xffff" },
	{ "cpu/event=c0/", 10, "event is a number up to 0xffff" },
	{ "cpu/event=0x10000/", 10, "event is a number up to 0xffff" },
	{ "cpu/event=4294967488/", 10, "event is a number up to 0xffff" },
	{ "cpu/event=0x1c0,umask=0/", 4, "event is a number up to 0xff beside umask, cmask ..." },
	{ "cpu/event=1,umask=256/", 18, "umask is a number up to 0xff" },
	{ "cpu/event=1,edge=2/", 17, "edge is 0 or 1" },
	{ "cpu/event=1,event=2/", 12, "event is here twice" },
	{ "cycles/umask=1/", 7, "umask is for cpu/event=.../" },
	{ "cycles/threshold/", 16, "threshold needs a value: threshold=..." },
	{ "cycles/threshold=4096/", 17, "threshold is a number up to 0xfff" },
	{ "cycles/threshold=1,threshold_compare=gt/", 37, "threshold_compare is ge, lt, eq or ne" },
	{ "cycles/name/", 11, "name needs a value: name=..." },
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
	"foo", "Cycles", "cycle", "r", "rg", "r12345678123456789", "r-1",
	"0x11", "cpu", "cpux/event=1/",
};

static void describe(const struct event_list *list, char *buf, size_t len)
{
	unsigned int i;
	size_t used = 0;

	buf[0] = '\0';
	for (i = 0; i < list->nr && used < len - 100; i++) {
		const struct pmudev_event_attr *attr = &list->attrs[i];

		used += sprintf(buf + used, "%s%u:%u/%llx/%x", i ? " " : "", attr->group,
				attr->type, (unsigned long long)attr->config, attr->flags);
		if (attr->flags & PMUDEV_COUNTER || attr->counter)
			used += sprintf(buf + used, "@%u", attr->counter);
		if (attr->allowed)
			used += sprintf(buf + used, "&%llx", (unsigned long long)attr->allowed);
		if (attr->threshold || attr->threshold_compare)
			used += sprintf(buf + used, "~%u.%u", attr->threshold,
					attr->threshold_compare);
	}
}

static void test_good(void)
{
	struct event_error error;
	struct event_list list;
	char meaning[512];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!parse_events(good[i].text, &list, &error)) {
			is(error.text, "", good[i].text);
			continue;
		}
		describe(&list, meaning, sizeof(meaning));
		is(meaning, good[i].meaning, good[i].text);
	}
}

static void test_bad(void)
{
	struct event_error error;
	struct event_list list;
	char what[128];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(what, sizeof(what), "refused: '%s'", bad[i].text);
		if (!ok(!parse_events(bad[i].text, &list, &error), what))
			continue;
		is(error.text, bad[i].error, "  its sentence");
		is_number(error.position, bad[i].position, "  its position");
	}
	for (i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		snprintf(what, sizeof(what), "unknown: '%s'", unknown[i]);
		if (ok(!parse_events(unknown[i], &list, &error), what))
			ok(!!strstr(error.text, "unknown event"), "  and said so");
	}
}

static void test_names(void)
{
	struct event_error error;
	struct event_list list;

	parse_events("{cycles,r8}:u,instructions,r9:G", &list, &error);
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
	parse_events("cpu/event=1/u,cpu/event=2,name=two/k,cycles/name=c/@2:k,{r8@1}:u", &list,
		     &error);
	is(list.events[0].name, "cpu/event=1/:u", "a ':' is put behind the slash");
	is(list.events[1].name, "two:k", "an event is called what name= says");
	is(list.events[2].name, "c@2:k", "  with its counter");
	is(list.events[3].name, "r8@1:u", "a counter and a group's modifiers");
	parse_events("cpu/event=1/", &list, &error);
	event_user_only(&list, 0);
	is(list.events[0].name, "cpu/event=1/:u", "restricted to user mode behind a slash");
	parse_events("cpu/event=0xff/,cpu/event=1,edge=0/,cpu/event=0x100/,r100,cycles", &list,
		     &error);
	ok(!list.events[0].arch && !list.events[3].arch && !list.events[4].arch,
	   "codes that every CPU may have");
	is_number(list.events[1].arch, PMUDEV_ARCH_INTEL, "  Intel's");
	is_number(list.events[2].arch, PMUDEV_ARCH_ARM64, "  arm64's");
	parse_events("cycles:h", &list, &error);
	is_number(list.attrs[0].flags, EXCLUDE_U | EXCLUDE_K, "the hypervisor alone");
	parse_events("cycles:H", &list, &error);
	is_number(list.attrs[0].flags, EXCLUDE_GUEST, "the host alone");
}

static void test_limits(void)
{
	char text[PMUDEV_MAX_EVENTS * 3 + 8] = "r1";
	struct event_error error;
	struct event_list list;
	int i;

	for (i = 1; i < PMUDEV_MAX_EVENTS; i++)
		strcat(text, ",r1");
	ok(parse_events(text, &list, &error), "64 events");
	is_number(list.groups, PMUDEV_MAX_GROUPS, "  each a group of its own");
	strcat(text, ",r1");
	ok(!parse_events(text, &list, &error), "65 are too many");
	memset(text, 'u', sizeof(text) - 1);
	memcpy(text, "cycles:", 7);
	ok(!parse_events(text, &list, &error), "a name that has no room is refused");
	is(error.text, "this event is too long", "  and said so");
	memcpy(text, "{r8}:", 5);
	ok(!parse_events(text, &list, &error), "also with the modifiers of its group");
	text[EVENT_NAME - 2] = '\0';
	memcpy(text, "cycles:", 7);
	ok(parse_events(text, &list, &error), "one that just fits");
	event_user_only(&list, 0);
	event_user_only(&list, 0);
	is_number(strlen(list.events[0].name), EVENT_NAME - 1, "  and is cut when it grows");
}

int main(void)
{
	test_good();
	test_bad();
	test_names();
	test_limits();
	return tap_end();
}
