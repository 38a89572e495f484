// SPDX-License-Identifier: GPL-2.0
/*
 * What a read costs in instructions. What happens in user mode is counted by the first of the
 * events that are read; a system call is timed by the clock, which in the emulator is the same to
 * the instruction.
 */
#include "read_bench.h"
#include "trivial.h"

#include <fcntl.h>

#define CALLS 100

const unsigned int numbers[NR_NUMBERS] = { 1, 2, 4, 6 };

double cost(long instructions)
{
	if (instructions < 0)
		fail("no two results the same", -EAGAIN);
	return instructions;
}

/* A system call of this kind that finds nothing to do: what no implementation can avoid. */
static void empty_read(void *arg)
{
	struct events *e = arg;
	char byte;

	raw_call(SYS_read, e->fd[0], (long)&byte, 0);
}

struct reading {
	const struct api *api;
	struct events e;
};

static void one_read(void *arg)
{
	struct reading *read = arg;

	read->api->read(&read->e);
}

/* Nanoseconds of read(2), kernel and all. */
static double time_read(const struct api *api, unsigned int nr)
{
	struct reading read = { .api = api };
	struct wish wish = of_self(nr, false);
	int ret = api->open(&read.e, &wish);
	double ns;

	if (ret)
		fail(api->name, ret);
	ns = time_calls(one_read, &read, CALLS);
	api->close(&read.e);
	return ns;
}

static double time_empty_read(void)
{
	struct events e = { .fd = { open("/dev/null", O_RDONLY) }, .nr = 1 };
	double ns = time_calls(empty_read, &e, CALLS);

	close(e.fd[0]);
	return ns;
}

static void print(const char *key, const double *ours, const double *theirs)
{
	unsigned int n;

	for (n = 0; n < NR_NUMBERS; n++)
		row(key, numbers[n], ours[n], theirs ? theirs[n] : REFUSED);
}

int main(void)
{
	static double ours[4][NR_NUMBERS], theirs[3][NR_NUMBERS], calls[2][NR_NUMBERS];
	double constant, learnt, empty, trivial[NR_NUMBERS];
	const struct api *api;
	unsigned int side, n;

	if (!exact_instructions())
		fail("instructions are not counted exactly here", -ENODEV);
	settle();
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		if (api == &perf_api)
			measure_perf(theirs);
		else
			measure_pmudev(ours);
		for (n = 0; n < NR_NUMBERS; n++) {
			calls[side][n] = time_read(api, numbers[n]);
			costs_row(api->name, "read-call", numbers[n]);
		}
	}
	measure_bare(&constant, &learnt);
	empty = time_empty_read();
	costs_row(pmudev_api.name, "read-call-empty", 0);
	costs_row(perf_api.name, "read-call-empty", 0);
	trivial_begin();
	for (n = 0; n < NR_NUMBERS; n++) {
		trivial[n] = trivial_read(sizeof(struct pmudev_record) +
					  numbers[n] * sizeof(struct pmudev_count));
		costs_row(pmudev_api.name, "read-call-trivial", numbers[n]);
	}
	trivial_end();
	set_user_access(false);

	print("read-ticks", ours[1], theirs[0]);
	print("read-times", ours[3], theirs[0]);
	print("read-values", ours[0], theirs[2]);
	print("read-plain", ours[2], theirs[1]);
	row("direct-known", 1, constant, REFUSED);
	row("direct-learnt", 1, learnt, REFUSED);
	print("read-call", calls[OURS], calls[THEIRS]);
	print("read-call-trivial", trivial, NULL);
	row("read-call-empty", 0, empty, empty);
	return 0;
}
