// SPDX-License-Identifier: GPL-2.0
#include "again.h"

#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>

#define PLAY "--play"

/* Sixteen digits of any number, at the same cost. */
static void hexadecimal(char *text, __u64 n)
{
	int i;

	for (i = 0; i < 16; i++)
		text[i] = "0123456789abcdef"[n >> (60 - 4 * i) & 15];
	text[16] = 0;
}

/* To read the arguments costs the same as long as the number has no letters. */
void exec_again(const char *path, __u64 n, int fd)
{
	char text[24], number[24];
	char *const args[] = { "again", PLAY, text, fd < 0 ? NULL : number, NULL };
	char *const environment[] = { NULL };

	hexadecimal(text, n);
	hexadecimal(number, fd);
	personality(ADDR_NO_RANDOMIZE);
	execve(path, args, environment);
}

void play(int argc, char **argv)
{
	union record r;
	__u64 n;

	if (argc < 3 || strcmp(argv[1], PLAY))
		return;
	n = strtoull(argv[2], NULL, 16);
	loop(n);
	if (argc > 3) {
		if (pm_read(strtol(argv[3], NULL, 16), &r) || r.r.flags != PMUDEV_RECORD_ENABLED)
			raw_call(SYS_exit_group, 1, 0, 0);
		if (r.r.counts[0].value < LOOP_INSTRUCTIONS * n ||
		    r.r.counts[0].value > LOOP_INSTRUCTIONS * n + START_MAX)
			raw_call(SYS_exit_group, 2, 0, 0);
	}
	raw_call(SYS_exit_group, 0, 0, 0);
}

long exec_loop(long n)
{
	exec_again(SELF, n, -1);
	_exit(126);
}

long fork_and_exec(long n)
{
	int child = fork();

	if (!child)
		exec_loop(n);
	return child_result(child);
}

long vfork_and_exec(long n)
{
	int child = vfork();

	if (!child)
		exec_loop(n);
	return child_result(child);
}
