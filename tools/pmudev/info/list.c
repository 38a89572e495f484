// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev list: what can be counted here, in the syntax of -e. From sysfs, which all users can read,
 * and from libpfm4.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/events.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "identity.h"
#include "list.h"
#include "list_metrics.h"

static const char help[] =
	"usage: pmudev list [-v] [-j] [WORD]\n"
	"       pmudev list [-v] [-j] metrics [WORD]\n"
	"\n"
	"Shows what can be counted on this machine, per PMU (class of CPUs with the same counters):\n"
	"the generic events, which mean the same on every CPU; the named events of the CPU; and the\n"
	"terms, which modify an event, or make one of a number from the CPU's manual. WORD limits\n"
	"the list to names and descriptions that contain it, and to names that match it: 'l1d*'.\n"
	"The module must be loaded. No privilege is needed.\n"
	"\n"
	"`metrics` shows what `pmudev stat -M` takes: numbers that are made of events. They are text\n"
	"files: pmudev's, and your own in ~/.config/pmudev/groups.\n"
	"\n"
	"Where libpfm4 knows the CPU, WORD searches its names too. NAME:MASK is an event with one\n"
	"of its unit masks. stat refuses what pmudev cannot count, with the reason.\n"
	"\n"
	"  -v, --long   all of libpfm4's names, one unit mask per line, with its code; of metrics the\n"
	"               formulas, and also those that need events which this machine does not have\n"
	"  -j, --json   one object per line, with what -v shows\n"
	"\n"
	"Use these names with -e of stat, explain and monitor, for instance:\n"
	"\n"
	"  -e cycles,inst_retired             events by name\n"
	"  -e stall_slot/threshold=2/         an event with a term\n"
	"  -e MEM_LOAD_RETIRED:L1_MISS:u      a name of libpfm4 with a unit mask\n"
	"  -e armv8_pmuv3/event=0x11,long/    a number, on the CPUs of this PMU only\n"
	"  -e armv8_pmuv3/inst_retired/       a name, on the CPUs of this PMU only\n"
	"  -e cpu/event=0x11/                 a number, on all CPUs\n"
	"  -e cycles/name=clock/              called clock in the output\n";

static const char more_names[] =
	"\n"
	"libpfm4 has more names: `pmudev list WORD` searches them, `pmudev list -v` shows all.\n";

static const char *const generic_about[PMUDEV_GENERIC_MAX] = {
	[PMUDEV_CYCLES] = "cycles in which the CPU was not halted",
	[PMUDEV_INSTRUCTIONS] = "instructions executed",
	[PMUDEV_REF_CYCLES] = "time while the CPU was not halted, in cycles of a constant clock",
	[PMUDEV_CACHE_REFERENCES] = "accesses to the last level of cache",
	[PMUDEV_CACHE_MISSES] = "accesses that missed the last level of cache",
	[PMUDEV_BRANCHES] = "branches executed",
	[PMUDEV_BRANCH_MISSES] = "branches that were mispredicted",
};

/* Known terms, in this order; others follow without a text. */
static const struct {
	const char *name;
	const char *about;
} term_about[] = {
	{ "event", "the event's number" },
	{ "umask", "which part of the event" },
	{ "cmask", "count cycles with at least this many events" },
	{ "inv", "with cmask: count cycles with fewer" },
	{ "eq", "with cmask: count cycles with exactly this many" },
	{ "edge", "count how often the event begins" },
	{ "threshold", "count only in cycles with at least this many events" },
	{ "threshold_compare", "ge: at least (if not given), lt: less, eq: equal, ne: not" },
	{ "threshold_count", "with threshold: count the cycles instead of the events" },
	{ "counters", "the counters that the event may use" },
	{ "long", "on a counter of 64 bits" },
	{ "user_read", "the counted thread may read it without a system call" },
	{ "direct", "the counted thread may read it by one instruction" },
	{ "chain_read", "with long and user_read: two chained counters will do" },
};

struct list {
	FILE *out;
	const struct list_how *how;
	const struct pmudev_pmus *pmus;
	unsigned int pmu; /* its place */
	const struct pmudev_pmu_info *info;
	unsigned int shown;
	bool titled; /* the PMU's title was printed */
	struct table *table;
	bool begun;	  /* the table has rows */
	const char *kind; /* of the table, for JSON */
	bool hidden;	  /* libpfm4 has names that are not shown */
};

static bool matches(const struct list *list, const char *name, const char *about)
{
	const char *pattern = list->how->pattern;

	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, FNM_CASEFOLD);
	return strcasestr(name, pattern) || strcasestr(about, pattern);
}

