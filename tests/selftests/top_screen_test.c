// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of `pmudev top` on a terminal of its own: what keys do to it, and that the terminal is
 * given back as it was.
 */
#include "command.h"
#include "common.h"
#include "kselftest_harness.h"

#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>

/* xterm's other screen */
#define ENTER "\033[?1049h"
#define LEAVE "\033[?1049l"

/* Draws all again, so that texts are whole. */
#define REDRAW "\014"

static struct output output;

/* A process whose row is looked for: this one. */
#define NAME "looked-for"

static char pid[16];
static char *const top[] = { "pmudev", "top", "-i", "0.1", "-e", "instructions,cycles",
			     "-p",     pid,   NULL };

FIXTURE(screen)
{
	int master;
	int command;
	size_t got;
	struct termios before;
};

FIXTURE_SETUP(screen)
{
	self->master = -1;
	self->command = -1;
	self->got = 0;
	snprintf(pid, sizeof(pid), "%d", getpid());
	prctl(PR_SET_NAME, NAME);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	if (access("/usr/share/terminfo/x/xterm", R_OK) && access("/lib/terminfo/x/xterm", R_OK))
		SKIP(return, "there is no terminfo of xterm");
}

FIXTURE_TEARDOWN(screen)
{
	if (self->command > 0) {
		kill(self->command, SIGKILL);
		waitpid(self->command, NULL, 0);
	}
	if (self->master >= 0)
		close(self->master);
}

