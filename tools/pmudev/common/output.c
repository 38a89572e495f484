// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"

static bool failed(const struct output *output)
{
	complain("cannot write '%s': %s", output->name ? output->name : "stderr", strerror(errno));
	return false;
}

static bool is_file(const struct output *output)
{
	return output->name && strcmp(output->name, "-");
}

/* A terminal, a pipe, a device or a link is written to, and never replaced. */
static bool is_replaceable(const char *name)
{
	struct stat st;

	return lstat(name, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

static void forget(struct output *output)
{
	if (output->temporary)
		unlink(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
}

/* In the same folder, with the mode of a new file; node_exporter reads *.prom only. */
static bool open_temporary(struct output *output)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&output->temporary, "%s.XXXXXX", output->name) < 0) {
		output->temporary = NULL;
		return failed(output);
	}
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd < 0) {
		free(output->temporary);
		output->temporary = NULL;
		return failed(output);
	}
	if (!fchmod(fd, 0666 & ~mask))
		output->out = fdopen(fd, "w");
	if (output->out)
		return true;
	failed(output);
	close(fd);
	forget(output);
	return false;
}

bool output_open(struct output *output, const char *name, bool append, bool whole)
{
	*output = (struct output){ .name = name };
	if (!name) {
		output->out = stderr;
		return true;
	}
	if (!is_file(output)) {
		output->out = stdout;
		return true;
	}
	output->whole = whole && is_replaceable(name);
	/* Report an unwritable file before anything runs. */
	if (output->whole)
		return open_temporary(output);
	output->out = fopen(name, append ? "ae" : "we");
	return output->out || failed(output);
}

bool output_open_fd(struct output *output, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	*output = (struct output){ .name = "--log-fd" };
	output->out = copy < 0 ? NULL : fdopen(copy, "w");
	if (output->out)
		return true;
	complain("cannot write to descriptor %d: %s", fd, strerror(errno));
	return false;
}

bool output_begin(struct output *output)
{
	return output->out || open_temporary(output);
}

bool output_end(struct output *output)
{
	FILE *out = output->out;
	int bad;

	if (!output->whole)
		return (!fflush(out) && !ferror(out)) || failed(output);
	output->out = NULL;
	bad = ferror(out);
	if (fclose(out) || bad || rename(output->temporary, output->name)) {
		failed(output);
		forget(output);
		return false;
	}
	free(output->temporary);
	output->temporary = NULL;
	return true;
}

bool output_close(struct output *output)
{
	FILE *out = output->out;

	output->out = NULL;
	if (!is_file(output))
		return true;
	forget(output);
	return !out || !fclose(out) || failed(output);
}
