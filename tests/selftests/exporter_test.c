// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev exporter` on loopback: what it serves is what sets of our own count on the same CPU, over
 * a CPU's going and coming back, too.
 */
#include "perf.h"
#include "scrape.h"
#include "storm.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define N 100000

FIXTURE(exporter)
{
	int command;
	FILE *told; /* what it writes, stderr too */
	char text[4096];
	unsigned int port;
	int cpu; /* on which nothing else runs in user mode */
	int fd;
};

/* ------------------------------------------------------------------------ the command -- */

FIXTURE_SETUP(exporter)
{
	self->command = -1;
	self->fd = -1;
	self->cpu = cpus_online() - 1;
	if (self->cpu < 1)
		SKIP(return, "needs two CPUs");
	if (loopback_up())
		SKIP(return, "no loopback interface");
	ASSERT_EQ(0, pin_to(0));
}

FIXTURE_TEARDOWN(exporter)
{
	stop_child(self->command);
	/* A test that is skipped or fails may have left it offline. */
	if (self->cpu > 0)
		EXPECT_EQ(0, set_cpu_online(self->cpu, true));
	if (self->told)
		fclose(self->told);
	if (self->fd >= 0)
		close(self->fd);
}

/* Reads what it says up to the address. False if it ended before. */
static bool read_address(struct _test_data_exporter *self)
{
	static const char serves[] = "serves http://127.0.0.1:";
	size_t len = 0;
	char *at;

	while (len < sizeof(self->text) - 1 &&
	       fgets(self->text + len, sizeof(self->text) - len, self->told)) {
		at = strstr(self->text + len, serves);
		if (at && sscanf(at + strlen(serves), "%u/metrics", &self->port) == 1)
			return true;
		len += strlen(self->text + len);
	}
	return false;
}

/* It runs on the test's CPU. NULL, why it cannot, or "": it failed. */
static const char *start(struct _test_data_exporter *self, const char *events)
{
	int ends[2];

	if (pipe(ends))
		return "";
	self->command = fork_bound();
	if (!self->command) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		execlp("pmudev", "pmudev", "exporter", "-l", "127.0.0.1:0", events ? "-e" : NULL,
		       events, NULL);
		_exit(127);
	}
	close(ends[1]);
	self->told = fdopen(ends[0], "r");
	if (self->told && read_address(self))
		return NULL;
	if (strstr(self->text, "there is no pmudev-exporter"))
		return "the command was built without libmicrohttpd (scripts/setup libmicrohttpd)";
	if (child_result(self->command) == 127)
		return "there is no `pmudev` command in PATH";
	return "";
}

static const char *lacks;

static void loop_there(int cpu)
{
	pin_to(cpu);
	loop(N);
	pin_to(0);
}

/* ------------------------------------------------------------------------------- tests -- */

/*
 * In user mode nothing but the loop runs there between two scrapes: the difference is what a set of
 * ours counts, to the unit. With the kernel it lies between what the set counts within and around.
 */
TEST_F(exporter, counts_what_a_set_counts)
{
	struct pmudev_event_attr events[] = { raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
					      raw_event(EVENT_INSTRUCTIONS, 0) };
	static struct reply first, second;
	union record r[4];
	__u64 user, all;
	int i, round;

	lacks = start(self, "instructions:u,instructions");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	self->fd = pm_cpu_set(self->cpu, 0, events, 2);
	ASSERT_GE(self->fd, 0);
	for (round = 0; round < few(10); round++) {
		ASSERT_EQ(0, pm_read(self->fd, &r[0]));
		ASSERT_TRUE(scrape(self->port, &first)) TH_LOG("%s", first.text);
		ASSERT_EQ(0, pm_read(self->fd, &r[1]));
		loop_there(self->cpu);
		ASSERT_EQ(0, pm_read(self->fd, &r[2]));
		ASSERT_TRUE(scrape(self->port, &second)) TH_LOG("%s", second.text);
		ASSERT_EQ(0, pm_read(self->fd, &r[3]));
		user = count_of(&second, "instructions_u_total", self->cpu) -
		       count_of(&first, "instructions_u_total", self->cpu);
		all = count_of(&second, "instructions_total", self->cpu) -
		      count_of(&first, "instructions_total", self->cpu);
		if (!round)
			TH_LOG("user: %llu, set: %llu; all: %llu, set: %llu to %llu", user,
			       r[2].r.counts[0].value - r[1].r.counts[0].value, all,
			       r[2].r.counts[1].value - r[1].r.counts[1].value,
			       r[3].r.counts[1].value - r[0].r.counts[1].value);
		ASSERT_GE(user, (__u64)N);
		if (exact_instructions())
			ASSERT_EQ(user, r[2].r.counts[0].value - r[1].r.counts[0].value);
		for (i = 0; i < 2; i++) {
			ASSERT_GE(i ? all : user, r[2].r.counts[i].value - r[1].r.counts[i].value);
			ASSERT_LE(i ? all : user, r[3].r.counts[i].value - r[0].r.counts[i].value);
		}
	}
	for (i = 0; i <= self->cpu; i++)
		EXPECT_TRUE(is_up(&second, i, NULL));
}