/* On a terminal of 24 x @width. */
static bool start_there(struct _test_data_screen *self, unsigned short width, char *const argv[])
{
	struct winsize size = { .ws_row = 24, .ws_col = width };

	memset(&output, 0, sizeof(output));
	self->command = forkpty(&self->master, NULL, NULL, &size);
	if (!self->command) {
		setenv("TERM", "xterm", 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	return self->command > 0 && !tcgetattr(self->master, &self->before);
}

/*
 * Reads on until @text has been seen; false if it ends before, or is not seen for long. What is
 * full begins again.
 */
static bool seen(struct _test_data_screen *self, const char *text)
{
	const __u64 end = now_ns() + 5000000000ULL;
	ssize_t n;

	while (!strstr(output.text, text)) {
		if (self->got > sizeof(output.text) / 2) {
			self->got -= sizeof(output.text) / 4;
			memmove(output.text, output.text + sizeof(output.text) / 4, self->got + 1);
		}
		n = read(self->master, output.text + self->got,
			 sizeof(output.text) - 1 - self->got);
		if (n <= 0 || now_ns() > end)
			return false;
		self->got += n;
		output.text[self->got] = '\0';
	}
	return true;
}

/* Forgets what was seen, and presses keys. */
static bool press(struct _test_data_screen *self, const char *keys)
{
	const ssize_t len = strlen(keys);

	self->got = 0;
	output.text[0] = '\0';
	return write(self->master, keys, len) == len;
}

static int ended(struct _test_data_screen *self)
{
	int status = -1;

	while (seen(self, "what nobody prints"))
		;
	waitpid(self->command, &status, 0);
	self->command = -1;
	return status;
}

static bool same_terminal(struct _test_data_screen *self)
{
	struct termios now;

	return !tcgetattr(self->master, &now) && now.c_lflag == self->before.c_lflag &&
	       now.c_iflag == self->before.c_iflag && now.c_oflag == self->before.c_oflag;
}

/* Its first interval is on the screen, or it ended before, as without ncurses. */
static bool begins(struct _test_data_screen *self, unsigned short width)
{
	return start_there(self, width, top) && seen(self, ENTER) && seen(self, "pmudev top: ") &&
	       seen(self, NAME);
}

static bool has_no_screen(void)
{
	return strstr(output.text, "built without ncurses");
}

#define EXPECT_SEEN(keys, what)                                          \
	do {                                                             \
		ASSERT_TRUE(press(self, keys REDRAW));                   \
		EXPECT_TRUE(seen(self, what)) TH_LOG("%s", output.text); \
	} while (0)

TEST_F(screen, keys)
{
	if (!begins(self, 120) && has_no_screen())
		SKIP(return, "the command was built without ncurses");
	EXPECT_SEEN("", "1 process, every 0.1 s, by instructions/s");
	EXPECT_SEEN("", "COMMAND");
	EXPECT_SEEN("", pid);
	EXPECT_SEEN("", NAME);
	EXPECT_SEEN(">", "by cycles/s");
	EXPECT_SEEN("\033OC", "by IPC");
	EXPECT_SEEN("r", "by IPC (smallest first)");
	EXPECT_SEEN("r<", "by cycles/s,");
	EXPECT_SEEN("\033OD", "by instructions/s");
	EXPECT_SEEN("+", "every 0.2 s");
	EXPECT_SEEN("--", "every 0.1 s");
	EXPECT_SEEN(" ", "paused");
	EXPECT_SEEN(" h", "any key: back");
	EXPECT_SEEN("h", "1 process, every");
	EXPECT_SEEN("c", "CPU");
	EXPECT_SEEN("", cpus_online() > 1 ? " CPUs, every 0.1 s" : "1 CPU");
	EXPECT_SEEN("p", "process");
	EXPECT_SEEN("Z", "no such key");
	EXPECT_FALSE(same_terminal(self));
	ASSERT_TRUE(press(self, "q"));
	EXPECT_EQ(0, ended(self));
	EXPECT_EQ(1U, times_in(&output, LEAVE));
	EXPECT_TRUE(same_terminal(self));
}

/* Before there is a row none is counted. */
TEST_F(screen, waits_for_the_first_interval)
{
	static char *const slow[] = { "pmudev", "top", "-a", "-i", "60", NULL };
	const bool waits =
		start_there(self, 120, slow) && seen(self, "waiting for CPUs, every 60 s");

	if (!waits && has_no_screen())
		SKIP(return, "the command was built without ncurses");
	EXPECT_TRUE(waits) TH_LOG("%s", output.text);
	EXPECT_TRUE(seen(self, "the first interval ends after 60 s"));
	EXPECT_EQ(NULL, strstr(output.text, "0 CPUs"));
	ASSERT_TRUE(press(self, "q"));
	EXPECT_EQ(0, ended(self));
}

TEST_F(screen, follows_the_window)
{
	struct winsize low = { .ws_row = 6, .ws_col = 40 };

	if (!begins(self, 120) && has_no_screen())
		SKIP(return, "the command was built without ncurses");
	ASSERT_EQ(0, ioctl(self->master, TIOCSWINSZ, &low));
	/* Cut to 40 characters, of which the last is drawn on its own. */
	EXPECT_SEEN("", "q end  h help  < > sort  r reverse  c C");
	EXPECT_EQ(NULL, strstr(output.text, "no such key"));
	EXPECT_EQ(NULL, strstr(output.text, "processes  space pause"));
	ASSERT_TRUE(press(self, "q"));
	EXPECT_EQ(0, ended(self));
}

TEST_F(screen, ctrl_c_ends_it)
{
	if (!begins(self, 80) && has_no_screen())
		SKIP(return, "the command was built without ncurses");
	ASSERT_TRUE(press(self, "\003"));
	EXPECT_EQ(0, ended(self));
	EXPECT_EQ(1U, times_in(&output, LEAVE));
	EXPECT_TRUE(same_terminal(self));
}

/* Ctrl-Z: the shell has its terminal, until it is continued. */
TEST_F(screen, gives_the_terminal_back_while_stopped)
{
	int status;

	if (!begins(self, 80) && has_no_screen())
		SKIP(return, "the command was built without ncurses");
	ASSERT_TRUE(press(self, "\032"));
	ASSERT_TRUE(seen(self, LEAVE));
	ASSERT_EQ(self->command, waitpid(self->command, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	EXPECT_TRUE(same_terminal(self));
	ASSERT_TRUE(press(self, ""));
	ASSERT_EQ(0, kill(self->command, SIGCONT));
	ASSERT_TRUE(seen(self, ENTER));
	EXPECT_SEEN("", "1 process, every");
	ASSERT_EQ(0, kill(self->command, SIGTERM));
	EXPECT_EQ(0, ended(self));
	EXPECT_TRUE(same_terminal(self));
}

TEST_F(screen, ends_after_its_intervals)
{
	static char *const twice[] = { "pmudev", "top", "-i",		"0.05", "-n",
				       "2",	 "-e",	"instructions", NULL };

	if (!begins(self, 80) && has_no_screen())
		SKIP(return, "the command was built without ncurses");
	ASSERT_TRUE(press(self, "q"));
	EXPECT_EQ(0, ended(self));
	close(self->master);
	self->got = 0;
	ASSERT_TRUE(start_there(self, 80, twice));
	EXPECT_EQ(0, ended(self));
	EXPECT_EQ(1U, times_in(&output, LEAVE));
}

TEST_HARNESS_MAIN
