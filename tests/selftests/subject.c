// SPDX-License-Identifier: GPL-2.0
#include "subject.h"
#include "sleepers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* ----------------------------------------------------------------- subjects -- */

static __attribute__((noinline)) void serve(struct subject *s)
{
	struct order *order = s->order;

	for (;;) {
		turn_wait(&s->turns, 1);
		if (!order->fn)
			return;
		order->result = order->fn(order->arg);
		turn_give(&s->turns, 1);
	}
}

int subject_prepare(struct subject *s)
{
	memset(s, 0, sizeof(*s));
	s->order = shared(sizeof(*s->order));
	return s->order ? turns_init(&s->turns) : -ENOMEM;
}

static bool asleep(const struct subject *s)
{
	return task_state(s->pid) == 'S';
}

int subject_fork(struct subject *s)
{
	int ret = subject_prepare(s);

	if (ret)
		return ret;
	s->forked = true;
	s->pid = fork_bound();
	if (!s->pid) {
		serve(s);
		_exit(0);
	}
	if (s->pid < 0)
		return -errno;
	return WAIT_FOR(asleep(s)) ? 0 : -ETIMEDOUT;
}

static void *subject_main(void *arg)
{
	struct subject *s = arg;

	__atomic_store_n(&s->pid, my_tid(), __ATOMIC_RELEASE);
	serve(s);
	return NULL;
}

long subject_start_prepared(long subject)
{
	struct subject *s = (struct subject *)subject;

	if (pthread_create(&s->thread, NULL, subject_main, s))
		return -EAGAIN;
	return WAIT_FOR(READ_ONCE(s->pid) && asleep(s)) ? 0 : -ETIMEDOUT;
}

int subject_thread(struct subject *s)
{
	int ret = subject_prepare(s);

	return ret ? ret : subject_start_prepared((long)s);
}

void subject_tell(struct subject *s, long (*fn)(long arg), long arg)
{
	s->order->fn = fn;
	s->order->arg = arg;
	turn_give(&s->turns, 0);
}

long subject_finish(struct subject *s)
{
	turn_wait(&s->turns, 0);
	return WAIT_FOR(asleep(s)) ? s->order->result : -ETIMEDOUT;
}

long subject_do(struct subject *s, long (*fn)(long arg), long arg)
{
	subject_tell(s, fn, arg);
	return subject_finish(s);
}

static long work(long n)
{
	loop(n);
	return 0;
}

long subject_work(struct subject *s, __u64 n)
{
	return subject_do(s, work, n);
}

int subject_end(struct subject *s)
{
	int ret;

	subject_tell(s, NULL, 0);
	ret = s->forked ? child_result(s->pid) : -pthread_join(s->thread, NULL);
	turns_end(&s->turns);
	munmap(s->order, sizeof(*s->order));
	return ret;
}

long count_yourself(long fd)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int ret = pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0);

	if (!ret)
		ret = pm_add(fd, &event, 1);
	return ret ? ret : pm_enable(fd, 0);
}

__u64 subject_cost(void)
{
	__u64 n, last, cost[3] = { 0 };
	struct subject s;
	int fd = pm_open();
	unsigned int i;

	if (fd < 0 || subject_fork(&s) || subject_do(&s, count_yourself, fd))
		return 0;
	/* The first one brings in its pages. */
	subject_work(&s, 1);
	for (i = 0, n = 1; i < ARRAY_SIZE(cost); i++, n *= 100) {
		last = pm_value(fd, 0);
		subject_work(&s, n);
		cost[i] = pm_value(fd, 0) - last - LOOP_INSTRUCTIONS * n;
	}
	subject_end(&s);
	close(fd);
	if (cost[0] != cost[1] || cost[0] != cost[2] || cost[0] > SUBJECT_COST_MAX)
		return 0;
	return cost[0];
}

/* ----------------------------------------------------------------- spinners -- */

SPIN_CODE;

int spinner_start(struct spinner *s)
{
	return spinner_start_among(s, 0);
}

int spinner_start_among(struct spinner *s, int sleepers)
{
	s->rounds = shared(sizeof(*s->rounds));
	if (!s->rounds)
		return -ENOMEM;
	s->pid = fork_bound();
	if (!s->pid) {
		if (sleepers && sleepers_start(sleepers))
			_exit(1);
		spin_forever(s->rounds);
	}
	if (s->pid < 0)
		return -errno;
	return WAIT_FOR(READ_ONCE(*s->rounds)) ? 0 : -ETIMEDOUT;
}

int spinner_halt(struct spinner *s)
{
	int status;

	if (kill(s->pid, SIGSTOP) || waitpid(s->pid, &status, WUNTRACED) != s->pid)
		return -errno;
	return WIFSTOPPED(status) ? 0 : -ECHILD;
}

int spinner_go(struct spinner *s)
{
	return kill(s->pid, SIGCONT) ? -errno : 0;
}

__s64 spinner_executed(const struct spinner *s)
{
	char path[32], line[256] = "", *last;
	unsigned long at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", s->pid);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	last = fgets(line, sizeof(line), f) ? strrchr(line, ' ') : NULL;
	fclose(f);
	if (!last)
		return -EBUSY;
	at = strtoul(last, NULL, 16) - (unsigned long)spin_round;
	if (at >= SPIN_BYTES)
		return -ERANGE;
	return SPIN_INSTRUCTIONS * *s->rounds + spin_phase(at);
}

void spinner_stop(struct spinner *s)
{
	stop_child(s->pid);
	munmap(s->rounds, sizeof(*s->rounds));
}

/* ----------------------------------------------------------------- accounts -- */

/* The parent of a process, and whether it and all above it sleep, but for the first one. */
static bool ancestors_sleep(void)
{
	int pid = getppid(), parent;
	char state;

	while (pid > 1) {
		if (task_stat(pid, &state, &parent) || state != 'S')
			return false;
		pid = parent;
	}
	return true;
}

int account_open(struct account *a)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct tally t;
	int ret;

	ret = pin_to(0);
	if (ret)
		return ret;
	if (!WAIT_FOR(ancestors_sleep()))
		return -EAGAIN;
	for (a->nr = 0; a->nr < cpus_online(); a->nr++) {
		ret = pm_cpu_set(a->nr, 0, &event, 1);
		if (ret < 0)
			return ret;
		a->fd[a->nr] = ret;
	}
	/* Once in vain: nothing is the first time afterwards. */
	return account_read(a, NULL, 0, &t);
}

/* The same instructions from each read to the next, every time. */
__attribute__((noinline)) int account_read(const struct account *a, const int *fd, int nr,
					   struct tally *t)
{
	union record r;
	int i, ret = 0;

	memset(&r, 0, sizeof(r));
	*t = (struct tally){ 0 };
	for (i = 0; i < a->nr; i++) {
		ret |= raw_read(a->fd[i], &r) < 0;
		t->cpus += r.r.counts[0].value;
	}
	for (i = 0; i < nr; i++) {
		ret |= raw_read(fd[i], &r) < 0;
		t->sets += r.r.counts[0].value;
	}
	return ret ? -EIO : 0;
}

void account_close(struct account *a)
{
	while (a->nr)
		close(a->fd[--a->nr]);
}
