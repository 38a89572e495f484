// SPDX-License-Identifier: GPL-2.0
#include "deadline_family.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Known to all of them: orders have one argument. */
static struct family_shared *known;

const char *family_start(struct family *family)
{
	struct pmudev_query query;
	const char *missing;
	int i;

	memset(family, 0, sizeof(*family));
	family->fd = -1;
	family->alone = -1;
	family->ended = true;
	missing = no_deadlines(&query);
	if (missing)
		return missing;
	if (!(query.features & PMUDEV_HAS_INHERIT))
		return "no inheritance here";
	if (limit_overflows(false))
		return "";
	known = mmap(NULL, sizeof(*known), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (known == MAP_FAILED)
		return "";
	family->shared = known;
	family->t = known->t;
	/* What they share with this process is there before the process that starts them. */
	for (i = 0; i < THREADS; i++)
		if (subject_prepare(&family->t[i]))
			return "";
	if (subject_fork(&family->s))
		return "";
	family->ended = false;
	return NULL;
}

int family_end_subject(struct family *family)
{
	family->ended = true;
	return subject_end(&family->s);
}

void family_close(struct family *family)
{
	if (family->fd >= 0)
		close(family->fd);
	family->fd = -1;
}

void family_end(struct family *family)
{
	family_close(family);
	if (family->alone >= 0)
		close(family->alone);
	/* Its threads end with it. */
	if (!family->ended)
		stop_child(family->s.pid);
	limit_overflows(true);
}

static int set_of(pid_t pid, __u32 target, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	int fd = pm_open(), ret = pm_bind(fd, target, pid, flags);

	if (!ret)
		ret = pm_add(fd, &event, 1);
	if (!ret)
		ret = pm_enable(fd, 0);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

int family_set(struct family *family, __u32 target, __u32 flags)
{
	family->alone = set_of(family->s.pid, PMUDEV_TARGET_TASK, 0);
	if (family->alone < 0)
		return family->alone;
	family->fd = set_of(family->s.pid, target, flags);
	return family->fd;
}

int family_threads(struct family *family)
{
	int ret = 0, i;

	for (i = 0; !ret && i < THREADS; i++)
		ret = subject_do(&family->s, subject_start_prepared, (long)&family->t[i]);
	return ret;
}

__u64 family_alone(const struct family *family)
{
	return pm_value(family->alone, 0);
}

__u32 family_record_flags(int fd)
{
	union record r;

	return pm_read(fd, &r) ? ~0U : r.r.flags;
}

/* ------------------------------------------------------------------ orders -- */

long family_loop(long rounds)
{
	loop(rounds);
	return 0;
}

static long child(long rounds)
{
	int pid = fork_bound();

	if (!pid) {
		loop(rounds);
		_exit(0);
	}
	return pid < 0 || child_result(pid) ? -1 : pid;
}

long family_child(struct family *family, __u64 rounds)
{
	return subject_do(&family->s, child, rounds);
}

long family_grandchild(long rounds)
{
	int *pid =
		mmap(NULL, sizeof(*pid), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int between = fork_bound();

	if (!between) {
		*pid = child(rounds);
		_exit(0);
	}
	return child_result(between) ? -1 : *pid;
}

long family_orphan(long unused)
{
	int pid = fork();

	(void)unused;
	/* It outlives its parent, but not the test. */
	while (!pid)
		pause_ns(10000000);
	return pid;
}

/* Do so much as one child. */
static void be_one(__u64 rounds)
{
	loop(rounds);
	_exit(0);
}

long family_many(long nr)
{
	int pid[THREADS], i, n;

	while (nr > 0) {
		n = nr < THREADS ? nr : THREADS;
		for (i = 0; i < n; i++) {
			pid[i] = fork_bound();
			if (!pid[i])
				be_one(known->each);
		}
		for (i = 0; i < n; i++)
			if (child_result(pid[i]))
				return -1;
		nr -= n;
		__atomic_fetch_add(&known->made, n, __ATOMIC_RELEASE);
	}
	return 0;
}

long family_leave(long unused)
{
	(void)unused;
	raw_call(SYS_exit, 0, 0, 0);
	return 0;
}

static void on_signal(int sig)
{
	(void)sig;
	__atomic_store_n(&known->caught, my_tid(), __ATOMIC_RELEASE);
}

long family_catch(long sig)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	return sigaction(sig, &action, NULL) ? -errno : 0;
}

pid_t family_caught(const struct family *family)
{
	return WAIT_FOR(READ_ONCE(family->shared->caught)) ?
		       __atomic_exchange_n(&family->shared->caught, 0, __ATOMIC_ACQUIRE) :
		       0;
}
