// SPDX-License-Identifier: GPL-2.0
/*
 * What README.md and docs/ show of a shell is what the shell shows. A block of commands there
 * (lines indented by four blanks) has a line before it that says where it is run:
 *
 *	<!-- run on MACHINES [smpN] [user_access] -->
 *
 * MACHINES are names of tests/vm/boot, or patterns, separated by commas; smpN wants so many CPUs;
 * user_access enables user access. Lines that begin with "$ " are commands, the others what they
 * print: numbers stand for any number, blanks for any blanks, a line "..." for any lines, and "..."
 * at the end of one for its rest. A block without "$ " has commands only, each of which succeeds.
 * A block that shows `pmudev` at work and is run nowhere is an error.
 */
#include "command.h"
#include "common.h"
#include "kselftest_harness.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of them, one behind the other, each after a line "@@ NAME": the Makefile makes it. */
static const char docs_text[] =
#include "docs.inc"
	;

#define MARK	"<!-- run on "
#define INDENT	"    "
#define LINES	64
#define MACHINE "no session of README.md or docs/ is for this machine"

struct block {
	char file[64];
	unsigned int line;
	char mark[128]; /* "" if it has none */
	unsigned int nr;
	char lines[LINES][256];
};

static struct block block;
static struct output output;
static const char *at;
static char file[64];
static unsigned int line_nr;

static size_t line_length(void)
{
	return strcspn(at, "\n");
}

static void next_line(void)
{
	at += line_length();
	at += *at == '\n';
	line_nr++;
}

/* The next block of indented lines; what stands between its lines may be empty. False: no more. */
static bool next_block(void)
{
	char mark[128] = "";

	memset(&block, 0, sizeof(block));
	for (; *at; next_line()) {
		bool empty = !line_length();

		if (!strncmp(at, INDENT, 4) || (empty && block.nr)) {
			if (!block.nr) {
				snprintf(block.file, sizeof(block.file), "%s", file);
				block.line = line_nr;
				snprintf(block.mark, sizeof(block.mark), "%s", mark);
			}
			if (block.nr < LINES)
				snprintf(block.lines[block.nr++], sizeof(block.lines[0]), "%.*s",
					 empty ? 0 : (int)line_length() - 4, at + 4);
			continue;
		}
		if (block.nr)
			return true;
		if (!strncmp(at, "@@ ", 3)) {
			snprintf(file, sizeof(file), "%.*s", (int)line_length() - 3, at + 3);
			line_nr = 0;
		}
		if (!strncmp(at, MARK, strlen(MARK)))
			snprintf(mark, sizeof(mark), "%.*s", (int)(line_length() - strlen(MARK)),
				 at + strlen(MARK));
		else if (!empty)
			mark[0] = '\0';
	}
	return block.nr;
}

/* Is the block for this machine? If so, sets user access as the block wants it. */
static bool is_for_here(void)
{
	char text[128], *words, *word, *machine, *machines, *rest = NULL;
	bool user_access = false;

	snprintf(text, sizeof(text), "%s", block.mark);
	words = text;
	machines = strtok_r(words, " ", &rest);
	while ((word = strtok_r(NULL, " ", &rest))) {
		if (!strncmp(word, "smp", 3) && atoi(word + 3) != cpus_online())
			return false;
		user_access |= !strcmp(word, "user_access");
	}
	for (machine = strtok_r(machines, ",", &rest); machine;
	     machine = strtok_r(NULL, ",", &rest)) {
		if (!fnmatch(machine, machine_name(), 0))
			return !set_user_access(user_access);
	}
	return false;
}