static void print_json(struct list *list, const char *const header[3], const char *name,
		       const char *const rest[2])
{
	struct json json = { .out = list->out };
	int i;

	json_open(&json, NULL, '{');
	json_string(&json, "pmu", list->info->name);
	json_string(&json, "kind", list->kind);
	json_string(&json, "name", name);
	for (i = 0; i < 2; i++) {
		if (!strcmp(header[i + 1], "COUNTS") || !strcmp(header[i + 1], "MEANS"))
			json_string(&json, "description", rest[i]);
		else if (!strcmp(header[i + 1], "IS THE SAME AS"))
			json_string(&json, "same_as", rest[i]);
		else if (*header[i + 1])
			json_string(&json, "values", rest[i]);
	}
	json_close(&json, '}');
	json_line(&json);
}

/* The counters that sets can get, and those that they cannot. */
static void show_title(const struct list *list)
{
	const unsigned long long all = counters_mask(list->info->counters);
	const unsigned long long available = counters_mask(list->info->available);
	const unsigned long long kept = available ? all & ~available : 0;
	char text[256];

	fprintf(list->out, "%s%s: CPUs %s, %s, counters %s", list->shown > 1 ? "\n" : "",
		list->info->name, list->info->cpus, list->info->arch,
		counters_text(all & ~kept, text, sizeof(text)));
	if (kept)
		fprintf(list->out, " (not available: %s)", counters_text(kept, text, sizeof(text)));
	fputc('\n', list->out);
}

static struct table *table_begin(struct list *list, const char *const header[3])
{
	struct table *table = table_new(list->out, "  ");

	fputc('\n', list->out);
	table_column(table, header[0], 0, 24);
	if (*header[2])
		table_column(table, header[1], 0, 14);
	table_column(table, *header[2] ? header[2] : header[1], TABLE_WRAP, 0);
	return table;
}

/* A row of one of the tables. */
static void show_row(struct list *list, const char *const header[3], const char *name,
		     const char *second, const char *third)
{
	const char *const rest[] = { second, third };

	list->shown++;
	if (list->how->json) {
		print_json(list, header, name, rest);
		return;
	}
	if (!list->titled)
		show_title(list);
	list->titled = true;
	if (!list->begun)
		list->table = table_begin(list, header);
	list->begun = true;
	table_row(list->table, name, second, third);
}

static void row(struct list *list, const char *const header[3], const char *name,
		const char *second, const char *third, const char *about)
{
	if (matches(list, name, about))
		show_row(list, header, name, second, third);
}

/* The rows until now are all of a table. */
static void end(struct list *list)
{
	if (list->begun)
		table_print(list->table);
	list->begun = false;
}

static void begin(struct list *list, const char *kind)
{
	end(list);
	list->kind = kind;
}

static void show_generic(struct list *list)
{
	static const char *const header[] = { "GENERIC EVENT", "COUNTS", "" };
	unsigned int i;

	begin(list, "generic");
	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (list->info->generic >> i & 1)
			row(list, header, pmudev_generic_name(i), generic_about[i], "",
			    generic_about[i]);
}

static void show_events(struct list *list)
{
	static const char *const header[] = { "EVENT OF THIS CPU", "IS THE SAME AS", "" };
	const struct pmudev_event_info *event;
	char same[160];
	unsigned int i;

	begin(list, "event");
	for (i = 0; (event = pmudev_pmus_event(list->pmus, list->pmu, i)); i++) {
		snprintf(same, sizeof(same), "%s/%s/", list->info->name, event->terms);
		row(list, header, event->name, same, "", "");
	}
}

static void show_term(struct list *list, const struct pmudev_term_info *term, const char *about)
{
	static const char *const header[] = { "TERM", "VALUES", "MEANS" };
	char values[32];

	if (term->kind == PMUDEV_TERM_COMPARE)
		snprintf(values, sizeof(values), "ge, lt, eq, ne");
	else if (term->kind == PMUDEV_TERM_COUNTERS)
		snprintf(values, sizeof(values), "a mask");
	else if (term->kind == PMUDEV_TERM_FLAG)
		snprintf(values, sizeof(values), "no value");
	else
		snprintf(values, sizeof(values), "0 to %#llx", (unsigned long long)term->max);
	row(list, header, term->name, values, about, "");
}

static bool is_known(const struct pmudev_term_info *term)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(term_about); i++)
		if (!strcmp(term_about[i].name, term->name))
			return true;
	return false;
}

/* The PMU's term of this name, or NULL. */
static const struct pmudev_term_info *find_term(const struct list *list, const char *name)
{
	const struct pmudev_term_info *term;
	unsigned int i;

	for (i = 0; (term = pmudev_pmus_term(list->pmus, list->pmu, i)); i++)
		if (!strcmp(term->name, name))
			break;
	return term;
}

