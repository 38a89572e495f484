// SPDX-License-Identifier: MIT
/* --control of `pmudev stat`: what is understood, in pieces too, and answered. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../pmudev/stat/control.h"
#include "tap.h"

static int commands[2], answers[2];

static void send(const char *text)
{
	ok(write(commands[1], text, strlen(text)) == (ssize_t)strlen(text), "it is sent");
}

static void check_commands(struct control *control)
{
	char answer[16] = "";

	is_number(control_next(control), CONTROL_NONE, "nothing has come");
	send("enable\ndisable\n\nping\nstop\n");
	is_number(control_next(control), CONTROL_ENABLE, "enable");
	is_number(control_next(control), CONTROL_DISABLE, "disable");
	is_number(control_next(control), CONTROL_PING, "an empty line is none; ping");
	is_number(control_next(control), CONTROL_STOP, "stop");
	is_number(control_next(control), CONTROL_NONE, "no more");
	send("ena");
	is_number(control_next(control), CONTROL_NONE, "half of one");
	send("ble\n");
	is_number(control_next(control), CONTROL_ENABLE, "and the rest");
	send("snapshot\n");
	is_number(control_next(control), CONTROL_UNKNOWN, "one of perf record's");
	is(control->line, "snapshot", "  which is told");
	control_answer(control);
	ok(read(answers[0], answer, sizeof(answer) - 1) == 4, "an answer");
	is(answer, "ack\n", "  as perf's");
	close(commands[1]);
	is_number(control_next(control), CONTROL_NONE, "the end");
	ok(control->commands == -1, "  nothing will come");
	control_answer(control);
	close(answers[0]);
	control_answer(control);
	ok(true, "nobody reads the answers: no signal ends us");
}

static void check_fifos(void)
{
	char folder[] = "/tmp/control_test.XXXXXX", path[64], text[160];
	struct control control;
	int fd;

	if (!ok(mkdtemp(folder), "a folder"))
		return;
	snprintf(path, sizeof(path), "%s/ctl", folder);
	ok(!mkfifo(path, 0600), "a FIFO");
	snprintf(text, sizeof(text), "fifo:%s", path);
	ok(control_open(&control, text), "is opened, though nobody writes");
	fd = open(path, O_WRONLY);
	ok(write(fd, "enable\n", 7) == 7, "somebody does");
	close(fd);
	is_number(control_next(&control), CONTROL_ENABLE, "enable");
	is_number(control_next(&control), CONTROL_NONE, "and no end");
	ok(control.commands >= 0, "  for the next one who writes");
	close(control.commands);
	snprintf(text, sizeof(text), "fifo:%s/none", folder);
	ok(!control_open(&control, text), "there is no such FIFO");
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	static const char *const wrong[] = { "",       "5",	 "fd:",	    "fd:x",
					     "fd:5x",  "fd:5,",	 "fd:-1",   "fifo:",
					     "pipe:5", "fd:999", "fd:0,999" };
	struct control control;
	char text[32];
	size_t i;

	if (pipe(commands) || pipe(answers))
		return 1;
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ok(!control_open(&control, wrong[i]), "one that is wrong");
	snprintf(text, sizeof(text), "fd:%d,%d", commands[0], answers[1]);
	ok(control_open(&control, text), "two pipes");
	ok(fcntl(commands[0], F_GETFD) & FD_CLOEXEC, "the command does not have them");
	check_commands(&control);
	check_fifos();
	return tap_end();
}
