// SPDX-License-Identifier: GPL-2.0
#include "trivial.h"

#include <fcntl.h>
#include <unistd.h>

#include "../modules/trivial.h"
#include "bench.h"

#define KO     "/modules/trivial.ko"
#define DEVICE "/dev/" TRIVIAL_DEVICE
#define CALLS  100

struct call {
	int fd;
	unsigned long arg;
};

void trivial_begin(void)
{
	int ret = load_module_file(KO);

	if (ret)
		fail(KO, ret);
}

void trivial_end(void)
{
	unload_module_named(TRIVIAL_DEVICE);
}

int trivial_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail(DEVICE, -errno);
	return fd;
}

static void args(int fd)
{
	struct trivial_args in = {};

	if (raw_call(SYS_ioctl, fd, TRIVIAL_NOTHING, (long)&in))
		fail("an ioctl", -EIO);
}

static void life(void *arg)
{
	int fd = trivial_open();

	(void)arg;
	args(fd);
	close(fd);
}

static void two_ioctls(void *arg)
{
	struct call *call = arg;

	args(call->fd);
	args(call->fd);
}

static void one_read(void *arg)
{
	struct call *call = arg;
	static char bytes[1024];

	if (raw_call(SYS_read, call->fd, (long)bytes, call->arg) != (long)call->arg)
		fail("a read", -EIO);
}

static double time_one(void (*fn)(void *arg), unsigned long arg)
{
	struct call call = { .fd = trivial_open(), .arg = arg };
	double ns = time_calls(fn, &call, CALLS);

	close(call.fd);
	return ns;
}

double trivial_life(void)
{
	return time_calls(life, NULL, CALLS);
}

double trivial_off_on(void)
{
	return time_one(two_ioctls, 0);
}

double trivial_read(unsigned int bytes)
{
	return time_one(one_read, bytes);
}

double trivial_call(unsigned int cpu, unsigned int bytes)
{
	struct call call = { .fd = trivial_open(), .arg = bytes };
	double ns;

	if (raw_call(SYS_ioctl, call.fd, TRIVIAL_CALL, cpu))
		fail("calls of another CPU", -EIO);
	ns = time_calls(one_read, &call, CALLS);
	close(call.fd);
	return ns;
}
