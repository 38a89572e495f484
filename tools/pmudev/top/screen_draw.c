// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the screen, from above to below: ncurses continues a line that is too long in the next one,
 * which begins by clearing that.
 */
#include <curses.h>
#include <stdio.h>

#include "../common/cmd.h"
#include "../common/ticks.h"
#include "screen.h"
#include "spark.h"

/* Lines above and below the rows, and the columns of the number before them. */
#define HEAD_LINES 3
#define FOOT_LINES 1
#define ID_WIDTH   7

/* Of a name and a sparkline: the kernel's longest name; what both shrink to. */
#define NAME_WIDTH  15
#define LEAST_NAME  10
#define LEAST_SPARK 10

static void begin_line(int line)
{
	move(line, 0);
	clrtoeol();
}

unsigned int screen_rows(void)
{
	return LINES > HEAD_LINES + FOOT_LINES ? LINES - HEAD_LINES - FOOT_LINES : 0;
}

static void draw_title(const struct screen *s)
{
	const struct top *top = s->top;
	char left_out[SCREEN_MESSAGE], count[ROW_REMARK];

	begin_line(0);
	printw("pmudev top: %s, every %g s, by %s%s, %.0f s so far%s",
	       rows_count(count, top->nr, !top->sampled, top->source->one, top->source->noun),
	       (double)top->interval / NS_PER_SECOND, top->columns.columns[top->columns.sort].name,
	       top->columns.reverse ? " (smallest first)" : "", (top->now - top->start) / 1e9,
	       top->counting.user_only ? "; user mode" : "");
	if (s->paused) {
		attron(A_REVERSE);
		mvaddstr(0, COLS > 7 ? COLS - 7 : 0, " paused");
		attroff(A_REVERSE);
	}
	top_left_out(top, left_out, sizeof(left_out));
	attron(*s->message ? A_BOLD : A_DIM);
	begin_line(1);
	addnstr(*s->message ? s->message : *left_out ? left_out : top->counting.note, COLS);
	attroff(*s->message ? A_BOLD : A_DIM);
}

static int columns_width(const struct top *top)
{
	int width = ID_WIDTH;
	unsigned int i;

	for (i = 0; i < top->columns.nr; i++)
		width += 1 + column_width(&top->columns.columns[i]);
	return width;
}

/* What is left for the sparkline; none if it would be too short. CPUs have no name. */
static int spark_width(const struct top *top)
{
	int left = COLS - columns_width(top) - 2, width = left;

	if (top->source != &source_cpus) {
		width = left - NAME_WIDTH;
		if (width < LEAST_SPARK)
			width = left - LEAST_NAME < LEAST_SPARK ? left - LEAST_NAME : LEAST_SPARK;
	}
	return width > HISTORY ? HISTORY : width < LEAST_SPARK ? 0 : width;
}

static void draw_head(const struct top *top)
{
	const int width = spark_width(top);
	unsigned int i;

	attron(A_REVERSE);
	begin_line(HEAD_LINES - 1);
	printw("%*s", ID_WIDTH, top->source == &source_cpus ? "CPU" : "PID");
	for (i = 0; i < top->columns.nr; i++) {
		const struct column *column = &top->columns.columns[i];

		addch(' ');
		attron(i == top->columns.sort ? A_BOLD | A_UNDERLINE : A_REVERSE);
		printw("%*s", column_width(column), column->name);
		attroff(A_BOLD | A_UNDERLINE);
	}
	if (width)
		printw(" %-*.*s", width, width, top->columns.columns[top->columns.sort].name);
	printw(" %-*s", COLS, top->source == &source_cpus ? "" : "COMMAND");
	attroff(A_REVERSE);
}

/* Bytes that the terminal's character set may not have become '?'. */
static const char *plain(const struct screen *s, const char *name, char *text, size_t len)
{
	char *at;

	snprintf(text, len, "%s", name);
	for (at = text; *at && !s->blocks; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	return text;
}

static void draw_row(const struct screen *s, const struct row *row, int line)
{
	const struct columns *columns = &s->top->columns;
	const int width = spark_width(s->top);
	char text[SPARK_BYTES(HISTORY)], name[sizeof(row->name)];
	const char *remark;
	unsigned int i;

	begin_line(line);
	printw("%*d", ID_WIDTH, row->id);
	for (i = 0; i < columns->nr; i++) {
		const struct column *column = &columns->columns[i];

		addch(' ');
		attron(i == columns->sort ? A_BOLD : A_NORMAL);
		printw("%*s", column_width(column), column_text(column, row->values[i], text));
		attroff(A_BOLD);
	}
	if (width)
		printw(" %s", spark(row, columns->sort, width, s->blocks, text));
	printw(" %s", plain(s, row->name, name, sizeof(name)));
	remark = row_remark(row, text);
	if (!remark)
		return;
	attron(A_DIM);
	printw(" # %s", remark);
	attroff(A_DIM);
}

static void draw_rows(struct screen *s)
{
	const struct top *top = s->top;
	const unsigned int room = screen_rows();
	unsigned int i;

	if (s->first && s->first + room > top->nr)
		s->first = top->nr > room ? top->nr - room : 0;
	for (i = 0; i < room && s->first + i < top->nr; i++)
		draw_row(s, top->rows[s->first + i], HEAD_LINES + i);
	for (; i < room; i++)
		begin_line(HEAD_LINES + i);
	if (!top->sampled)
		mvprintw(HEAD_LINES, 0, "the first interval ends after %g s",
			 (double)top->interval / NS_PER_SECOND);
}

/* What is not counted, whole. */
static void draw_notes(const struct top *top)
{
	char left_out[SCREEN_MESSAGE];

	top_left_out(top, left_out, sizeof(left_out));
	printw("%s%s%s", top->counting.note, *top->counting.note && *left_out ? "\n" : "",
	       left_out);
}

static void draw_help(const struct top *top)
{
	static const char *const lines[] = {
		"left right < >    the column to sort by: underlined, its values are bold",
		"r                 the smallest first, or the largest",
		"p c               processes, or CPUs (needs CAP_PERFMON)",
		"space             pause: counting goes on, and the next interval is longer",
		"+ -               a longer or shorter interval",
		"up down page home the rows that are seen",
		"q                 end",
		"",
		"Numbers are of the last interval; events per second are of the time that passed.",
		"br-miss/k, c-miss/k: branch and cache misses per 1000 instructions. A '-' has no",
		"value. The bars are the last values of the column that rows are sorted by, for",
		"each row from 0 to its own largest.",
		"A process is counted from when it is found, at the end of an interval.",
		"Only what is seen is counted: processes or CPUs.",
		"",
		"any key: back",
		"",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		mvaddnstr(HEAD_LINES - 1 + i, 0, lines[i], COLS);
	draw_notes(top);
}

static void draw_foot(const struct screen *s)
{
	const unsigned int room = screen_rows(), nr = s->top->nr;

	attron(A_DIM);
	begin_line(LINES - 1);
	addstr("q end  h help  < > sort  r reverse  c CPUs  p processes  space pause");
	if (nr > room)
		printw("  rows %u-%u of %u", s->first + 1,
		       s->first + room < nr ? s->first + room : nr, nr);
	attroff(A_DIM);
}

void screen_draw(struct screen *s)
{
	erase();
	draw_title(s);
	if (s->help) {
		draw_help(s->top);
	} else {
		draw_head(s->top);
		draw_rows(s);
		draw_foot(s);
	}
	refresh();
}
