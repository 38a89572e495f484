// SPDX-License-Identifier: BSD-3-Clause
/*
 * The component pmudev through PAPI's interface: exact counts, counts that are written, reads
 * without a system call, events that do not fit, overflows, events that take turns, another
 * process, the kernel.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi.h"
#include "papi_test.h"

#define LOOPS 1000000

static int component;
static int overflows;

static void require(int ok, int line, const char *what, int value)
{
	if (!ok)
		test_fail(__FILE__, line, what, value);
}

static void works(int result, int line, const char *what)
{
	require(result == PAPI_OK, line, what, result);
}

#define REQUIRE(condition, value) require(!!(condition), __LINE__, #condition, (value))
#define WORKS(call)		  works((call), __LINE__, #call)

/* Two instructions each time */
static void loop(unsigned long n)
{
#if defined(__aarch64__)
	__asm__ __volatile__("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	__asm__ __volatile__("1: sub $1, %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

static int new_set(void)
{
	int set = PAPI_NULL;

	WORKS(PAPI_create_eventset(&set));
	WORKS(PAPI_assign_eventset_component(set, component));
	return set;
}

static int set_of(const char *name)
{
	int set = new_set();

	WORKS(PAPI_add_named_event(set, name));
	return set;
}

static void end_set(int set)
{
	WORKS(PAPI_cleanup_eventset(set));
	WORKS(PAPI_destroy_eventset(&set));
}

/* The same code twice, with loops of different lengths between: what differs is the loops. */
static void test_exact(void)
{
	int set = set_of("pmudev:::instructions:u");
	long long at[3];

	WORKS(PAPI_start(set));
	for (int i = 0; i < 3; i++) {
		loop(LOOPS * (i + 1));
		WORKS(PAPI_read(set, &at[i]));
	}
	WORKS(PAPI_stop(set, NULL));
	REQUIRE(at[2] - at[1] - (at[1] - at[0]) == 2 * LOOPS,
		(int)(at[2] - at[1] - (at[1] - at[0]) - 2 * LOOPS));
	end_set(set);
}

static void test_write(void)
{
	int set = set_of("pmudev:::instructions:u");
	long long count = 1LL << 40;

	WORKS(PAPI_start(set));
	WORKS(PAPI_write(set, &count));
	loop(LOOPS);
	WORKS(PAPI_read(set, &count));
	REQUIRE(count >= (1LL << 40) + 2 * LOOPS && count < (1LL << 40) + 3 * LOOPS, 0);
	WORKS(PAPI_reset(set));
	WORKS(PAPI_stop(set, &count));
	REQUIRE(count < LOOPS, (int)count);
	end_set(set);
}

/* What happens in the kernel between two reads: nothing, unless there was an interrupt. */
static void test_direct(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	long long before, after, least = LOOPS;
	int set = new_set(), error;

	error = PAPI_add_named_event(set, "pmudev:::instructions:k");
	if (error != PAPI_EPERM && info->fast_counter_read) {
		WORKS(error);
		WORKS(PAPI_start(set));
		for (int i = 0; i < 10; i++) {
			WORKS(PAPI_read(set, &before));
			WORKS(PAPI_read(set, &after));
			least = after - before < least ? after - before : least;
		}
		WORKS(PAPI_stop(set, NULL));
		REQUIRE(!least, (int)least);
	}
	end_set(set);
}

/* Adds the same event under other names until it does not fit. Return: how many there are. */
static int fill(int set, int most, int *refusal)
{
	char name[64];
	int n;

	for (n = 0; n < most; n++) {
		/* Bits that do not matter make it another name. */
		snprintf(name, sizeof(name), "pmudev:::instructions/name=e%d/u", n);
		*refusal = PAPI_add_named_event(set, name);
		if (*refusal != PAPI_OK)
			break;
	}
	return n;
}

static void test_full(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	int set = new_set(), refusal = PAPI_OK, n = fill(set, info->num_mpx_cntrs, &refusal);

	REQUIRE(n >= 2 && n <= info->num_cntrs, n);
	REQUIRE(refusal == PAPI_ECNFLCT || refusal == PAPI_ECOUNT, refusal);
	/* Those that fit still count. */
	WORKS(PAPI_start(set));
	WORKS(PAPI_stop(set, NULL));
	end_set(set);
}

static void test_turns(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	int set = new_set(), refusal, n;
	long long counts[64];

	WORKS(PAPI_set_multiplex(set));
	n = fill(set, info->num_cntrs + 2, &refusal);
	REQUIRE(n == info->num_cntrs + 2, refusal);
	WORKS(PAPI_start(set));
	for (int i = 0; i < 50; i++)
		loop(LOOPS);
	WORKS(PAPI_stop(set, counts));
	for (int i = 0; i < n; i++)
		REQUIRE(counts[i] > 90LL * LOOPS && counts[i] < 110LL * LOOPS, (int)counts[i]);
	end_set(set);
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)context;
	if (address && vector == 1)
		overflows++;
}

/* Between what PAPI_stop() reads and the end there may be one more. */
static void test_overflow(void)
{
	int set = set_of("pmudev:::instructions:u"), code;
	const int threshold = LOOPS / 5;
	long long count;

	WORKS(PAPI_event_name_to_code("pmudev:::instructions:u", &code));
	WORKS(PAPI_overflow(set, code, threshold, 0, on_overflow));
	WORKS(PAPI_start(set));
	loop(LOOPS);
	WORKS(PAPI_stop(set, &count));
	REQUIRE(count / threshold >= 10, (int)count);
	REQUIRE(overflows == count / threshold || overflows == count / threshold + 1, overflows);
	WORKS(PAPI_overflow(set, code, 0, 0, on_overflow));
	end_set(set);
}

/* A child that waits, runs the loop, and waits for its end; the dynamic linker counts, too. */
static void test_attach(void)
{
	int set = set_of("pmudev:::instructions:u"), go[2], done[2];
	long long count;
	char byte = 0;
	pid_t child;

	REQUIRE(!pipe(go) && !pipe(done), 0);
	child = fork();
	REQUIRE(child >= 0, child);
	if (!child) {
		if (read(go[0], &byte, 1) == 1) {
			loop(LOOPS);
			if (write(done[1], &byte, 1) == 1)
				pause();
		}
		_exit(1);
	}
	WORKS(PAPI_attach(set, child));
	WORKS(PAPI_start(set));
	REQUIRE(write(go[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1, 0);
	WORKS(PAPI_stop(set, &count));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	REQUIRE(count >= 2 * LOOPS && count < 3 * LOOPS, (int)count);
	end_set(set);
}

/* System calls execute instructions in the kernel. */
static void test_domain(void)
{
	int set = set_of("pmudev:::instructions");
	PAPI_option_t option;
	long long count;
	int error;

	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = PAPI_DOM_KERNEL;
	error = PAPI_set_opt(PAPI_DOMAIN, &option);
	if (error == PAPI_EPERM)
		return;
	WORKS(error);
	WORKS(PAPI_start(set));
	for (int i = 0; i < 100; i++)
		getppid();
	loop(LOOPS);
	WORKS(PAPI_stop(set, &count));
	REQUIRE(count > 100 * 20 && count < LOOPS, (int)count);
	end_set(set);
}

int main(int argc, char **argv)
{
	const PAPI_component_info_t *info;

	tests_quiet(argc, argv);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, 0);
	WORKS(PAPI_multiplex_init());
	component = PAPI_get_component_index("pmudev");
	info = component < 0 ? NULL : PAPI_get_component_info(component);
	if (!info || info->disabled)
		test_skip(__FILE__, __LINE__, info ? info->disabled_reason : "no component", 0);
	test_exact();
	test_write();
	test_direct();
	test_full();
	test_turns();
	test_overflow();
	test_attach();
	test_domain();
	test_pass(__FILE__);
	return 0;
}