/* Numbers to #, blanks to one, in place. The address of what is left. */
static char *plain(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		if (isdigit(*from)) {
			from += strspn(from, "0123456789");
			while ((*from == '.' || *from == ',') && isdigit(from[1]))
				from += 1 + strspn(from + 1, "0123456789");
			*to++ = '#';
		} else if (isspace(*from)) {
			while (isspace(*from))
				from++;
			if (to > text && *from)
				*to++ = ' ';
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return text;
}

static bool line_matches(const char *expected, const char *line)
{
	size_t len = strlen(expected);

	if (len <= 3 || strcmp(expected + len - 3, "..."))
		return !strcmp(expected, line);
	/* The rest may be nothing, and then there is no blank before it. */
	len -= 3;
	if (expected[len - 1] == ' ' && !strncmp(expected, line, len - 1) && !line[len - 1])
		return true;
	return !strncmp(expected, line, len);
}

/* What is printed, from here on, is what is expected from line i on, up to the next command. */
static bool matches(unsigned int i, char *text)
{
	char *end = strchr(text, '\n'), *rest = end ? end + 1 : text + strlen(text);
	bool last = i >= block.nr || !strncmp(block.lines[i], "$ ", 2), same;
	char line[512], expected[256];

	if (!last && !block.lines[i][0])
		return matches(i + 1, text);
	snprintf(line, sizeof(line), "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
	plain(line);
	if (*text && !*line)
		return matches(i, rest);
	if (last)
		return !*text;
	snprintf(expected, sizeof(expected), "%s", block.lines[i]);
	if (!strcmp(plain(expected), "..."))
		return matches(i + 1, text) || (*text && matches(i, rest));
	same = *text && line_matches(expected, line);
	return same && matches(i + 1, rest);
}

static bool has_prompts(void)
{
	unsigned int i;

	for (i = 0; i < block.nr; i++)
		if (!strncmp(block.lines[i], "$ ", 2))
			return true;
	return false;
}

/* Runs the commands of the block; the first line with one that was not as shown, or -1. */
static int run_block(void)
{
	bool prompts = has_prompts();
	unsigned int i;

	for (i = 0; i < block.nr; i++) {
		if (prompts && !strncmp(block.lines[i], "$ ", 2)) {
			run(&output, "%s", block.lines[i] + 2);
			if (!matches(i + 1, output.text))
				return i;
		} else if (!prompts && block.lines[i][0]) {
			run(&output, "%s", block.lines[i]);
			if (output.status)
				return i;
		}
	}
	return -1;
}

static bool shows_command(void)
{
	unsigned int i;

	for (i = 0; i < block.nr; i++)
		if (!strncmp(block.lines[i], "$ ", 2) || !strncmp(block.lines[i], "pmudev ", 7))
			return true;
	return false;
}

FIXTURE(docs)
{
};

FIXTURE_SETUP(docs)
{
	char self_path[256] = "", path[512];

	ASSERT_GT(readlink("/proc/self/exe", self_path, sizeof(self_path) - 1), 0);
	snprintf(path, sizeof(path), "%.*s/examples:%s", (int)(strrchr(self_path, '/') - self_path),
		 self_path, getenv("PATH"));
	setenv("PATH", path, 1);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	at = docs_text;
	line_nr = 1;
}

FIXTURE_TEARDOWN(docs)
{
	set_user_access(false);
}

TEST_F(docs, sessions)
{
	unsigned int ran = 0;
	int bad;

	while (next_block()) {
		if (!block.mark[0] || !is_for_here())
			continue;
		bad = run_block();
		EXPECT_EQ(-1, bad)
		TH_LOG("%s:%u: `%s` printed\n%s(status %d)", block.file, block.line + bad,
		       block.lines[bad], output.text, output.status);
		ran++;
	}
	if (!ran)
		SKIP(return, MACHINE);
	TH_LOG("%u sessions", ran);
}

TEST_F(docs, all_are_run_somewhere)
{
	unsigned int blocks = 0;

	for (; next_block(); blocks++) {
		EXPECT_TRUE(block.mark[0] || !shows_command())
		TH_LOG("%s:%u: it is not said where this is run", block.file, block.line);
	}
	EXPECT_GT(blocks, 10U);
}

TEST_HARNESS_MAIN
