// SPDX-License-Identifier: GPL-2.0
#include "crowd.h"
#include "costs.h"

#include <stdlib.h>
#include <sys/resource.h>

#define MOST_FILES 131072
#define STACK	   65536

void many_files(void)
{
	struct rlimit limit = { MOST_FILES, MOST_FILES };
	int fd;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail("RLIMIT_NOFILE", -errno);
	/* The table of files does not grow later. */
	fd = dup2(0, MOST_FILES - 1);
	if (fd < 0)
		fail("a file with a high number", -errno);
	close(fd);
}

/* Otherwise the memory and the CPUs bound them. */
void many_threads(void)
{
	int ret = write_file("/proc/sys/kernel/threads-max", "100000");

	if (!ret)
		ret = write_file("/proc/sys/kernel/pid_max", "200000");
	if (!ret)
		ret = write_file("/proc/sys/vm/max_map_count", "200000");
	if (ret)
		fail("many threads", ret);
}

static void wait_for(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		fail("the crowd's pipe", -errno);
}

static void tell(int fd)
{
	if (write(fd, "x", 1) != 1)
		fail("the crowd's pipe", -errno);
}

static void begin(struct crowd *c)
{
	if (c->measured)
		costs_begin(now_ns);
}

static void end(struct crowd *c)
{
	if (c->measured)
		costs_end(c->each);
	c->measured = false;
}

/* One of them works at a time. */
static void *member(void *arg)
{
	struct events events[CROWD_MOST_SETS];
	struct crowd *c = arg;
	unsigned int i;
	__u64 start;
	int ret = 0;

	wait_for(c->may_open[0]);
	begin(c);
	start = now_ns();
	for (i = 0; i < c->each && !ret; i++)
		ret = c->api->open(&events[i], &c->wish);
	c->opening_ns += now_ns() - start;
	end(c);
	if (ret)
		fail("one of many sets", ret);
	tell(c->done[1]);

	wait_for(c->may_close[0]);
	begin(c);
	start = now_ns();
	for (i = c->each; i--;)
		c->api->close(&events[i]);
	c->closing_ns += now_ns() - start;
	end(c);
	tell(c->done[1]);

	wait_for(c->may_end[0]);
	return NULL;
}

void crowd_init(struct crowd *c, const struct api *api, const struct wish *wish, unsigned int each)
{
	*c = (struct crowd){ .api = api, .wish = *wish, .each = each };
	if (pipe(c->may_open) || pipe(c->may_close) || pipe(c->may_end) || pipe(c->done))
		fail("pipe", -errno);
}

void crowd_gather(struct crowd *c, unsigned int threads)
{
	pthread_attr_t attr;
	int ret;

	c->id = realloc(c->id, threads * sizeof(*c->id));
	if (!c->id)
		fail("threads", -ENOMEM);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (; c->threads < threads; c->threads++) {
		ret = pthread_create(&c->id[c->threads], &attr, member, c);
		if (ret)
			fail("a thread", -ret);
	}
	pthread_attr_destroy(&attr);
}

void crowd_open(struct crowd *c, unsigned int threads)
{
	for (; c->opened < threads; c->opened++) {
		c->measured = c->opened + 1 == threads;
		tell(c->may_open[1]);
		wait_for(c->done[0]);
	}
	costs_done();
}

void crowd_end(struct crowd *c)
{
	unsigned int i;

	for (c->measured = true; c->opened; c->opened--) {
		tell(c->may_close[1]);
		wait_for(c->done[0]);
	}
	costs_done();
	/* What it takes that a thread ends is no part of it. */
	for (i = 0; i < c->threads; i++)
		tell(c->may_end[1]);
	for (i = 0; i < c->threads; i++)
		pthread_join(c->id[i], NULL);
	free(c->id);
	close(c->may_open[1]);
	close(c->may_open[0]);
	close(c->may_close[0]);
	close(c->may_close[1]);
	close(c->may_end[0]);
	close(c->may_end[1]);
	close(c->done[0]);
	close(c->done[1]);
}
