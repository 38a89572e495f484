/* SPDX-License-Identifier: GPL-2.0 */
/* The screen of `pmudev top`: its state, and one picture of it. */
#ifndef SCREEN_H
#define SCREEN_H

#include "top.h"

#define SCREEN_MESSAGE 640

/**
 * struct screen - what is on it
 * @top: what is counted
 * @watch: what is waited for
 * @paused: nothing is read until it goes on
 * @help: help instead of rows
 * @blocks: the terminal has Unicode's
 * @end: it is over
 * @status: the exit status
 * @first: the first row to be seen
 * @shown: intervals
 * @no_keys: how often there was input without a key
 * @message: why the last key did nothing
 */
struct screen {
	struct top *top;
	struct watch watch;
	bool paused;
	bool help;
	bool blocks;
	bool end;
	int status;
	unsigned int first;
	uint64_t shown;
	unsigned int no_keys;
	char message[SCREEN_MESSAGE];
};

/* Draws it. */
void screen_draw(struct screen *screen);

/* How many rows there is room for. */
unsigned int screen_rows(void);

#endif /* SCREEN_H */