TEST_F(exporter, default_events)
{
	static struct reply reply;
	struct pmudev_query query;
	unsigned int i;

	static const struct {
		const char *name;
		enum pmudev_generic event;
	} events[] = {
		{ "cycles_total", PMUDEV_CYCLES },
		{ "instructions_total", PMUDEV_INSTRUCTIONS },
		{ "branch_misses_total", PMUDEV_BRANCH_MISSES },
		{ "cache_misses_total", PMUDEV_CACHE_MISSES },
	};

	lacks = start(self, NULL);
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	ASSERT_EQ(0, pm_query(&query));
	ASSERT_TRUE(scrape(self->port, &reply));
	for (i = 0; i < ARRAY_SIZE(events) && query.nr_pmus == 1; i++) {
		EXPECT_EQ(query.generic >> events[i].event & 1,
			  count_of(&reply, events[i].name, self->cpu) != ~0ULL)
		TH_LOG("%s", events[i].name);
	}
	EXPECT_EQ(!BESIDE_PERF, !!sample(&reply, "pmudev_perf_blocked 1\n"));
	EXPECT_EQ(!BESIDE_PERF, !!strstr(self->text, "perf has no hardware events"));
	EXPECT_NE(NULL, sample(&reply, "pmudev_build_info{version=\""));
}

