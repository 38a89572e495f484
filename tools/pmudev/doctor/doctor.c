// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev doctor: can this machine's counts be trusted, and if not, what is to be done?
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/utsname.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "doctor.h"

static const char help[] =
	"usage: pmudev doctor [-j] [--no-measure]\n"
	"\n"
	"Looks whether this machine can count, and whether its counts can be trusted: the kernel\n"
	"and its options, the PMU, the module, your rights, and who has counters. Then it measures\n"
	"loops that are known: instructions, branches, cycles, what a read costs, and whether\n"
	"overflows are told. Each check is a line with a verdict; below it stands what to do.\n"
	"\n"
	"  -j, --json    one object per check, and one for the whole\n"
	"  --no-measure  count nothing\n" COLOUR_HELP "\n"
	"The exit status is 1 if something failed. What is only worth knowing is no failure.\n";

static const char *const words[NR_VERDICTS] = {
	[VERDICT_OK] = "ok",	 [VERDICT_NOTE] = "note", [VERDICT_WARN] = "warn",
	[VERDICT_FAIL] = "FAIL", [VERDICT_SKIP] = "skip",
};

/* ------------------------------------------------------------------------ findings -- */

static unsigned int count_of(const struct doctor *doctor, enum verdict verdict)
{
	unsigned int i, nr = 0;

	for (i = 0; i < doctor->nr; i++)
		nr += doctor->findings[i].verdict == verdict;
	return nr;
}

/* One sentence about all of it. */
static const char *summary(const struct doctor *doctor)
{
	if (count_of(doctor, VERDICT_FAIL))
		return "This machine does not count, or not rightly: see FAIL above.";
	if (count_of(doctor, VERDICT_WARN))
		return "This machine counts; read what is said at warn.";
	return "This machine counts, and its counts can be trusted.";
}

/* ------------------------------------------------------------------------- reports -- */

static void add_finding(struct table *table, const struct finding *f)
{
	const bool good = f->verdict == VERDICT_OK || f->verdict == VERDICT_NOTE;

	table_row(table, words[f->verdict], f->check, f->text);
	table_colour(table, 0, good ? COLOUR_DIM : COLOUR_WARN);
	if (*f->advice)
		table_row(table, "", "", f->advice);
}

static void report(const struct doctor *doctor)
{
	struct table *table = table_new(stdout, "");
	unsigned int i;

	table_column(table, NULL, 0, 4);
	table_column(table, NULL, 0, 12);
	table_column(table, NULL, TABLE_WRAP, 0);
	for (i = 0; i < doctor->nr; i++)
		add_finding(table, &doctor->findings[i]);
	table_print(table);
	printf("\n%s\n", summary(doctor));
}

static void report_json(const struct doctor *doctor)
{
	struct json json = { .out = stdout };
	unsigned int i;

	for (i = 0; i < doctor->nr; i++) {
		const struct finding *f = &doctor->findings[i];

		json_open(&json, NULL, '{');
		json_string(&json, "check", f->check);
		json_string(&json, "verdict",
			    f->verdict == VERDICT_FAIL ? "fail" : words[f->verdict]);
		json_string(&json, "text", f->text);
		json_string(&json, "advice", *f->advice ? f->advice : NULL);
		json_close(&json, '}');
		json_line(&json);
	}
	json_open(&json, NULL, '{');
	json_string(&json, "version", PMUDEV_LIB_VERSION);
	json_string(&json, "kernel", doctor->release);
	json_unsigned(&json, "failed", count_of(doctor, VERDICT_FAIL));
	json_unsigned(&json, "warnings", count_of(doctor, VERDICT_WARN));
	json_string(&json, "summary", summary(doctor));
	json_close(&json, '}');
	json_line(&json);
}

/* ------------------------------------------------------------------------ together -- */

static const struct option long_options[] = {
	LONG_JSON, { "no-measure", no_argument, NULL, 'n' }, LONG_COLOUR, LONG_HELP, {},
};

static const struct usage usage = { "doctor", help, ":jh", long_options, NULL };

int cmd_doctor(int argc, char **argv)
{
	static struct doctor doctor = { .root = "" };
	bool json = false, measure = true;
	struct utsname name;
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status))) {
		json |= c == 'j';
		measure &= c != 'n';
	}
	if (status < 0)
		status = no_words(&usage, argc, argv);
	if (status >= 0)
		return status;
	if (!uname(&name))
		snprintf(doctor.release, sizeof(doctor.release), "%s", name.release);
	doctor_machine(&doctor);
	doctor_access(&doctor);
	if (doctor.open)
		pmudev_close(&doctor.set);
	if (doctor.open && measure)
		doctor_measure(&doctor);
	if (json)
		report_json(&doctor);
	else
		report(&doctor);
	return count_of(&doctor, VERDICT_FAIL) ? 1 : 0;
}
