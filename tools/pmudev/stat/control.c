// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "control.h"

/* ------------------------------------------------------------------------ opening -- */

static bool wrong(const char *text)
{
	complain("--control takes fd:CTL[,ACK] or fifo:CTL[,ACK], not '%s'", text);
	return false;
}

static int parse_fd(const char *text, char end)
{
	char *rest;
	long fd = strtol(text, &rest, 10);

	return *text >= '0' && *text <= '9' && *rest == end && fd <= INT_MAX ? (int)fd : -1;
}

static bool is_open(int fd)
{
	if (fcntl(fd, F_GETFD) >= 0)
		return true;
	complain("--control: descriptor %d is not open", fd);
	return false;
}

static bool open_fds(struct control *control, const char *text)
{
	const char *comma = strchr(text, ',');

	control->commands = parse_fd(text, comma ? ',' : '\0');
	if (comma)
		control->answers = parse_fd(comma + 1, '\0');
	if (control->commands < 0 || (comma && control->answers < 0))
		return wrong(text);
	/* The command shall not have them. */
	if (!is_open(control->commands) || (comma && !is_open(control->answers)))
		return false;
	fcntl(control->commands, F_SETFD, FD_CLOEXEC);
	if (comma)
		fcntl(control->answers, F_SETFD, FD_CLOEXEC);
	return true;
}

/* For reading and writing: opening waits for nobody, and the end never comes. */
static int open_fifo(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		complain("--control: cannot open '%s': %s", path, strerror(errno));
	return fd;
}

static bool open_fifos(struct control *control, const char *text)
{
	const char *comma = strchrnul(text, ',');
	char *path = strndup(text, comma - text);

	if (!path || !*path) {
		free(path);
		return wrong(text);
	}
	control->commands = open_fifo(path);
	free(path);
	if (control->commands >= 0 && *comma)
		control->answers = open_fifo(comma + 1);
	return control->commands >= 0 && (!*comma || control->answers >= 0);
}

bool control_open(struct control *control, const char *text)
{
	*control = (struct control)CONTROL_CLOSED;
	if (!strncmp(text, "fd:", 3))
		return open_fds(control, text + 3);
	if (!strncmp(text, "fifo:", 5))
		return open_fifos(control, text + 5);
	return wrong(text);
}

/* ----------------------------------------------------------------------- commands -- */

static enum control_command understand(const char *line)
{
	static const struct {
		const char *word;
		enum control_command command;
	} words[] = {
		{ "enable", CONTROL_ENABLE },
		{ "disable", CONTROL_DISABLE },
		{ "ping", CONTROL_PING },
		{ "stop", CONTROL_STOP },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(line, words[i].word))
			return words[i].command;
	return *line ? CONTROL_UNKNOWN : CONTROL_NONE;
}

/* The next byte. Return: 1, 0: none now, -1: never again */
static int next_byte(const struct control *control, char *byte)
{
	struct pollfd fd = { .fd = control->commands, .events = POLLIN };
	ssize_t got;

	if (poll(&fd, 1, 0) <= 0)
		return 0;
	got = read(control->commands, byte, 1);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return got == 1 ? 1 : -1;
}

enum control_command control_next(struct control *control)
{
	enum control_command command;
	int got;
	char byte;

	while (control->commands >= 0) {
		got = next_byte(control, &byte);
		if (got < 0)
			control->commands = -1;
		if (got <= 0)
			return CONTROL_NONE;
		if (byte != '\n' && byte) {
			if (control->used < sizeof(control->line) - 1)
				control->line[control->used++] = byte;
			continue;
		}
		control->line[control->used] = '\0';
		control->used = 0;
		command = understand(control->line);
		if (command != CONTROL_NONE)
			return command;
	}
	return CONTROL_NONE;
}

void control_answer(struct control *control)
{
	static const char answer[] = "ack\n";

	/* A FIFO that nobody reads is full some time, or nobody has it open: no reason to stop. */
	if (control->answers >= 0 && write_or_epipe(control->answers, answer, strlen(answer)) < 0)
		complain("--control: cannot answer: %s", strerror(errno));
}