TEST_F(exporter, protocol)
{
	static struct reply reply;

	lacks = start(self, "cycles");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	ASSERT_TRUE(ask(self->port, REQUEST("GET", "/metrics", AS_OPENMETRICS), &reply));
	EXPECT_NE(NULL, strstr(reply.text, "\r\nContent-Type: application/openmetrics-text; "
					   "version=1.0.0; charset=utf-8\r\n"));
	EXPECT_NE(NULL, strstr(reply.text, "\n# TYPE pmudev_cycles counter\n"));
	ASSERT_TRUE(ask(self->port, REQUEST("GET", "/metrics", ""), &reply));
	EXPECT_NE(NULL, strstr(reply.text,
			       "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	EXPECT_NE(NULL, strstr(reply.text, "\n# TYPE pmudev_cycles_total counter\n"));
	EXPECT_EQ(NULL, strstr(reply.text, "# EOF"));
	ASSERT_TRUE(ask(self->port, REQUEST("HEAD", "/metrics", ""), &reply));
	EXPECT_EQ(0, strncmp(reply.text, "HTTP/1.1 200 ", 13));
	EXPECT_TRUE(ends_with(&reply, "\r\n\r\n"));
	ASSERT_TRUE(ask(self->port, REQUEST("GET", "/", ""), &reply));
	EXPECT_EQ(0, strncmp(reply.text, "HTTP/1.1 200 ", 13));
	EXPECT_NE(NULL, strstr(reply.text, "href=\"/metrics\""));
	ASSERT_TRUE(ask(self->port, REQUEST("GET", "/metrics/x", ""), &reply));
	EXPECT_EQ(0, strncmp(reply.text, "HTTP/1.1 404 ", 13));
	ASSERT_TRUE(ask(self->port, REQUEST("POST", "/metrics", "Content-Length: 0\r\n"), &reply));
	EXPECT_EQ(0, strncmp(reply.text, "HTTP/1.1 405 ", 13));
	EXPECT_NE(NULL, strstr(reply.text, "\r\nAllow: GET, HEAD\r\n"));
	ask(self->port, "nonsense\r\n\r\n", &reply);
	EXPECT_EQ(NULL, strstr(reply.text, "HTTP/1.1 200 ")) TH_LOG("%s", reply.text);
	EXPECT_TRUE(scrape(self->port, &reply));
}

/* An offline CPU keeps its counts; back again it goes on. */
TEST_F(exporter, over_offline_and_online)
{
	static struct reply before, off, still, after;
	int round;

	lacks = start(self, "instructions:u,cycles");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	for (round = 0; round < few(10); round++) {
		loop_there(self->cpu);
		ASSERT_TRUE(scrape(self->port, &before));
		ASSERT_TRUE(is_up(&before, self->cpu, NULL)) TH_LOG("%s", before.text);
		ASSERT_EQ(0, set_cpu_online(self->cpu, false));
		ASSERT_TRUE(scrape(self->port, &off));
		ASSERT_TRUE(scrape(self->port, &still));
		ASSERT_EQ(0, set_cpu_online(self->cpu, true));
		loop_there(self->cpu);
		ASSERT_TRUE(scrape(self->port, &after));
		ASSERT_TRUE(is_up(&off, self->cpu, "offline")) TH_LOG("%s", off.text);
		ASSERT_TRUE(is_up(&off, 0, NULL));
		ASSERT_TRUE(is_up(&after, self->cpu, NULL)) TH_LOG("%s", after.text);
		ASSERT_GE(count_of(&before, "instructions_u_total", self->cpu), (__u64)N);
		if (exact_instructions())
			ASSERT_EQ(count_of(&before, "instructions_u_total", self->cpu),
				  count_of(&off, "instructions_u_total", self->cpu));
		ASSERT_GE(count_of(&off, "cycles_total", self->cpu),
			  count_of(&before, "cycles_total", self->cpu));
		ASSERT_EQ(count_of(&off, "cycles_total", self->cpu),
			  count_of(&still, "cycles_total", self->cpu));
		ASSERT_GE(count_of(&after, "instructions_u_total", self->cpu),
			  count_of(&off, "instructions_u_total", self->cpu) + N);
		ASSERT_NE(~0ULL, count_of(&after, "cycles_total", self->cpu));
	}
}

/* A CPU that is offline when it begins is counted from when it comes. */
TEST_F(exporter, a_cpu_comes_later)
{
	static struct reply off, came, after;

	ASSERT_EQ(0, set_cpu_online(self->cpu, false));
	lacks = start(self, "instructions:u,cycles");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	ASSERT_TRUE(scrape(self->port, &off));
	ASSERT_EQ(0, set_cpu_online(self->cpu, true));
	ASSERT_TRUE(scrape(self->port, &came));
	loop_there(self->cpu);
	ASSERT_TRUE(scrape(self->port, &after));
	EXPECT_TRUE(is_up(&off, self->cpu, "offline")) TH_LOG("%s", off.text);
	EXPECT_EQ(~0ULL, count_of(&off, "instructions_u_total", self->cpu));
	EXPECT_TRUE(is_up(&came, self->cpu, NULL)) TH_LOG("%s", came.text);
	EXPECT_GE(count_of(&after, "instructions_u_total", self->cpu),
		  count_of(&came, "instructions_u_total", self->cpu) + N);
}

/* Others have a CPU's counters: it is not up, the others are; and up when they have gone. */
TEST_F(exporter, counters_are_held)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	static struct reply held, after;
	struct pmudev_query query;
	unsigned int i, nr;

	ASSERT_EQ(0, pm_query_pmu(self->cpu, PMUDEV_QUERY_CPU, &query));
	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = raw_event(EVENT_CYCLES, 0);
	nr = __builtin_popcountll(cycle_counters(query.available));
	self->fd = pm_cpu_set(self->cpu, 0, events, nr);
	ASSERT_GE(self->fd, 0);
	lacks = start(self, "cycles");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	ASSERT_TRUE(scrape(self->port, &held));
	EXPECT_NE(NULL, strstr(self->text, "pmudev: CPU "));
	EXPECT_EQ(~0ULL, count_of(&held, "cycles_total", self->cpu));
	EXPECT_FALSE(is_up(&held, self->cpu, NULL)) TH_LOG("%s", held.text);
	EXPECT_NE(NULL, strstr(held.text, "\npmudev_down_info{cpu=\""));
	EXPECT_TRUE(is_up(&held, 0, NULL));
	close(self->fd);
	self->fd = -1;
	ASSERT_TRUE(scrape(self->port, &after));
	EXPECT_TRUE(is_up(&after, self->cpu, NULL)) TH_LOG("%s", after.text);
	EXPECT_NE(~0ULL, count_of(&after, "cycles_total", self->cpu));
}

/* --------------------------------------------------------------------- scrapes in parallel -- */

#define CLIENTS 6

static unsigned int shared_port;

/* NULL: each scrape was whole, and no count went back. */
static void *scrape_often(void *arg)
{
	struct reply *reply = malloc(sizeof(*reply));
	__u64 cycles = 0, now;
	int i;

	(void)arg;
	for (i = 0; i < few(20); i++) {
		if (!reply || !scrape(shared_port, reply))
			return "a scrape failed";
		now = count_of(reply, "cycles_total", 0);
		if (now == ~0ULL || now < cycles)
			return "a count went back";
		cycles = now;
	}
	free(reply);
	return NULL;
}

TEST_F(exporter, scrapes_in_parallel)
{
	pthread_t threads[CLIENTS];
	void *wrong;
	int i;

	lacks = start(self, "cycles");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	shared_port = self->port;
	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, scrape_often, NULL));
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &wrong));
		EXPECT_EQ(NULL, wrong) TH_LOG("%s", (char *)wrong);
	}
}

/* SIGTERM ends it with 0, and nothing stays. */
TEST_F(exporter, ends)
{
	static struct reply reply;

	lacks = start(self, "cycles");
	if (lacks && *lacks)
		SKIP(return, "%s", lacks);
	ASSERT_EQ(NULL, lacks) TH_LOG("it says: %s", self->text);
	ASSERT_TRUE(scrape(self->port, &reply));
	ASSERT_EQ(0, kill(self->command, SIGTERM));
	EXPECT_EQ(0, child_result(self->command));
	self->command = -1;
	EXPECT_FALSE(scrape(self->port, &reply));
	EXPECT_EQ(0, nothing_left());
}

TEST_HARNESS_MAIN
