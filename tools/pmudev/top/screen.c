// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of `pmudev top`, by ncurses: what keys and signals do. While the process is stopped
 * nothing is lost: the interval is longer.
 */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/ticks.h"
#include "screen.h"

/* The input is gone if it is readable so often without a key. */
#define NO_KEYS 100

#define CTRL_L 12

bool screen_there(void)
{
	return true;
}

/* ----------------------------------------------------------------------------- keys -- */

static void restart(struct screen *s)
{
	watch_every(&s->watch, watch_now(), s->top->interval);
}

static void fail(struct screen *s)
{
	s->status = 1;
	s->end = true;
}

/* If that cannot be counted, what was counted before is counted on. */
static void change_source(struct screen *s, const struct source *source)
{
	const struct source *before = s->top->source;

	if (source == before)
		return;
	s->first = 0;
	if (!top_begin(s->top, source)) {
		snprintf(s->message, sizeof(s->message), "%s: %s", source->noun, s->top->error);
		if (!top_begin(s->top, before))
			fail(s);
	}
	restart(s);
}

static void change_sort(struct screen *s, int by)
{
	const unsigned int nr = s->top->columns.nr;

	top_sort(s->top, (s->top->columns.sort + nr + by) % nr, s->top->columns.reverse);
}

/* One that is longer than the longest step already stays, as one that is shorter than all. */
static void change_interval(struct screen *s, bool longer)
{
	static const uint64_t ms[] = { 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000 };
	unsigned int i;
	uint64_t step;

	for (i = 0; i < ARRAY_SIZE(ms); i++) {
		step = ms[longer ? i : ARRAY_SIZE(ms) - 1 - i] * (NS_PER_SECOND / 1000);
		if (longer ? step <= s->top->interval : step >= s->top->interval)
			continue;
		s->top->interval = step;
		restart(s);
		return;
	}
}

static void scroll_by(struct screen *s, int rows)
{
	const int first = (int)s->first + rows, last = (int)s->top->nr - (int)screen_rows();

	s->first = first < 0 || last < 0 ? 0 : first < last ? first : last;
}

static void do_key(struct screen *s, int key)
{
	/* It has another size, which ncurses tells as if it were a key. */
	if (key == KEY_RESIZE)
		return;
	if (key == CTRL_L) {
		clearok(curscr, true);
		return;
	}
	*s->message = '\0';
	if (s->help && key != 'q') {
		s->help = false;
		return;
	}
	switch (key) {
	case 'q':
		s->end = true;
		break;
	case KEY_LEFT:
	case '<':
	case ',':
		change_sort(s, -1);
		break;
	case KEY_RIGHT:
	case '>':
	case '.':
		change_sort(s, 1);
		break;
	case 'r':
		top_sort(s->top, s->top->columns.sort, !s->top->columns.reverse);
		break;
	case 'c':
		change_source(s, &source_cpus);
		break;
	case 'p':
		change_source(s, &source_processes);
		break;
	case ' ':
		s->paused = !s->paused;
		break;
	case '+':
	case '=':
	case '-':
		change_interval(s, key != '-');
		break;
	case KEY_UP:
		scroll_by(s, -1);
		break;
	case KEY_DOWN:
		scroll_by(s, 1);
		break;
	case KEY_PPAGE:
		scroll_by(s, -(int)screen_rows());
		break;
	case KEY_NPAGE:
		scroll_by(s, screen_rows());
		break;
	case KEY_HOME:
		s->first = 0;
		break;
	case 'h':
	case '?':
		s->help = true;
		break;
	default:
		snprintf(s->message, sizeof(s->message),
			 "no such key; h shows those that there are");
	}
}

static void do_keys(struct screen *s)
{
	int key = getch();

	/* The terminal was closed. */
	s->no_keys = key == ERR ? s->no_keys + 1 : 0;
	if (s->no_keys > NO_KEYS)
		s->end = true;
	for (; key != ERR && !s->end; key = getch())
		do_key(s, key);
}

/* ------------------------------------------------------------------------- the loop -- */

/* The terminal has another size, or is another's for a while; or it ends. */
static void do_signal(struct screen *s)
{
	struct winsize size = { .ws_row = 0 };

	switch (s->watch.signal) {
	case SIGWINCH:
		if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
			resizeterm(size.ws_row, size.ws_col);
		break;
	case SIGTSTP:
		endwin();
		raise(SIGSTOP);
		clearok(curscr, true);
		break;
	default:
		s->end = true;
	}
}

static void do_interval(struct screen *s, uint64_t intervals)
{
	if (s->paused)
		return;
	if (!top_sample(s->top))
		fail(s);
	s->shown++;
	if (s->top->gone || s->shown == intervals)
		s->end = true;
}

static void loop(struct screen *s, uint64_t intervals)
{
	unsigned int what;

	screen_draw(s);
	while (!s->end) {
		what = watch_wait(&s->watch);
		if (what & WATCH_SIGNAL)
			do_signal(s);
		if (what & WATCH_INPUT)
			do_keys(s);
		if (what & WATCH_TICK && !s->end)
			do_interval(s, intervals);
		if (!s->end)
			screen_draw(s);
	}
}

static SCREEN *open_terminal(struct screen *s)
{
	SCREEN *terminal;

	setlocale(LC_CTYPE, "");
	s->blocks = !strcmp(nl_langinfo(CODESET), "UTF-8");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		complain("ncurses does not know the terminal '%s': --batch shows text",
			 getenv("TERM"));
		return NULL;
	}
	cbreak();
	/* Ctrl-C must not discard what is written then: how the terminal is given back. */
	intrflush(stdscr, false);
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, true);
	nodelay(stdscr, true);
	set_escdelay(25);
	return terminal;
}

int screen_run(struct top *top, uint64_t intervals)
{
	struct screen s = { .top = top };
	SCREEN *terminal;

	if (!watch_open(&s.watch, -1))
		return 1;
	watch_also(&s.watch, SIGWINCH);
	watch_also(&s.watch, SIGTSTP);
	terminal = open_terminal(&s);
	if (!terminal) {
		watch_close(&s.watch);
		return 1;
	}
	s.watch.input = isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
	watch_every(&s.watch, top->start, top->interval);
	loop(&s, intervals);
	endwin();
	delscreen(terminal);
	watch_close(&s.watch);
	if (s.status)
		complain("%s", top->error);
	return s.status;
}
