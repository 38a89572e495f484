// SPDX-License-Identifier: GPL-2.0
/*
 * All test programs in one: runs the test whose name this file has, or is called by, or that the
 * first argument names. One link instead of a hundred, and one file in a machine's memory.
 */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A test that executes itself may do so under any name. */
#define NAME_ENV "PMUDEV_TEST_NAME"

typedef void (*constructor)(int argc, char **argv, char **envp);

/* The bounds of the section that the Makefile puts a test's constructors into. */
#define CALL(name)                                      \
	int name##_main(int argc, char **argv);         \
	extern const constructor __start_init_##name[]; \
	extern const constructor __stop_init_##name[];
#include "names.inc"
#undef CALL

static const struct call {
	const char *name;
	int (*main)(int argc, char **argv);
	const constructor *first;
	const constructor *end;
} calls[] = {
#define CALL(name) { #name, name##_main, __start_init_##name, __stop_init_##name },
#include "names.inc"
#undef CALL
};

static const struct call *find(const char *path)
{
	const char *slash, *name;
	size_t i;

	if (!path)
		return NULL;
	slash = strrchr(path, '/');
	name = slash ? slash + 1 : path;
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	}
	return NULL;
}

/* Under which name the file was executed: there is a link to it for each test. */
static const struct call *find_own(void)
{
	char path[256];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return NULL;
	path[len] = '\0';
	return find(path);
}

int main(int argc, char **argv, char **envp)
{
	const struct call *call = find(argv[0]);
	const constructor *c;

	if (!call)
		call = find_own();
	if (!call)
		call = find(getenv(NAME_ENV));
	if (!call && argc > 1) {
		call = find(argv[1]);
		argc--;
		argv++;
	}
	if (!call) {
		fprintf(stderr, "no such test: %s; call this program by the name of one\n",
			argv[0] ? argv[0] : "(none)");
		return 1;
	}
	setenv(NAME_ENV, call->name, 1);
	for (c = call->first; c < call->end; c++)
		(*c)(argc, argv, envp);
	return call->main(argc, argv);
}
