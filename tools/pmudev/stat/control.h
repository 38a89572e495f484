/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's --control: whoever writes "enable" or "disable" into a descriptor or a FIFO lets the run
 * count or not, and reads "ack" from another when it is done.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct control - the connection
 * @commands: where commands come from, -1: from nowhere
 * @answers: where answers go, -1: nowhere
 * @line: the beginning of a command
 * @used: its length
 */
struct control {
	int commands;
	int answers;
	char line[64];
	size_t used;
};

enum control_command {
	CONTROL_NONE, /* none has come */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,	 /* to be answered only */
	CONTROL_STOP,	 /* the run ends */
	CONTROL_UNKNOWN, /* @line has it */
};

#define CONTROL_CLOSED                        \
	{                                     \
		.commands = -1, .answers = -1 \
	}

/* @text: "fd:N[,M]" or "fifo:PATH[,PATH]". False if it is wrong, which has been told on stderr. */
bool control_open(struct control *control, const char *text);

/* Does not wait. At the end of what can come, @commands is -1. */
enum control_command control_next(struct control *control);

void control_answer(struct control *control);

#endif /* CONTROL_H */
