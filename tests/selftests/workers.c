// SPDX-License-Identifier: GPL-2.0
#include "workers.h"

#include <signal.h>
#include <string.h>
#include "storm.h"

/* Rounds of the loop in a window, and the most that is around it. */
#define ROUNDS	   2000
#define AROUND_MAX 300

/* Reads of the page between two windows. */
#define READS 20

static __thread struct hand *me;

static int wrong(struct hand *h, int line, __u64 value, __u64 bound)
{
	if (!h->wrong.line) {
		h->wrong.value = value;
		h->wrong.bound = bound;
		WRITE_ONCE(h->wrong.line, line);
	}
	return -1;
}

#define WRONG(value, bound) wrong(h, __LINE__, value, bound)

/* What a read(2) takes, of the first two events. */
struct two {
	struct pmudev_record record;
	struct pmudev_count counts[2 + 2];
};

/*
 * Both ways of reading, in the same number of instructions each time; the page is looked at once,
 * and what it shows is thrown away if it changed meanwhile.
 */
static inline __attribute__((always_inline)) void look(struct hand *h, struct two *two)
{
	const struct pmudev_page *page = h->page;
	__u64 last, count, raw, valid;
	__u32 seq, shift;
	long got;

	last = h->last;
	got = raw_call(SYS_read, h->fd, (long)two, sizeof(*two));
	if (got < 0)
		WRONG(-got, 0);
	if (two->counts[0].value < last)
		WRONG(two->counts[0].value, last);
	last = two->counts[0].value;
	h->last = last;
	if (!page)
		return;
	seq = READ_ONCE(page->seq);
	barrier();
	if (READ_ONCE(page->owner) != (__u32)h->tid || !READ_ONCE(page->slots[0].index)) {
		WRONG(READ_ONCE(page->owner), h->tid);
		return;
	}
	shift = READ_ONCE(page->slots[0].shift);
	count = READ_ONCE(page->slots[0].count);
	raw = counter(READ_ONCE(page->slots[0].operand));
	barrier();
	valid = -(__u64)(READ_ONCE(page->seq) == seq);
	count += ((raw - count) << shift) >> shift;
	count = (count & valid) | (last & ~valid);
	if (count < last)
		WRONG(count, last);
	h->last = count;
	h->direct += valid & 1;
}

/* Each signal's handler is interrupted by the other signal only. */
static void on_signal(int signal_)
{
	struct hand *h = me;
	struct two two;

	look(h, &two);
	h->handled[signal_ == SIGUSR2]++;
}

static inline __attribute__((always_inline)) void block_signals(int how)
{
	static const unsigned long both = 1UL << (SIGUSR1 - 1) | 1UL << (SIGUSR2 - 1);

	raw_call4(SYS_rt_sigprocmask, how, (long)&both, 0, sizeof(both));
}

struct window {
	__u64 counts[2];
	__u64 signals, extra;
};

/* The same instructions each time, and those of so many handlers. */
static __attribute__((noinline)) void count_window(struct hand *h, int signal_, struct window *w)
{
	struct two before, after;

	block_signals(SIG_BLOCK);
	w->signals = hand_signals(h);
	w->extra = READ_ONCE(h->extra);
	look(h, &before);
	block_signals(SIG_UNBLOCK);
	raw_call(SYS_tgkill, h->workers->pid, h->tid, signal_);
	loop(ROUNDS);
	block_signals(SIG_BLOCK);
	w->signals = hand_signals(h) - w->signals;
	w->extra = READ_ONCE(h->extra) - w->extra;
	look(h, &after);
	block_signals(SIG_UNBLOCK);
	w->counts[0] = after.counts[0].value - before.counts[0].value;
	w->counts[1] = after.counts[1].value - before.counts[1].value;
}

static int check_window(struct hand *h, const struct window *w)
{
	__u64 expected = h->window + w->signals * h->handler + w->extra;

	if (!h->workers->exact)
		return w->counts[0] < ROUNDS ? WRONG(w->counts[0], ROUNDS) : 0;
	if (w->counts[0] != expected)
		return WRONG(w->counts[0], expected);
	if (!w->extra && w->counts[1] != EMULATED_CYCLES * expected)
		return WRONG(w->counts[1], EMULATED_CYCLES * expected);
	return 0;
}

/* What a window and a handler cost, while nobody sends signals; the first ones bring in pages. */
static int measure(struct hand *h)
{
	struct window w;
	int i;

	for (i = 0; i < 3; i++)
		count_window(h, i == 1 && h->workers->signals ? SIGUSR1 : 0, &w);
	h->window = w.counts[0];
	if (h->workers->exact && w.counts[0] - LOOP_INSTRUCTIONS * ROUNDS > AROUND_MAX)
		return WRONG(w.counts[0], LOOP_INSTRUCTIONS * ROUNDS);
	if (h->workers->signals) {
		count_window(h, SIGUSR2, &w);
		h->handler = w.counts[0] - h->window;
		if (w.signals != 1 || (h->workers->exact && h->handler > AROUND_MAX))
			return WRONG(w.signals, h->handler);
	}
	return check_window(h, &w);
}

