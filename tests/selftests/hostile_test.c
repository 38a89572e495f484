// SPDX-License-Identifier: GPL-2.0
/*
 * What else can be tried with the page and the calls: writing to it behind the mapping's back,
 * keeping it, advice about it; reading from behind a seccomp filter; targets that end under BIND.
 */
#include "as.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

FIXTURE(hostile)
{
	struct pmudev_page *page;
	struct reader reader;
	int fd;
};

FIXTURE_SETUP(hostile)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);

	if (geteuid())
		SKIP(return, "needs root");
	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->reader = reader_of(self->page);
}

FIXTURE_TEARDOWN(hostile)
{
	struct pmudev_query query;

	if (self->page)
		pm_unmap(self->page);
	close(self->fd);
	set_user_access(false);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* Nothing has come of it: the page is the module's, and right. */
static void check_page(struct __test_metadata *_metadata, struct reader *reader, int fd)
{
	__u64 first, second;

	EXPECT_EQ((__u32)PMUDEV_ABI_VERSION, reader->page->version);
	EXPECT_EQ(my_tid(), reader->page->owner);
	ASSERT_EQ(0, direct_read(reader, 0, &first));
	loop(1000);
	ASSERT_EQ(0, direct_read(reader, 0, &second));
	EXPECT_GE(second, first + 1000);
	EXPECT_GE(pm_value(fd, 0), second);
}

/* ------------------------------------------------------------------------ writing to it -- */

static const unsigned long garbage = 0x4141414141414141;

static int write_by_file(void *where, const char *path)
{
	int fd = open(path, O_RDWR), ret;

	if (fd < 0)
		return -errno;
	ret = pwrite(fd, &garbage, sizeof(garbage), (off_t)(uintptr_t)where);
	ret = ret < 0 ? -errno : ret;
	close(fd);
	return ret;
}

TEST_F(hostile, written_to_by_files_and_calls)
{
	struct iovec from = { (void *)&garbage, sizeof(garbage) };
	struct iovec to = { self->page, sizeof(garbage) };
	int zero = open("/dev/zero", O_RDONLY);

	EXPECT_GT(0, write_by_file(self->page, "/proc/self/mem"));
	EXPECT_EQ(-1, process_vm_writev(getpid(), &from, 1, &to, 1, 0));
	EXPECT_EQ(-1, read(zero, self->page, PAGE_BYTES));
	EXPECT_EQ(EFAULT, errno);
	/* The module's own answers as well. */
	EXPECT_EQ(-1, read(self->fd, self->page, PAGE_BYTES));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->fd, PMUDEV_IOC_WHY, self->page));
	EXPECT_TRUE(errno == EFAULT || errno == E2BIG || errno == EINVAL);
	check_page(_metadata, &self->reader, self->fd);
	close(zero);
}

/* A debugger, which may write to what its child has mapped read-only otherwise. */
TEST_F(hostile, poked_by_a_debugger)
{
	int pipes[2], child, status;
	void *page, *version;

	ASSERT_EQ(0, pipe(pipes));
	child = fork_bound();
	if (!child) {
		struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
		int fd = pm_set(&event, 1, true);
		struct reader reader = reader_of(pm_map(fd));
		__u64 value;

		if (!reader.page || ptrace(PTRACE_TRACEME, 0, NULL, NULL) ||
		    write(pipes[1], &reader.page, sizeof(reader.page)) != sizeof(reader.page))
			_exit(1);
		raise(SIGSTOP);
		loop(1000);
		_exit(direct_read(&reader, 0, &value) || value < 1000 || value == garbage);
	}
	ASSERT_EQ((int)sizeof(page), read(pipes[0], &page, sizeof(page)));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	errno = 0;
	version = (char *)page + offsetof(struct pmudev_page, version);
	EXPECT_EQ(PMUDEV_ABI_VERSION, (int)ptrace(PTRACE_PEEKDATA, child, version, NULL));
	EXPECT_EQ(-1, ptrace(PTRACE_POKEDATA, child, version, garbage));
	EXPECT_EQ(EIO, errno);
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, child, NULL, NULL));
	EXPECT_EQ(0, child_result(child));
	close(pipes[0]);
	close(pipes[1]);
	check_page(_metadata, &self->reader, self->fd);
}

/* ------------------------------------------------------------------------- advice, keeping -- */

