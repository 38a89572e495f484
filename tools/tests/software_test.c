// SPDX-License-Identifier: MIT
/* Which events of a list `pmudev stat` takes for the kernel's, and what is left to the library. */
#include <stdlib.h>

#include "../pmudev/common/software.h"
#include "tap.h"

/* The order: letters stand for the PMU's events, digits for the kernel's. */
static const struct {
	const char *list;
	const char *rest;
	const char *names;
	const char *order;
} cases[] = {
	{ "cycles", "cycles", "", "a" },
	{ "task-clock", "", "task-clock", "0" },
	{ "cs,cycles,faults,r11:u", "cycles,r11:u", "cs,faults", "0a1b" },
	{ "{task-clock,cycles},page-faults", "{cycles}", "task-clock,page-faults", "0a1" },
	{ "{cycles,task-clock,r1}:u,cs", "{cycles,r1}:u", "task-clock:u,cs", "a0b1" },
	{ "{task-clock,cs}:k", "", "task-clock:k,cs:k", "01" },
	{ "r1,{task-clock},r2", "r1,r2", "task-clock", "a0b" },
	{ "minor-faults:u,{r1,r2}", "{r1,r2}", "minor-faults:u", "0ab" },
	{ "cpu/event=0xc0,cmask=1,inv/u,cs", "cpu/event=0xc0,cmask=1,inv/u", "cs", "a0" },
	{ "task-clocks,task", "task-clocks,task", "", "ab" },
	{ "duration_time,cpu-clock", "", "duration_time,cpu-clock", "01" },
	/* What is wrong stays, for the library to tell. */
	{ "{cycles,cs", "{cycles", "cs", "a0" },
	{ "", "", "", "" },
};

static void check(size_t i)
{
	char names[512] = "", order[PMUDEV_MAX_EVENTS + 1] = "";
	static struct software software;
	char *rest;
	unsigned int n;

	ok(software_split(cases[i].list, &rest, &software), cases[i].list);
	for (n = 0; n < software.nr; n++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", n ? "," : "",
			 software.names[n]);
	for (n = 0; n < software.nr + software.hardware; n++)
		order[n] = software.order[n] < software.hardware ?
				   'a' + software.order[n] :
				   '0' + software.order[n] - software.hardware;
	is(rest, cases[i].rest, "  what is left");
	is(names, cases[i].names, "  what is the kernel's");
	is(order, cases[i].order, "  the order");
	free(rest);
}

static void check_levels(void)
{
	static struct software software;
	char *rest;

	software_split("page-faults:u,cs:k,faults:uk,faults", &rest, &software);
	free(rest);
	ok(software.user_only[0] && !software.kernel_only[0], ":u");
	ok(!software.user_only[1] && software.kernel_only[1], ":k");
	ok(!software.user_only[2] && !software.kernel_only[2], ":uk");
	ok(!software.user_only[3] && !software.kernel_only[3], "no level");
}

/* What has no effect, or another than it says, is no modifier. */
static void check_refused(void)
{
	static const char *const lists[] = {
		"page-faults:U", "page-faults:x", "cs:p",  "page-faults:G",	   "page-faults:uH",
		"page-faults:",	 "{cs,r1}:G",	  "{cs}:", "{page-faults:u,r1}:k", "{cs}xyz",
	};
	static struct software software;
	char *rest;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		ok(!software_split(lists[i], &rest, &software), lists[i]);
		free(rest);
	}
}

/* As many as a set can have are taken, and no more. */
static void check_most(void)
{
	char list[4 * (PMUDEV_MAX_EVENTS + 1)] = "";
	static struct software software;
	unsigned int i;
	char *rest;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		strcat(list, i ? i % 2 ? ",cs" : ",r1" : "r1");
	ok(software_split(list, &rest, &software), "as many as possible");
	is_number(software.nr + software.hardware, PMUDEV_MAX_EVENTS, "  all of them");
	free(rest);
	strcat(list, ",cs");
	ok(!software_split(list, &rest, &software), "one more");
	free(rest);
	ok(!software_split("cycles,user_time", &rest, &software), "refused with advice");
	free(rest);
}

static void check_list(void)
{
	static struct event_list list;
	static struct software software;
	char *rest;

	software_split("r1,cpu-clock:u,cs,duration_time", &rest, &software);
	free(rest);
	list.nr = 1;
	software_append(&software, &list);
	is(list.events[1].name, "cpu-clock:u", "behind the others");
	ok(software_is_clock(&list, 1) && software_is_time(&list, 1), "  a clock");
	ok(!software_is_clock(&list, 2) && !software_is_time(&list, 2), "  none");
	ok(!software_is_clock(&list, 3) && software_is_time(&list, 3), "  a time, but no CPU's");
	ok(!software_is_clock(&list, 0) && !software_is_time(&list, 4), "  not the kernel's");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(i);
	check_levels();
	check_refused();
	check_most();
	check_list();
	return tap_end();
}
