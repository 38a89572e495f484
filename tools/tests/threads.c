// SPDX-License-Identifier: MIT
/*
 * What pmudev.h promises to threads, with a module made up: several threads make one set's calls
 * fail, ask why, and read it; each has sets of its own, too. Run by threads_test.sh, where
 * ThreadSanitizer looks on.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

static int fake_ioctl(int fd, unsigned long request, ...);
static ssize_t fake_read(int fd, void *buf, size_t size);

/* The library's own calls come here. */
#define ioctl fake_ioctl
#define read  fake_read
#include "fake.h"
#include "../lib/set.c"
#undef ioctl
#undef read

#define THREADS	 4
#define ROUNDS	 20000
#define ANY_FILE 1000

/* ------------------------------------------------------------------- the module -- */

/* Each refusal has a number, which stands wherever it has room: torn ones are seen. */
static unsigned int refusals;
static uint64_t counting;

static void refuse(struct pmudev_refusal *why)
{
	unsigned int n = __atomic_add_fetch(&refusals, 1, __ATOMIC_RELAXED) & 0xffffff;
	struct pmudev_holder *holders = (void *)(uintptr_t)why->holders;
	unsigned int i;

	why->code = PMUDEV_WHY_HELD;
	why->event = n % PMUDEV_MAX_EVENTS;
	why->allowed = n;
	why->busy = n;
	why->limit = n;
	why->holder = (struct pmudev_holder){
		.counter = n % 31,
		.kind = PMUDEV_HOLDER_TASK_SET,
		.pid = n,
		.cpu = -1,
	};
	why->nr_holders = 1 + n % PMUDEV_MAX_HOLDERS;
	for (i = 0; i < why->nr_holders; i++)
		holders[i] = why->holder;
}

static int fake_ioctl(int fd, unsigned long request, ...)
{
	struct pmudev_ctl *ctl;
	struct pmudev_why *why;
	va_list args;

	va_start(args, request);
	ctl = va_arg(args, void *);
	why = (void *)ctl;
	va_end(args);
	if (request == PMUDEV_IOC_WHY) {
		refuse(&why->refusal);
		why->error = EBUSY;
		return 0;
	}
	if (request != PMUDEV_IOC_ENABLE || fd < ANY_FILE)
		return 0;
	refuse(&ctl->refusal);
	errno = EBUSY;
	return -1;
}

static ssize_t fake_read(int fd, void *buf, size_t size)
{
	struct pmudev_record *record = buf;
	uint64_t value = __atomic_add_fetch(&counting, 1, __ATOMIC_RELAXED);

	if (fd == ANY_FILE + 1) {
		errno = EBUSY;
		return -1;
	}
	memset(record, 0, PMUDEV_RECORD_SIZE(2));
	record->size = PMUDEV_RECORD_SIZE(2);
	record->nr = 2;
	record->present = 3;
	record->counts[0].value = value;
	record->counts[1].value = value;
	return size < record->size ? -1 : (ssize_t)record->size;
}

/* ---------------------------------------------------------------------- one set -- */

static struct pmudev one = { .fd = ANY_FILE, .opened = 1 };
static struct pmudev failing = { .fd = ANY_FILE + 1, .opened = 1 };
static int torn, wrong, lost;

static void count_up(int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static void look(struct pmudev *set)
{
	struct pmudev_refusal why;
	static const char end[] = "or count fewer events";
	const struct pmudev_refusal none = { .event = -1 };
	char text[512], busy[512];
	int error = pmudev_why(set, &why);

	if (error == -EAGAIN) {
		count_up(&lost);
		return;
	}
	if (error != -EBUSY || why.busy != why.allowed || why.limit != why.allowed ||
	    (uint64_t)why.holder.pid != why.allowed ||
	    why.event != (int)(why.allowed % PMUDEV_MAX_EVENTS) ||
	    why.nr_holders != 1 + why.allowed % PMUDEV_MAX_HOLDERS)
		count_up(&torn);
	pmudev_explain(set, text, sizeof(text));
	/* It asks anew, and another thread may be writing by now. */
	pmudev_explain_refusal(-EAGAIN, &none, busy, sizeof(busy));
	if (!strcmp(text, busy)) {
		count_up(&lost);
		return;
	}
	if (strncmp(text, "event ", 6) || strcmp(text + strlen(text) - strlen(end), end))
		count_up(&torn);
}

static void *share(void *arg)
{
	uint64_t values[2], last = 0;
	unsigned int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		if (pmudev_enable(&one, PMUDEV_ALL) != -EBUSY)
			count_up(&wrong);
		look(&one);
		if (pmudev_read_counts(&one, values, 2) || values[0] != values[1] ||
		    values[0] <= last)
			count_up(&wrong);
		last = values[0];
		if (pmudev_read_count(&failing, 0, values) != -EBUSY)
			count_up(&wrong);
		look(&failing);
	}
	return NULL;
}

/* --------------------------------------------------------------- sets of their own -- */

static void own_page(struct pmudev_page *mine, unsigned int counter)
{
	memset(mine, 0, sizeof(*mine));
	mine->seq = 2;
	mine->owner = syscall(SYS_gettid);
	mine->slots[0] = (struct pmudev_slot){
		.operand = counter,
		.index = counter + 1,
		.flags = PMUDEV_SLOT_USED,
	};
}

static void *alone(void *arg)
{
	unsigned int number = (uintptr_t)arg, i;
	struct pmudev set = { .fd = ANY_FILE + 2 + number, .opened = 1 };
	struct pmudev others = { .fd = ANY_FILE, .page = &page, .opened = 1 };
	struct pmudev_page mine;
	struct pmudev_reader reader;
	uint64_t value;

	own_page(&mine, number);
	set.page = &mine;
	pmudev_reader_init(&reader, &set, NULL, 1);
	for (i = 0; i < ROUNDS; i++) {
		if (pmudev_read_count(&set, 0, &value) || value != 1000 + number)
			count_up(&wrong);
		if (pmudev_reader_count(&reader, &value) || value != 1000 + number)
			count_up(&wrong);
		if (pmudev_try_count(&others, 0, &value))
			count_up(&wrong);
		if (pmudev_enable(&set, PMUDEV_ALL) != -EBUSY)
			count_up(&wrong);
		look(&set);
	}
	return NULL;
}

static void run(void *(*what)(void *))
{
	pthread_t threads[THREADS];
	uintptr_t i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, what, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	unsigned int i;

	run(share);
	is_number(torn, 0, "threads that share a set: what it remembers is of one failure");
	is_number(wrong, 0, "  and each call has its own result");
	printf("# %d of %d times it was just being written\n", lost, 2 * THREADS * ROUNDS);
	ok(lost < THREADS * ROUNDS / 100, "  seldom it is just being written");

	/* The page of the main thread, which no other may take for its own. */
	own_page(&page, 63);
	torn = 0;
	for (i = 0; i < THREADS; i++)
		counters[i] = 1000 + i;
	run(alone);
	is_number(wrong, 0, "threads with sets of their own read their own counters");
	is_number(torn, 0, "  and are told of their own failures");
	return tap_end();
}