TEST_F(hostile, all_advice)
{
	int advice;

	for (advice = 0; advice < 30; advice++) {
		/* Which takes the mapping away from children; the next one gives it back. */
		if (madvise(self->page, PAGE_BYTES, advice) == 0)
			EXPECT_NE(MADV_POPULATE_WRITE, advice);
		check_page(_metadata, &self->reader, self->fd);
	}
	EXPECT_EQ(-1, mprotect(self->page, PAGE_BYTES, PROT_READ | PROT_EXEC));
	EXPECT_EQ(0, mprotect(self->page, PAGE_BYTES, PROT_NONE));
	EXPECT_EQ(0, mprotect(self->page, PAGE_BYTES, PROT_READ));
	check_page(_metadata, &self->reader, self->fd);
}

/*
 * Who has put the page into a pipe has it still after the set is gone: it is his, as it was at the
 * end, and nobody else's meanwhile.
 */
TEST_F(hostile, kept_in_a_pipe)
{
	struct iovec page = { self->page, PAGE_BYTES };
	static union {
		struct pmudev_page page;
		char bytes[1 << 16];
	} kept, last;
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pmudev_page *other;
	int pipes[2], fd, i;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(PAGE_BYTES, vmsplice(pipes[1], &page, 1, 0));
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	memcpy(&last, self->page, PAGE_BYTES);
	pm_unmap(self->page);
	self->page = NULL;
	close(self->fd);
	/* Whose page would be that one, if it were free. */
	for (i = 0; i < 100; i++) {
		fd = pm_set(&event, 1, true);
		ASSERT_GE(fd, 0);
		other = pm_map(fd);
		ASSERT_NE(NULL, other);
		loop(1000);
		pm_unmap(other);
		close(fd);
	}
	ASSERT_EQ(PAGE_BYTES, read(pipes[0], &kept, PAGE_BYTES));
	EXPECT_EQ(last.page.version, kept.page.version);
	EXPECT_EQ(last.page.slots[0].count, kept.page.slots[0].count);
	EXPECT_EQ(last.page.generation, kept.page.generation);
	EXPECT_EQ(0U, kept.page.owner);
	EXPECT_EQ(0U, kept.page.slots[0].index);
	close(pipes[0]);
	close(pipes[1]);
}

/* -------------------------------------------------------------------------- in a sandbox -- */

/* Of system calls there are read, write and exit; reading a counter is none. */
static void read_in_a_sandbox(int *result)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd = pm_set(&event, 1, true);
	struct reader reader = reader_of(pm_map(fd));
	union record record;
	__u64 value = 0, last = 0;
	int i;

	if (!reader.page || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
		WRITE_ONCE(*result, -errno);
		syscall(SYS_exit, 1);
	}
	for (i = 0; i < 100; i++) {
		loop(100);
		if (direct_read(&reader, 0, &value) || value < last + 100)
			break;
		if (raw_read(fd, &record) <= 0 || record.r.counts[0].value < value)
			break;
		last = value;
	}
	WRITE_ONCE(*result, i);
	syscall(SYS_exit, 0);
}

TEST_F(hostile, in_a_sandbox)
{
	int *result, child, ended;

	result = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, result);
	child = fork_bound();
	if (!child)
		read_in_a_sandbox(result);
	ended = child_result(child);
	if (*result == -EINVAL)
		SKIP(return, "no seccomp in this kernel (CONFIG_SECCOMP)");
	EXPECT_EQ(0, ended);
	EXPECT_EQ(100, *result);
	munmap(result, PAGE_BYTES);
}

/* -------------------------------------------------------------------- ending under BIND -- */

/* Bound again and again while it ends: it is counted or it is no more, and nothing is left. */
TEST_F(hostile, bound_while_it_ends)
{
	static const __u32 targets[] = { PMUDEV_TARGET_TASK, PMUDEV_TARGET_PROCESS };
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int i, fd, child, ret, bound = 0;

	for (i = 0; i < 20; i++) {
		child = fork_bound();
		if (!child) {
			loop(1 + i * 1000);
			_exit(0);
		}
		do {
			fd = pm_open();
			ret = pm_bind(fd, targets[i & 1], child, 0);
			if (!ret) {
				bound++;
				ret = pm_add(fd, &event, 1);
			}
			if (!ret)
				ret = pm_enable(fd, 0);
			close(fd);
		} while (!ret);
		EXPECT_EQ(-ESRCH, ret);
		EXPECT_EQ(0, child_result(child));
	}
	TH_LOG("bound %d times", bound);
	check_page(_metadata, &self->reader, self->fd);
}

TEST_HARNESS_MAIN
