// SPDX-License-Identifier: GPL-2.0
/* A round of the fuzzer: workers come, make its calls, and go with all that is theirs. */
#include "fuzz.h"

#include <grp.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define NOBODY 65534

/* No call returns for so long: something hangs. */
#define HANGS_NS 120000000000ULL

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
}

/* The first two share a table of descriptors; some have no rights. */
static void work(struct fuzz_shared *s, __u64 seed, int worker, bool alone, bool two)
{
	struct fuzz f = { .s = s, .worker = worker, .alone = alone, .random = seed + worker };

	if (two && !syscall(SYS_clone, CLONE_FILES | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0))
		work(s, seed, worker + 1, alone, false);
	fuzz_random(&f);
	if (worker == 2 || worker == 5)
		become_nobody();
	fuzz_work(&f);
}

/* Orphans; a worker does not end before the round does. */
static bool collect(struct fuzz_shared *s)
{
	int status, i, pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (i = 0; i < FUZZ_WORKERS && READ_ONCE(s->calls) < s->limit; i++)
			if (pid == s->tid[i] && !__atomic_exchange_n(&s->stop, 2, __ATOMIC_SEQ_CST))
				sprintf(s->failure, "worker %d died: status %#x", i, status);
	return pid < 0;
}

/* Until the round's calls are made, or one of them went wrong, or none returns. */
static void wait_for_calls(struct fuzz_shared *s, int group)
{
	__u64 calls, last = 0, since = now_ns();
	bool died = false;

	while (!died && !READ_ONCE(s->stop) && (calls = READ_ONCE(s->calls)) < s->limit) {
		pause_ns(2000000);
		kill(-group, SIGCONT);
		died = collect(s);
		if (calls != last)
			since = now_ns();
		last = calls;
		if (now_ns() - since > HANGS_NS) {
			sprintf(s->failure, "no call returns");
			WRITE_ONCE(s->stop, 2);
		}
	}
}

/* All of them, and theirs. */
static void end_all(int group, bool friendly)
{
	int i;

	for (i = 0; friendly && i < 1000 && waitpid(-1, NULL, WNOHANG) >= 0; i++) {
		kill(-group, SIGCONT);
		pause_ns(1000000);
	}
	do {
		kill(-group, SIGKILL);
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		pause_ns(100000);
	} while (waitpid(-1, NULL, WNOHANG | __WALL) >= 0);
}

/* What is under way between them goes with them. Kernels without: files are passed otherwise. */
static void make_sockets(void)
{
	int sockets[2], i, event = eventfd(0, EFD_NONBLOCK);

	dup2(event, FUZZ_EVENT_FD);
	close(event);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sockets))
		return;
	for (i = 0; i < 2; i++) {
		dup2(sockets[i], FUZZ_SOCKET_FD + i);
		close(sockets[i]);
	}
}

void fuzz_round(struct fuzz_shared *s, __u64 seed, int workers)
{
	struct fuzz dice = { .random = seed };
	bool friendly = fuzz_pick(&dice, 2);
	int group = 0, i, pid, keep = pm_open();
	bool two = !fuzz_rarely(&dice, 4) && workers > 1;

	if (!workers)
		workers = 2 + fuzz_pick(&dice, FUZZ_WORKERS - 1);
	make_sockets();
	for (i = 0; i < workers; i += 1 + (two && !i)) {
		pid = fork();
		if (!pid) {
			setpgid(0, group);
			work(s, seed, i, workers == 1, two && !i);
		}
		setpgid(pid, group);
		group = group ? group : pid;
	}
	wait_for_calls(s, group);
	end_all(group, friendly);
	close(FUZZ_SOCKET_FD);
	close(FUZZ_SOCKET_FD + 1);
	close(FUZZ_EVENT_FD);
	close(keep);
}
