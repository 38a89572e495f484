// SPDX-License-Identifier: GPL-2.0
/*
 * Calls on the device's file that are none of its ioctls: numbers that it does not have, poll,
 * write and seek, a closed descriptor; and what there is to say before any refusal.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <poll.h>
#include <sys/ioctl.h>

TEST(unknown_ioctls)
{
	static const unsigned long requests[] = {
		_IO(PMUDEV_IOC_TYPE, 0),
		_IO(PMUDEV_IOC_TYPE, 0x3f),
		_IO(PMUDEV_IOC_TYPE, _IOC_NR(PMUDEV_IOC_READ_SETS) + 1),
		_IO(PMUDEV_IOC_TYPE, 0xff),
		_IO(PMUDEV_IOC_TYPE + 1, 0x40),
		_IOWR(PMUDEV_IOC_TYPE, 0x40, struct pmudev_query),
		_IOR(PMUDEV_IOC_TYPE, 0x41, __u32),
	};
	struct pmudev_query query = { .size = sizeof(query) };
	unsigned int i;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		EXPECT_EQ(-1, ioctl(fd, requests[i], &query)) TH_LOG("%#lx", requests[i]);
		EXPECT_EQ(ENOTTY, errno);
	}
	EXPECT_EQ(0, ioctl(fd, PMUDEV_IOC_QUERY, &query));
	close(fd);
}

TEST(closed_descriptor)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	close(fd);
	EXPECT_EQ(-EBADF, pm_add(fd, &event, 1));
	EXPECT_EQ(-EBADF, pm_enable(fd, 0));
	EXPECT_EQ(-EBADF, pm_read(fd, &record));
	EXPECT_EQ(NULL, pm_map(fd));
	EXPECT_EQ(EBADF, errno);
}

/* Without a deadline there is nothing to wait for: said at once, not by sleeping. */
TEST(poll_is_an_error)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pollfd wait = { .events = POLLIN };

	wait.fd = pm_set(&event, 1, true);
	ASSERT_GE(wait.fd, 0);
	EXPECT_EQ(1, poll(&wait, 1, -1));
	EXPECT_EQ(POLLERR, wait.revents);
	close(wait.fd);
}

TEST(write_and_seek)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;
	int fd = pm_set(&event, 1, true);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, write(fd, &event, sizeof(event)));
	EXPECT_EQ(EINVAL, errno);
	/* A record has no position in the file: each read starts a new one. */
	EXPECT_EQ(0, pm_read(fd, &record));
	EXPECT_EQ(0, pm_read(fd, &record));
	close(fd);
}

/* pread(2) at any place is read(2): who is not sure whose number it is harms no other file. */
TEST(read_at_any_place)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;
	int fd = pm_set(&event, 1, true), i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 63; i++) {
		memset(&record, 0, sizeof(record));
		EXPECT_EQ((ssize_t)(sizeof(struct pmudev_record) + sizeof(struct pmudev_count)),
			  pread64(fd, &record, sizeof(record), 1LL << i));
		EXPECT_EQ(1U, record.r.nr);
	}
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_CUR));
	EXPECT_EQ(ESPIPE, errno);
	close(fd);
}

TEST(no_refusal_yet)
{
	struct pmudev_why answer;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, pm_why(fd, &answer));
	EXPECT_EQ(0U, answer.error);
	EXPECT_EQ((__u32)PMUDEV_OK, answer.refusal.code);
	close(fd);
}

TEST_HARNESS_MAIN
