// SPDX-License-Identifier: GPL-2.0
/* The fuzzer and tasks: children, threads, programs, rights; who is moved, signalled, traced. */
#include "fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>

#define MOST_CHILDREN 3 /* of one process */
#define DEEPEST	      2
#define NOBODY	      65534

static int children;
static unsigned int threads; /* arenas that are taken */

static void be_known(struct fuzz *f)
{
	unsigned int nr = __atomic_fetch_add(&f->s->nr_kids, 1, __ATOMIC_RELAXED);

	WRITE_ONCE(f->s->kid[nr % ARRAY_SIZE(f->s->kid)], my_tid());
}

void fuzz_reap(void)
{
	int status;

	while (waitpid(-1, &status, WNOHANG | __WALL) > 0)
		if (!WIFSTOPPED(status))
			children--;
}

/* ---------------------------------------------------------------------- children -- */

/* What a child does: some things, and an end that it may or may not come to. */
static void live(struct fuzz *f)
{
	__u64 nap = fuzz_random(f) >> 42;

	children = 0;
	threads = 0;
	be_known(f);
	fuzz_go_on(f, 1 + fuzz_pick(f, 60));
	if (fuzz_rarely(f, 2))
		pause_ns(nap);
	_exit(0);
}

/* The same seed for a child, whether or not there is room for it. */
void fuzz_fork(struct fuzz *f)
{
	struct fuzz child = { .s = f->s,
			      .worker = f->worker,
			      .depth = f->depth + 1,
			      .child = true,
			      .arena = f->arena,
			      .alone = f->alone,
			      .random = fuzz_random(f) };
	unsigned int how = fuzz_pick(f, 8);
	bool wait = fuzz_rarely(f, 4);
	int pid;

	if (f->alone || f->depth >= DEEPEST || READ_ONCE(children) >= MOST_CHILDREN)
		return;
	fuzz_begin(f, FUZZ_FORK, "fork %u%s", how, wait ? ", waited for" : "");
	if (how == 0)
		pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	else if (how == 1)
		pid = vfork();
	else
		pid = fork();
	if (!pid && how == 1)
		_exit(0);
	if (!pid)
		live(&child);
	fuzz_end(f, fuzz_result(pid));
	if (pid > 0)
		children++;
	if (pid > 0 && wait && waitpid(pid, NULL, __WALL) == pid)
		children--;
}

static void *run(void *arg)
{
	struct fuzz *f = arg;
	unsigned int nr;

	nr = __atomic_fetch_add(&f->s->nr_tids, 1, __ATOMIC_RELAXED);
	WRITE_ONCE(f->s->tid[FUZZ_WORKERS + nr % (ARRAY_SIZE(f->s->tid) - FUZZ_WORKERS)], my_tid());
	fuzz_arena(f);
	fuzz_go_on(f, 5 + fuzz_pick(f, 40));
	__atomic_and_fetch(&threads, ~(1U << f->arena), __ATOMIC_SEQ_CST);
	free(f);
	return NULL;
}

void fuzz_thread(struct fuzz *f)
{
	__u64 random = fuzz_random(f);
	pthread_attr_t attr;
	struct fuzz *child;
	pthread_t thread;
	int i;

	if (f->alone)
		return;
	for (i = 1; i <= FUZZ_THREADS; i++)
		if (!(__atomic_fetch_or(&threads, 1U << i, __ATOMIC_SEQ_CST) & 1U << i))
			break;
	if (i > FUZZ_THREADS)
		return;
	child = calloc(1, sizeof(*child));
	*child = (struct fuzz){
		.s = f->s,
		.worker = f->worker,
		/* It makes no processes: in them there would be nothing of others' locks. */
		.depth = DEEPEST,
		.arena = i,
		.child = f->child,
		.alone = f->alone,
		.random = random
	};
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	fuzz_begin(f, FUZZ_THREAD, "thread %d", i);
	fuzz_end(f, -pthread_create(&thread, &attr, run, child));
	pthread_attr_destroy(&attr);
	if (f->entry->ret) {
		free(child);
		__atomic_and_fetch(&threads, ~(1U << i), __ATOMIC_SEQ_CST);
	}
}

/* ---------------------------------------------------------------------- programs -- */

#define CHILD_ENV "PMUDEV_FUZZ_CHILD"

/* A worker stays what it is; its descendants become another program, or one with more rights. */
void fuzz_exec(struct fuzz *f)
{
	const char *path = fuzz_rarely(f, 3) ? FUZZ_SUID : "/proc/self/exe";
	__u64 random = fuzz_random(f);
	char env[80], *envp[] = { env, NULL };
	char name[] = "fuzz", *argv[] = { name, NULL };

	if (!f->child)
		return;
	snprintf(env, sizeof(env), CHILD_ENV "=%llu %d %d", random, f->worker, DEEPEST);
	fuzz_begin(f, FUZZ_EXEC, "exec %s", path);
	fuzz_end(f, fuzz_result(execve(path, argv, envp)));
}

