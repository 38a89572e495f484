// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev plot, pmudev compare: Python, of the package pmudev (bindings/python/pmudev/plot).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/beside.h"
#include "../common/cmd.h"

/*
 * Its arguments: the package's folder or nothing, the command, the command's arguments. Nothing is
 * loaded from the current folder, which Python would search first.
 */
static const char program[] =
	"import sys\n"
	"sys.path = [folder for folder in [sys.argv[1], *sys.path] if folder]\n"
	"try:\n"
	"    from pmudev.plot import main\n"
	"except ImportError as error:\n"
	"    sys.exit(f'pmudev: {error}: `make deb` builds the package python3-pmudev; or ' +\n"
	"             'name the folder bindings/python of the sources in PYTHONPATH')\n"
	"sys.exit(main(sys.argv[3:], sys.argv[2]))\n";

/* That of the packages python3-*, or of the path; PMUDEV_PYTHON names another one. */
static const char *find_python(void)
{
	static const char packaged[] = "/usr/bin/python3";
	const char *given = getenv("PMUDEV_PYTHON");

	if (given && *given)
		return given;
	return access(packaged, X_OK) ? "python3" : packaged;
}

/* As built, the package is beside this command; "": Python knows where it is. */
static void find_package(char path[PATH_MAX])
{
	static const char *const files[] = {
		"python/pmudev/plot/__init__.py",
		"python/pmudev/__init__.py",
		"python",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!beside_find(files[i], path)) {
			*path = '\0';
			return;
		}
}

static int start(int argc, char **argv)
{
	const char *python = find_python();
	char folder[PATH_MAX];
	char **args = calloc(argc + 6, sizeof(*args));

	if (!args) {
		complain("no memory left");
		return 1;
	}
	find_package(folder);
	args[0] = (char *)python;
	/* Writes nothing beside the sources. */
	args[1] = "-B";
	args[2] = "-c";
	args[3] = (char *)program;
	args[4] = folder;
	memcpy(args + 5, argv, argc * sizeof(*args));
	execvp(python, args);
	complain("%s: %s; `pmudev %s` needs Python 3; PMUDEV_PYTHON names one elsewhere", python,
		 strerror(errno), argv[0]);
	free(args);
	return 1;
}

int cmd_plot(int argc, char **argv)
{
	return start(argc, argv);
}

int cmd_compare(int argc, char **argv)
{
	return start(argc, argv);
}
