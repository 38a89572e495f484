// SPDX-License-Identifier: GPL-2.0
/*
 * Feeds a fuzz target where libFuzzer is not at hand: random inputs of random lengths, the same
 * each time. PMUDEV_SEED and PMUDEV_FUZZ_RUNS in the environment make it others, or more.
 */
#include "fuzz.h"
#include "unit.h"

#include <signal.h>
#include <sanitizer/common_interface_defs.h>

#define RUNS	100000
#define LONGEST 400

static u64 run;

static void tell(void)
{
	fprintf(stderr, "# that was input %llu\n", (unsigned long long)run);
}

static void on_abort(int signal_)
{
	(void)signal_;
	tell();
}

static void random_inputs(void)
{
	const char *wish = getenv("PMUDEV_FUZZ_RUNS");
	u64 runs = wish ? strtoull(wish, NULL, 0) : RUNS;
	u8 data[LONGEST];
	size_t size, i;

	/* More than usual take as long as they take. */
	if (wish)
		alarm(0);
	for (run = 0; run < runs; run++) {
		size = unit_below(LONGEST + 1);
		/* Some are all of small numbers: more of them agree with each other. */
		for (i = 0; i < size; i++)
			data[i] = run % 4 ? unit_random() : unit_below(5);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("# %llu inputs\n", (unsigned long long)runs);
}

int main(void)
{
	unit_seed(8);
	signal(SIGABRT, on_abort);
	__sanitizer_set_death_callback(tell);
	RUN(random_inputs);
	return unit_end();
}