void fuzz_executed(void)
{
	const char *env = getenv(CHILD_ENV);
	struct fuzz f = { .child = true };

	if (!env)
		return;
	if (sscanf(env, "%llu %d %d", &f.random, &f.worker, &f.depth) != 3)
		_exit(1);
	f.s = mmap(NULL, sizeof(*f.s), PROT_READ | PROT_WRITE, MAP_SHARED, FUZZ_SHARED_FD, 0);
	if (f.s == MAP_FAILED)
		_exit(1);
	fuzz_arena(&f);
	live(&f);
}

/* Rights that are lost, and names that mean something else. */
void fuzz_rights(struct fuzz *f)
{
	static const int spaces[] = { CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWUSER | CLONE_NEWPID,
				      CLONE_FILES, CLONE_FS };
	unsigned int what = fuzz_pick(f, 4), how = fuzz_pick(f, ARRAY_SIZE(spaces));

	if (!f->child)
		return;
	fuzz_begin(f, FUZZ_RIGHTS, "rights %u %u", what, how);
	switch (what) {
	case 0:
		fuzz_end(f, fuzz_result(setresuid(NOBODY, NOBODY, NOBODY)));
		break;
	case 1:
		fuzz_end(f, fuzz_result(unshare(spaces[how])));
		break;
	case 2:
		fuzz_end(f, fuzz_result(prctl(PR_SET_DUMPABLE, how % 2)));
		break;
	default:
		fuzz_end(f, fuzz_result(setresgid(-1, how % 2 ? NOBODY : 0, -1)));
		break;
	}
}

/* ------------------------------------------------------------------ done to others -- */

/* Where a signal interrupts. */
static void on_signal(int signal_)
{
	union record record;
	int error = errno;

	(void)signal_;
	if (read(FUZZ_FD, &record, sizeof(record)) < 0)
		errno = error;
}

static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
}

void fuzz_signal(struct fuzz *f)
{
	static const int signals[] = { SIGUSR1, SIGUSR1, SIGSTOP, SIGCONT, SIGKILL };
	struct itimerval timer = { .it_value.tv_usec = 1 + fuzz_pick(f, 3000) };
	int which = FUZZ_ONE_OF(f, signals), tid;
	unsigned int who = fuzz_pick(f, ARRAY_SIZE(f->s->kid));

	handle_signals();
	if (fuzz_rarely(f, 3) && !f->alone) {
		fuzz_begin(f, FUZZ_SIGNAL, "timer");
		fuzz_end(f, fuzz_result(setitimer(ITIMER_REAL, &timer, NULL)));
		return;
	}
	/* The round wakes who was stopped. Workers are not killed: theirs is the sequence. */
	tid = READ_ONCE(f->s->kid[who]);
	fuzz_begin(f, FUZZ_SIGNAL, "signal %d to a kid", which);
	fuzz_end(f, tid ? fuzz_result(kill(tid, which)) : -ESRCH);
}

void fuzz_ptrace(struct fuzz *f)
{
	unsigned int who = fuzz_pick(f, ARRAY_SIZE(f->s->kid)), i;
	int tid = READ_ONCE(f->s->kid[who]), status;
	long ret;

	fuzz_begin(f, FUZZ_PTRACE, "ptrace a kid");
	ret = tid ? fuzz_result(ptrace(PTRACE_SEIZE, tid, 0, 0)) : -ESRCH;
	if (!ret) {
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		for (i = 0; i < 20; i++) {
			if (waitpid(tid, &status, __WALL | WNOHANG) == tid)
				break;
			pause_ns(20000);
		}
		ptrace(PTRACE_DETACH, tid, 0, 0);
	}
	fuzz_end(f, ret);
}

void fuzz_move(struct fuzz *f)
{
	__u32 cpus = 1 + fuzz_pick(f, (1U << f->s->cpus) - 1);
	const char *name;
	int tid = fuzz_someone(f, &name), i;
	cpu_set_t set;

	CPU_ZERO(&set);
	for (i = 0; i < f->s->cpus; i++)
		if (cpus >> i & 1)
			CPU_SET(i, &set);
	/* Not the machine's own. */
	if (strcmp(name, "self") && strcmp(name, "thread") && strcmp(name, "kid"))
		tid = 0;
	fuzz_begin(f, FUZZ_MOVE, "%s to CPUs %x", name, cpus);
	fuzz_end(f, fuzz_result(sched_setaffinity(tid, sizeof(set), &set)));
}
