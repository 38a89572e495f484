// SPDX-License-Identifier: GPL-2.0
/*
 * The live table of `pmudev monitor`, on the terminal's alternate screen, so that the previous
 * contents return at the end. One row per event for one CPU, one row per CPU for several. The
 * sequences are ECMA-48's and DEC's, which all terminals since the VT100 support; terminals without
 * an alternate screen ignore them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/ticks.h"
#include "columns.h"
#include "monitor.h"

/* Alternate screen, clear, no cursor, cut long lines; and back. */
#define ENTER "\033[?1049h\033[2J\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static bool entered;

bool live_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/* ----------------------------------------------------------------------- drawing -- */

/* A picture under construction. @text: the current line */
struct canvas {
	FILE *out;
	unsigned int rows;
	unsigned int width;
	unsigned int used;
	FILE *line;
	char text[4096];
};

/* What follows is written to @line, up to end_line(). */
static FILE *begin_line(struct canvas *c)
{
	rewind(c->line);
	memset(c->text, 0, sizeof(c->text));
	return c->line;
}

/* The lowest line has no end: the terminal would scroll. */
static void end_line(struct canvas *c, enum colour what)
{
	fflush(c->line);
	if (c->used == c->rows)
		return;
	fprintf(c->out, "%s%s%.*s%s\033[K", c->used++ ? "\r\n" : "", colour(c->out, what),
		(int)c->width, c->text, colour(c->out, COLOUR_END));
}

static void empty_line(struct canvas *c)
{
	begin_line(c);
	end_line(c, COLOUR_END);
}

static bool off_counters(const struct pmudev_record *before, const struct pmudev_record *now)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		return false;
	columns_remark(out, before, now, 0);
	fclose(out);
	return *text;
}

/* ----------------------------------------------------------------------- one CPU -- */

static unsigned long long gained(const struct pmudev_record *before,
				 const struct pmudev_record *now, unsigned int i)
{
	return now->counts[i].value - before->counts[i].value;
}

/* The count of an event since @before, and its difference to the event's first reading. */
static void event_part(FILE *out, const struct pmudev_record *before,
		       const struct pmudev_record *now, unsigned int i, unsigned int first)
{
	char number[32];

	fprintf(out, " %16s", thousands(gained(before, now, i), number));
	if (first != i)
		fprintf(out, " %10lld",
			(long long)(gained(before, now, i) - gained(before, now, first)));
	else
		fprintf(out, " %10s", "");
}

static void draw_events(struct canvas *c, const struct monitor *m)
{
	const struct watched *w = m->cpus;
	double last, all;
	unsigned int i;
	FILE *out;

	fprintf(begin_line(c), "%-24s %16s %10s %16s %10s", "event", "last interval", "difference",
		"since the start", "difference");
	end_line(c, COLOUR_HEAD);
	for (i = 0; i < m->list->nr; i++) {
		unsigned int first = columns_first(m->list, i);

		out = begin_line(c);
		fprintf(out, "%-24s", m->list->events[i].name);
		event_part(out, &w->before.record, &w->now.record, i, first);
		event_part(out, &w->start.record, &w->now.record, i, first);
		end_line(c, COLOUR_END);
	}
	if (columns_per_cycle(m->list, &w->before.record, &w->now.record, &last) &&
	    columns_per_cycle(m->list, &w->start.record, &w->now.record, &all)) {
		empty_line(c);
		fprintf(begin_line(c), "%-24s %16.2f %10s %16.2f", "insn per cycle", last, "", all);
		end_line(c, COLOUR_END);
	}
	if (off_counters(&w->before.record, &w->now.record)) {
		empty_line(c);
		columns_remark(begin_line(c), &w->before.record, &w->now.record, 0);
		end_line(c, COLOUR_WARN);
	}
}

/* ------------------------------------------------------------------ several CPUs -- */

static void draw_cpu(struct canvas *c, const struct monitor *m, const char *name,
		     const struct pmudev_record *before, const struct pmudev_record *now)
{
	FILE *out = begin_line(c);
	double ratio;

	fprintf(out, "%5s", name);
	columns_line(out, m->list, before, now, true);
	if (columns_per_cycle(m->list, before, now, &ratio))
		fprintf(out, "  %14.2f", ratio);
	columns_remark(out, before, now, 0);
	end_line(c, off_counters(before, now) ? COLOUR_WARN : COLOUR_END);
}

static void add_record(struct pmudev_record *sum, const struct pmudev_record *record,
		       unsigned int nr)
{
	unsigned int i;

	sum->flags |= record->flags & PMUDEV_RECORD_ENABLED;
	sum->time_enabled += record->time_enabled;
	sum->time_running += record->time_running;
	for (i = 0; i < nr; i++)
		sum->counts[i].value += record->counts[i].value;
}

