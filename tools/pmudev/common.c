// SPDX-License-Identifier: GPL-2.0
/*
 * What the subcommands share: messages, and the way from -e to a list of events.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "events.h"

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "pmudev: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
}

void complain_refusal(struct pmudev *set, const char *what)
{
	char text[512];

	pmudev_explain(set, text, sizeof(text));
	complain("%s: %s", what, text);
}

char *join_events(char *list, const char *more)
{
	char *both;

	if (asprintf(&both, "%s%s%s", list ? list : "", list ? "," : "", more) < 0) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	free(list);
	return both;
}

bool read_events(const char *text, struct event_list *list)
{
	struct event_error error;

	if (parse_events(text, list, &error))
		return true;
	complain("%s", error.text);
	fprintf(stderr, "  %s\n  %*s\n", text, (int)error.position + 1, "^");
	return false;
}

bool codes_fit(struct pmudev *set, const struct event_list *list)
{
	struct pmudev_query query;
	unsigned int i;

	if (pmudev_query(set, 0, &query)) {
		complain_events(set, list);
		return false;
	}
	for (i = 0; i < list->nr; i++) {
		if (!list->events[i].arch || list->events[i].arch == query.arch)
			continue;
		if (list->events[i].arch == PMUDEV_ARCH_INTEL)
			complain("%s: umask, cmask, edge and inv are Intel's, not this CPU's",
				 list->events[i].name);
		else
			complain("%s: on this CPU event is a number up to 0xff, and umask another",
				 list->events[i].name);
		return false;
	}
	return true;
}

bool restrict_to_user(struct event_list *list)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->events[i].levels)
			continue;
		event_user_only(list, i);
		any = true;
	}
	return any;
}

/* @before stands before the event's name. */
static void complain_about(const char *before, const struct event_list *list, int error,
			   const struct pmudev_refusal *why)
{
	const char *name = "", *colon = "";
	char text[512];

	if (why->event >= 0 && (unsigned int)why->event < list->nr) {
		name = list->events[why->event].name;
		colon = ": ";
	}
	pmudev_explain_refusal(error, why, text, sizeof(text));
	complain("%s%s%s%s", before, name, colon, text);
}

void complain_events(struct pmudev *set, const struct event_list *list)
{
	struct pmudev_refusal why = { .event = -1 };
	int error = pmudev_why(set, &why);

	complain_about("", list, error, &why);
}

void complain_bundle(struct pmudev_bundle *bundle, const struct event_list *list)
{
	struct pmudev_refusal why;
	int error = pmudev_bundle_why(bundle, &why);
	char before[32] = "";

	if (bundle->cpu >= 0)
		snprintf(before, sizeof(before), "CPU %d: ", bundle->cpu);
	complain_about(before, list, error, &why);
}
