// SPDX-License-Identifier: GPL-2.0
/*
 * Shared by the subcommands: messages, and parsing of -e.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "events.h"
#include "parts.h"

const char *reason_of(int error, const struct pmudev_refusal *why)
{
	return why->code == PMUDEV_OK ? strerror(-error) : pmudev_strreason(why->code);
}

ssize_t write_or_epipe(int fd, const void *data, size_t size)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	ssize_t written;
	int error;

	sigaction(SIGPIPE, &ignore, &before);
	written = write(fd, data, size);
	error = errno;
	sigaction(SIGPIPE, &before, NULL);
	errno = error;
	return written;
}

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

bool complain_of_line(const char *path, unsigned int line, const char *effect, const char *format,
		      ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	complain("%s:%u: %s; %s", path, line, text, effect);
	return false;
}

bool stdout_arrived(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	complain("cannot write to stdout%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
	return false;
}

void complain_refusal(struct pmudev *set, const char *what)
{
	char text[512];

	pmudev_explain(set, text, sizeof(text));
	complain("%s: %s", what, text);
}

const char *thousands(unsigned long long n, char buf[32])
{
	char *at = buf + 31;
	int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + n % 10;
		n /= 10;
		digits++;
	} while (n);
	return at;
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

const struct pmudev_pmus *known_pmus(void)
{
	static struct pmudev_pmus *pmus;

	if (!pmus && pmudev_pmus_load(&pmus, NULL)) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	return pmus;
}

bool one_kind_of_cpu(void)
{
	if (pmudev_pmus_nr(known_pmus()) <= 1)
		return true;
	complain("this machine has CPUs of several kinds: count on one kind is not enough");
	return false;
}

bool read_events(const char *text, struct event_list *list)
{
	struct pmudev_events_error error;

	if (parse_events(text, known_pmus(), list, &error))
		return true;
	complain("%s", error.text);
	fprintf(stderr, "  %s\n  %*s\n", text, (int)error.position + 1, "^");
	return false;
}

/*
 * Restricts events without u, k or h to user mode, which needs no capability; false if there are
 * none.
 */
static bool restrict_to_user(struct event_list *list)
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

bool give_way(struct event_list *list, const struct pmudev_refusal *why, bool *user_only,
	      bool *cycles)
{
	bool *what = NULL;

	if (why->code == PMUDEV_WHY_CAP_KERNEL && restrict_to_user(list))
		what = user_only;
	if (why->code == PMUDEV_WHY_HARDWARE && why->limit == PMUDEV_THRESHOLD_COUNT &&
	    why->event >= 0 && (unsigned int)why->event < list->nr &&
	    event_count_cycles(list, why->event))
		what = cycles;
	if (what)
		*what = true;
	return what;
}

/* @before: text before the event's name. */
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

void complain_array(struct pmudev_set_array *array, const struct event_list *list)
{
	struct pmudev_refusal why;
	int error = pmudev_set_array_why(array, &why);
	char before[32] = "", names[128];

	if (why.code == PMUDEV_WHY_NO_PMU && why.event >= 0 && (unsigned int)why.event < list->nr) {
		complain("%s: none of these CPUs belongs to %s", list->events[why.event].name,
			 parts_names(list, why.event, names, sizeof(names)));
		return;
	}
	if (array->cpu >= 0)
		snprintf(before, sizeof(before), "CPU %d: ", array->cpu);
	complain_about(before, list, error, &why);
}