static int make_set(struct hand *h)
{
	bool page = h->number % 2 == 0 && user_reads();
	__u32 flags = page ? DIRECT_READ : USER_ONLY;
	struct pmudev_event_attr events[4] = {
		raw_event(steady_event(), flags),
		raw_event(EVENT_CYCLES, flags),
		in_group(raw_event(EVENT_CYCLES, flags | PMUDEV_MULTIPLEX), 1),
		in_group(raw_event(steady_event(), flags | PMUDEV_MULTIPLEX), 2),
	};

	/* Some have groups that take turns. */
	h->fd = pm_set(events, h->number % 4 < 2 ? 4 : 2, true);
	if (h->fd < 0)
		return WRONG(-h->fd, why.code);
	h->page = page ? pm_map(h->fd) : NULL;
	return page && !h->page ? WRONG(errno, 0) : 0;
}

/* As any program reads, interrupted wherever it is. */
static int read_page(struct hand *h)
{
	struct reader reader = reader_of(h->page);
	__u64 last, value;
	int i;

	for (i = 0; i < READS && h->page; i++) {
		last = h->last;
		if (direct_read(&reader, 0, &value))
			return WRONG(READ_ONCE(h->page->owner), h->tid);
		if (value < last)
			return WRONG(value, last);
	}
	return 0;
}

static void *work(void *arg)
{
	struct hand *h = arg;
	struct window w;
	int ret;

	me = h;
	h->tid = my_tid();
	ret = make_set(h);
	if (!ret)
		ret = measure(h);
	while (!ret && !READ_ONCE(h->workers->stop)) {
		count_window(h, 0, &w);
		ret = check_window(h, &w);
		if (!ret)
			ret = read_page(h);
		WRITE_ONCE(h->windows, h->windows + 1);
		/* Others are to get to work, too. */
		pause_ns(3000 + h->windows % 7 * 1001);
	}
	block_signals(SIG_BLOCK);
	if (h->page)
		pm_unmap((struct pmudev_page *)h->page);
	if (h->fd >= 0)
		close(h->fd);
	return NULL;
}

static void workers_main(struct workers *workers)
{
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int i;

	workers->pid = getpid();
	if (workers->signals) {
		sigaction(SIGUSR1, &action, NULL);
		sigaction(SIGUSR2, &action, NULL);
	}
	for (i = 0; i < workers->nr; i++)
		if (pthread_create(&workers->hand[i].thread, NULL, work, &workers->hand[i]))
			_exit(1);
	for (i = 0; i < workers->nr; i++)
		pthread_join(workers->hand[i].thread, NULL);
	_exit(0);
}

int workers_start(struct workers *workers, unsigned int nr, bool signals)
{
	unsigned int i;
	int pid;

	memset(workers, 0, sizeof(*workers));
	workers->nr = nr;
	workers->signals = signals;
	workers->exact = exact_cycles();
	for (i = 0; i < nr; i++)
		workers->hand[i] = (struct hand){ .workers = workers, .number = i };
	pid = fork_bound();
	if (!pid)
		workers_main(workers);
	workers->pid = pid;
	if (pid < 0)
		return -errno;
	return workers_works(workers) && !workers_wrong(workers) ? 0 : -ETIMEDOUT;
}

bool workers_wrong(const struct workers *workers)
{
	unsigned int i;

	for (i = 0; i < workers->nr; i++)
		if (READ_ONCE(workers->hand[i].wrong.line))
			return true;
	return false;
}

bool workers_works(struct workers *workers)
{
	unsigned int i, windows;

	for (i = 0; i < workers->nr; i++) {
		windows = READ_ONCE(workers->hand[i].windows);
		if (!WAIT_FOR(READ_ONCE(workers->hand[i].windows) > windows + 1 ||
			      workers_wrong(workers)))
			return false;
	}
	return true;
}

int workers_end(struct workers *workers)
{
	int pid = workers->pid;

	WRITE_ONCE(workers->stop, true);
	workers->pid = 0;
	return child_result(pid);
}

unsigned int workers_windows(const struct workers *workers)
{
	unsigned int i, sum = 0;

	for (i = 0; i < workers->nr; i++)
		sum += READ_ONCE(workers->hand[i].windows);
	return sum;
}

__u64 workers_signals(const struct workers *workers)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < workers->nr; i++)
		sum += hand_signals(&workers->hand[i]);
	return sum;
}
