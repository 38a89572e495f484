// SPDX-License-Identifier: GPL-2.0
/* The options of `pmudev explain`: those of `pmudev stat` that say what is counted. */
#include "../common/cmd.h"
#include "../common/options.h"
#include "explain.h"

static const char help[] =
	"usage: pmudev explain [-e LIST] [-M LIST] [-d] [-a | -C CPUS | -t TIDS | -p PIDS]\n"
	"                      [-G CGROUP] [--multiplex] [-j]\n"
	"\n"
	"A dry run of `pmudev stat`: shows which counter each event would get now. If they do not\n"
	"all fit, it shows which do not, and who holds the counters that these could use. Nothing is\n"
	"counted, and no other set is disturbed. The exit status is 0 if all fit, 1 if not, 2 if it\n"
	"is unknown.\n"
	"\n"
	"  -e LIST      events, separated by commas (default: those of `pmudev stat`)\n"
	"  -M LIST      the events of these metrics (`pmudev list metrics`)\n"
	"  -d           as `pmudev stat -d`; -dd, -ddd: more\n"
	"  --all-user   events without :u, :k, :h are of user mode; --all-kernel: of the kernel\n"
	"  -C CPUS      on these CPUs, such as 0-3,5; -a: on all\n"
	"  -t TIDS      on these threads, together with the sets that count them already\n"
	"  -p PIDS      on all threads of these processes\n"
	"  -G CGROUP    of a cgroup (v2) on the CPUs; --for-each-cgroup LIST: of each of these\n"
	"  --multiplex  as if all events or groups were multiplexed\n"
	"  -j, --json   one object for CPUs with the same answer, and one for the whole\n"
	"\n"
	"Without -C, -a, -t, -p or -G: on a program that starts now.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev explain -e instructions,cycles,branches\n"
	"  pmudev explain -C 0 -e '{cycles@fixed0,r8},r11'\n";

enum {
	OPTION_MULTIPLEX = 256,
	OPTION_ALL_USER,
	OPTION_ALL_KERNEL,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "metrics", required_argument, NULL, 'M' },
	{ "detailed", no_argument, NULL, 'd' },
	{ "all-user", no_argument, NULL, OPTION_ALL_USER },
	{ "all-kernel", no_argument, NULL, OPTION_ALL_KERNEL },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "tid", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "for-each-cgroup", required_argument, NULL, TARGET_EACH_CGROUP },
	{ "multiplex", no_argument, NULL, OPTION_MULTIPLEX },
	LONG_JSON,
	LONG_HELP,
	{},
};

static const struct usage usage = { "explain", help, ":e:M:dC:at:p:G:jh", long_options, NULL };

/* False after a reported error. */
static bool take_option(int c, struct explain_options *options)
{
	switch (c) {
	case 'e':
		options->events = join_events(options->events, optarg);
		return true;
	case 'M':
		options->metrics = join_events(options->metrics, optarg);
		return true;
	case 'd':
		options->choice.detailed++;
		return true;
	case OPTION_ALL_USER:
		options->choice.all_user = true;
		return true;
	case OPTION_ALL_KERNEL:
		options->choice.all_kernel = true;
		return true;
	case OPTION_MULTIPLEX:
		options->multiplex = true;
		return true;
	case 'j':
		options->json = true;
		return true;
	default:
		return target_option(&options->target, c, optarg);
	}
}

/* Do they go together? */
static bool options_fit(const struct explain_options *options)
{
	const struct target *target = &options->target;
	const bool wrong = target->nr_cgroups && target->kind != TARGET_CPUS;
	const bool both = options->choice.all_user && options->choice.all_kernel;

	if (wrong)
		complain("-G and --for-each-cgroup count on CPUs: leave out -p and -t");
	if (both)
		complain("only one of --all-user and --all-kernel can be given");
	return !wrong && !both;
}

int explain_parse_options(int argc, char **argv, struct explain_options *options)
{
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status)))
		if (!take_option(c, options))
			return EXIT_USAGE;
	if (status >= 0)
		return status;
	if (optind < argc) {
		complain("explain takes no '%s': events are given with -e", argv[optind]);
		return EXIT_USAGE;
	}
	return target_complete(&options->target) && options_fit(options) ? -1 : EXIT_USAGE;
}