/* @whole: since the start, not since the interval before. @fit: how many CPUs there is room for */
static void draw_block(struct canvas *c, const struct monitor *m, bool whole, unsigned int fit)
{
	static union pmudev_record_buffer from, to;
	unsigned int i;
	char name[16];

	memset(&from, 0, sizeof(from));
	memset(&to, 0, sizeof(to));
	for (i = 0; i < m->nr; i++) {
		const struct watched *w = &m->cpus[i];
		const struct pmudev_record *before = whole ? &w->start.record : &w->before.record;

		add_record(&from.record, before, m->list->nr);
		add_record(&to.record, &w->now.record, m->list->nr);
		snprintf(name, sizeof(name), "%u", w->cpu);
		if (i < fit)
			draw_cpu(c, m, name, before, &w->now.record);
	}
	draw_cpu(c, m, "all", &from.record, &to.record);
}

/* Title, names, the sum and what is told of those that do not fit stand beside the CPUs. */
#define OTHER_LINES 5

static void draw_cpus(struct canvas *c, const struct monitor *m)
{
	const unsigned int fit = c->rows > OTHER_LINES ? c->rows - OTHER_LINES : 0;
	double ratio;
	FILE *out;

	out = begin_line(c);
	fprintf(out, "%5s", "CPU");
	columns_header(out, m->list);
	if (columns_per_cycle(m->list, &m->cpus->start.record, &m->cpus->now.record, &ratio))
		fprintf(out, "  %14s", "insn per cycle");
	end_line(c, COLOUR_HEAD);
	draw_block(c, m, false, fit);
	if (m->nr > fit) {
		fprintf(begin_line(c), "%u more CPUs: the window is too low", m->nr - fit);
		end_line(c, COLOUR_DIM);
	} else if (c->rows - c->used >= m->nr + 3) {
		empty_line(c);
		fprintf(begin_line(c), "since the start:");
		end_line(c, COLOUR_HEAD);
		draw_block(c, m, true, fit);
	}
}

void live_draw(FILE *out, const struct monitor *m, unsigned int rows, unsigned int width)
{
	struct canvas c = { .out = out, .rows = rows, .width = width };

	c.line = fmemopen(c.text, sizeof(c.text), "w");
	if (!c.line)
		return;
	fprintf(out, "\033[H");
	fprintf(begin_line(&c), "pmudev %s: CPU%s %s, every %g s, %.1f s so far; Ctrl-C ends it",
		m->command, m->nr > 1 ? "s" : "", m->cpus_text, (double)m->interval / NS_PER_SECOND,
		seconds_since_start(m->cpus));
	end_line(&c, COLOUR_DIM);
	empty_line(&c);
	if (m->nr > 1)
		draw_cpus(&c, m);
	else
		draw_events(&c, m);
	fprintf(out, "\033[J");
	fclose(c.line);
}

/* ---------------------------------------------------------------------- the view -- */

/* Does another process own the terminal, as after the shell's bg? */
static bool in_background(void)
{
	const pid_t front = tcgetpgrp(STDOUT_FILENO);

	return front > 0 && front != getpgrp();
}

/*
 * At Ctrl-C a terminal discards what was written and is not shown yet (NOFLSH: it does not). That
 * can be LEAVE, and then the terminal stays as ENTER made it. In the background nothing is changed:
 * the kernel stops a process that changes the terminal from there.
 */
static void discard_output(bool discard)
{
	static bool changed;
	struct termios modes;

	if (in_background() || tcgetattr(STDOUT_FILENO, &modes))
		return;
	if (!discard && !(modes.c_lflag & NOFLSH)) {
		modes.c_lflag |= NOFLSH;
		changed = !tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
	} else if (discard && changed) {
		modes.c_lflag &= ~NOFLSH;
		tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
		changed = false;
	}
}

static void live_enter(void)
{
	discard_output(false);
	printf(ENTER);
	entered = true;
}

void live_leave(void)
{
	if (!entered)
		return;
	printf(LEAVE);
	fflush(stdout);
	discard_output(true);
	entered = false;
}

/* A serial line has no size. */
static void live_show(const struct monitor *m)
{
	struct winsize size = { .ws_row = 0 };

	if (in_background())
		return;
	if (!entered)
		live_enter();
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	live_draw(stdout, m, size.ws_row ? size.ws_row : 24, size.ws_col ? size.ws_col : 80);
	fflush(stdout);
}

static void live_begin(const struct monitor *m)
{
	/* Write a picture with one call. */
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	atexit(live_leave);
	live_show(m);
}

/* The sums, as lines that stay on the screen. */
static void live_end(const struct monitor *m)
{
	live_leave();
	view_lines.begin(m);
	view_lines.end(m);
}

const struct view view_live = {
	.begin = live_begin,
	.show = live_show,
	.resized = live_show,
	.end = live_end,
};