static void show_terms(struct list *list)
{
	const struct pmudev_term_info *term;
	unsigned int i;

	begin(list, "term");
	for (i = 0; i < ARRAY_SIZE(term_about); i++) {
		term = find_term(list, term_about[i].name);
		if (term)
			show_term(list, term, term_about[i].about);
	}
	for (i = 0; (term = pmudev_pmus_term(list->pmus, list->pmu, i)); i++)
		if (!is_known(term))
			show_term(list, term, "");
}

/* ------------------------------------------------------------ libpfm4's names -- */

/* The code of the name on this PMU, or why there is none. */
static void code_of(const struct list *list, const struct pmudev_name_info *name, char *buf,
		    size_t size)
{
	struct pmudev_events_error error;
	struct pmudev_events *events;
	struct pmudev_event_attr *attr;
	char text[320];

	snprintf(text, sizeof(text), "%s/%s::%s/", list->info->name, name->table, name->name);
	if (pmudev_events_parse(text, list->pmus, &events, &error)) {
		snprintf(buf, size, "-");
		return;
	}
	attr = pmudev_events_attrs(events);
	if (attr->type == PMUDEV_TYPE_GENERIC)
		snprintf(buf, size, "%s", pmudev_generic_name(attr->config));
	else
		snprintf(buf, size, "r%llx", (unsigned long long)attr->config);
	pmudev_events_free(events);
}

static int show_name(const struct pmudev_name_info *name, void *arg)
{
	static const char *const brief[] = { "NAME OF LIBPFM4", "COUNTS", "" };
	static const char *const full[] = { "NAME OF LIBPFM4", "IS THE SAME AS", "COUNTS" };
	const char *about = name->about ? name->about : "";
	struct list *list = arg;
	char code[64];

	/* An event's own name is not its masks'. */
	if (!matches(list, name->name, about) ||
	    (name->mask && !list->how->all && !strpbrk(list->how->pattern, "*?[:") &&
	     !strcasestr(name->mask, list->how->pattern) && !strcasestr(about, list->how->pattern)))
		return 0;
	if (!list->how->all) {
		show_row(list, brief, name->name, about, "");
		return 0;
	}
	code_of(list, name, code, sizeof(code));
	show_row(list, full, name->name, code, about);
	return 0;
}

static int is_any(const struct pmudev_name_info *name, void *arg)
{
	(void)name;
	(void)arg;
	return 1;
}

static void show_names(struct list *list)
{
	begin(list, "libpfm4");
	if (list->how->all || list->how->pattern)
		pmudev_names_each(list->pmus, list->pmu, show_name, list);
	else
		list->hidden |= pmudev_names_each(list->pmus, list->pmu, is_any, NULL) == 1;
}

unsigned int list_show(FILE *out, const struct pmudev_pmus *pmus, const struct list_how *how)
{
	struct list list = { .out = out, .how = how, .pmus = pmus };

	for (; list.pmu < pmudev_pmus_nr(pmus); list.pmu++) {
		list.info = pmudev_pmus_info(pmus, list.pmu);
		list.titled = false;
		show_generic(&list);
		show_events(&list);
		show_names(&list);
		show_terms(&list);
		end(&list);
	}
	if (list.hidden)
		fputs(more_names, out);
	return list.shown;
}

int cmd_list(int argc, char **argv)
{
	static const struct option options[] = {
		{ "long", no_argument, NULL, 'v' }, LONG_JSON, LONG_HELP, {}
	};
	static const struct usage usage = { "list", help, ":hjv", options, list_perf_options };
	const struct pmudev_pmus *pmus;
	struct list_how how = { .all = false };
	bool metrics;
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status))) {
		how.all = true;
		how.json |= c == 'j';
	}
	if (status >= 0)
		return status;
	metrics = argv[optind] && !strcmp(argv[optind], "metrics");
	optind += metrics;
	how.pattern = argv[optind];
	if (argc > optind + 1) {
		complain("list takes one WORD, not '%s' too; `pmudev list --help` tells more",
			 argv[optind + 1]);
		return EXIT_USAGE;
	}
	pmus = known_pmus();
	if (!pmudev_pmus_nr(pmus)) {
		complain("there is no " PMUDEV_SYSFS ": load the module, %s",
			 "`modprobe pmudev` or `insmod pmudev.ko`");
		return 1;
	}
	if (metrics)
		return list_metrics_run(pmus, &how);
	if (list_show(stdout, pmus, &how))
		return 0;
	complain("nothing here has '%s' in its name or description; `pmudev list` shows all",
		 how.pattern);
	return 1;
}
