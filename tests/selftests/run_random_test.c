// SPDX-License-Identifier: GPL-2.0
/* `pmudev run --instructions N`: exactly N, for many N of all sizes, up to 10^8. */
#include "run_command.h"
#include "kselftest_harness.h"

#define ROUNDS	  (debug_kernel() ? 100 : few(10000))
#define LARGEST	  20 /* bits of a random N */
#define MOST_SKID 40

FIXTURE(random)
{
	__u64 pc[2]; /* where an even, an odd number of instructions ends in the loop; 0: unknown */
};

FIXTURE_SETUP(random)
{
	struct pmudev_query query;
	const char *missing = cannot_run(&query);

	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
	if (!exact_instructions())
		SKIP(return, "needs exact counts of each CPU");
}

FIXTURE_TEARDOWN(random)
{
}

/* The program's beginning takes less. From there on it is in a loop of two instructions. */
#define BEGINNING 100000

static void exactly(struct __test_metadata *_metadata, struct _test_data_random *self, __u64 wanted)
{
	__u64 *pc = &self->pc[wanted & 1];

	run(&output, "pmudev run --instructions %llu --skid %u -j -- %s --play 200000000", wanted,
	    rand() % MOST_SKID, program);
	ASSERT_EQ(REACHED, output.status) TH_LOG("%llu: %s", wanted, output.text);
	ASSERT_EQ(wanted, reported("instructions", 0)) TH_LOG("%s", output.text);
	if (wanted < BEGINNING)
		return;
	if (!*pc)
		*pc = reported("pc", 0);
	ASSERT_EQ(*pc, reported("pc", 0)) TH_LOG("%s", output.text);
}

TEST_F_TIMEOUT(random, each_exactly, 3000)
{
	int i;

	srand(1);
	for (i = 0; i < ROUNDS; i++) {
		exactly(_metadata, self, 1 + rand() % (1U << rand() % (LARGEST + 1)));
		/* Now and then: emulated, it takes long. */
		if (i % 500 == 499)
			TH_LOG("%d so far", i + 1);
	}
}

TEST_F_TIMEOUT(random, powers_of_ten, 600)
{
	__u64 wanted;

	for (wanted = 1; wanted <= 100000000; wanted *= 10) {
		exactly(_metadata, self, wanted);
		exactly(_metadata, self, wanted + 1);
	}
	EXPECT_NE(self->pc[0], self->pc[1]);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play")) {
		loop(strtol(argv[2], NULL, 10));
		return 0;
	}
	return test_harness_run(argc, argv);
}
