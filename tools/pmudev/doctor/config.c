// SPDX-License-Identifier: GPL-2.0
/*
 * The options of the running kernel: in /proc/config.gz, which gzip unpacks, or as distributions
 * put them into /boot.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"

#define PACKED "/proc/config.gz"

/* All of it, allocated; NULL: there is nothing, or no memory. */
static char *read_all(FILE *in)
{
	char *text = NULL;
	size_t room = 0;

	if (getdelim(&text, &room, '\0', in) > 0)
		return text;
	free(text);
	return NULL;
}

/* Return: its process, negative: it cannot be started */
static pid_t start_gzip(const char *path, int to)
{
	char *const args[] = { "gzip", "-dc", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int error;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	if (!error)
		error = posix_spawnp(&child, args[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error ? -1 : child;
}

static char *unpack(const char *path)
{
	char *text = NULL;
	int ends[2], status;
	pid_t child;
	FILE *in;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	child = start_gzip(path, ends[1]);
	close(ends[1]);
	in = fdopen(ends[0], "re");
	if (in && child > 0)
		text = read_all(in);
	if (in)
		fclose(in);
	else
		close(ends[0]);
	if (child > 0 && waitpid(child, &status, 0) == child && !status)
		return text;
	free(text);
	return NULL;
}

char *doctor_config(const struct doctor *d, char *why, size_t len)
{
	char path[PATH_MAX], *text = NULL;
	const bool packed = doctor_exists(d, PACKED);
	FILE *in;

	snprintf(path, sizeof(path), "%s" PACKED, d->root);
	if (packed)
		text = unpack(path);
	if (text)
		return text;
	snprintf(path, sizeof(path), "%s/boot/config-%s", d->root, d->release);
	in = fopen(path, "re");
	if (in) {
		text = read_all(in);
		fclose(in);
	}
	if (!text)
		snprintf(why, len, "%s, and there is no /boot/config-%s",
			 packed ? "gzip cannot unpack " PACKED : "there is no " PACKED, d->release);
	return text;
}
