// SPDX-License-Identifier: GPL-2.0
/* What the fuzzer expects of whatever call: the errno contract, and records that make sense. */
#include "fuzz.h"

#include <string.h>
#include <sys/uio.h>

void fuzz_check_errno(struct fuzz *f, long ret)
{
	switch (-ret) {
	case EFAULT:
	case EINVAL:
	case E2BIG:
	case EOPNOTSUPP:
	case ENOENT:
	case ENOSPC:
	case EBUSY:
	case EPERM:
	case EACCES:
	case EDQUOT:
	case ESRCH:
	case ENODEV:
	case ENOMEM:
	case ENOTTY:
	/* The descriptor is not open, or not for that. */
	case EBADF:
		return;
	}
	if (ret < 0)
		fuzz_fail(f, "errno %ld is not in the contract", -ret);
}

/* The errnos that go with a reason, as the header has them. */
static bool agree(__u32 code, int error)
{
	static const struct {
		__u32 last;
		int error[4];
	} ranges[] = {
		{ PMUDEV_WHY_SIZE, { EINVAL, E2BIG } },
		{ PMUDEV_WHY_TAIL, { E2BIG } },
		{ PMUDEV_WHY_POINTER, { EFAULT } },
		{ PMUDEV_WHY_RESERVED, { EINVAL } },
		{ PMUDEV_WHY_NUMBER, { EINVAL, EBUSY } },
		{ PMUDEV_WHY_UNBOUND, { EINVAL } },
		{ PMUDEV_WHY_ENABLED, { EBUSY } },
		{ PMUDEV_WHY_COMBINATION, { EINVAL } },
		{ PMUDEV_WHY_BUFFER, { ENOSPC } },
		{ PMUDEV_WHY_NO_USER_READ, { EINVAL } },
		{ PMUDEV_WHY_INHERITED, { EOPNOTSUPP } },
		{ PMUDEV_WHY_EVENTFD, { EINVAL } },
		{ PMUDEV_WHY_CONFIG, { EINVAL } },
		{ PMUDEV_WHY_EVENT, { ENOENT } },
		{ PMUDEV_WHY_COMPARE, { EINVAL, EOPNOTSUPP } },
		{ PMUDEV_WHY_WIDTH, { EOPNOTSUPP } },
		{ PMUDEV_WHY_ALL_EXCLUDED, { EINVAL } },
		{ PMUDEV_WHY_SEVERAL_PMUS, { EOPNOTSUPP } },
		{ PMUDEV_WHY_NO_TASK, { ESRCH } },
		{ PMUDEV_WHY_NO_PMU, { ENODEV } },
		{ PMUDEV_WHY_ENDED, { ESRCH } },
		{ PMUDEV_WHY_NO_GUEST, { EOPNOTSUPP } },
		{ PMUDEV_WHY_CGROUP, { EBADF } },
		{ PMUDEV_WHY_NOT_A_SET, { EBADF } },
		{ PMUDEV_WHY_CAP_TASK, { EPERM } },
		{ PMUDEV_WHY_USER_ACCESS, { EACCES } },
		{ PMUDEV_WHY_NOT_OWNER, { EPERM } },
		{ PMUDEV_WHY_LIMIT, { EDQUOT } },
		{ PMUDEV_WHY_ATTACH, { EPERM } },
		{ PMUDEV_WHY_CAP_SIGNAL, { EPERM } },
		{ PMUDEV_WHY_NO_COUNTER, { ENOSPC } },
		{ PMUDEV_WHY_USER_READABLE, { EBUSY } },
		{ PMUDEV_WHY_MEMORY, { ENOMEM } },
		{ PMUDEV_WHY_PERF_REFUSED, { EBUSY } },
		{ PMUDEV_WHY_DEADLINE, { EINVAL } },
		{ PMUDEV_WHY_SAMPLES, { EINVAL } },
		{ PMUDEV_WHY_RING, { EINVAL } },
		{ PMUDEV_WHY_MEMLOCK, { EPERM } },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (code > ranges[i].last)
			continue;
		for (j = 0; j < ARRAY_SIZE(ranges[i].error); j++)
			if (ranges[i].error[j] == error)
				return true;
		return false;
	}
	return false;
}

void fuzz_check_refusal(struct fuzz *f, long ret, const struct pmudev_refusal *refusal)
{
	if (refusal->code < ARRAY_SIZE(f->s->reason))
		__atomic_fetch_add(&f->s->reason[refusal->code], 1, __ATOMIC_RELAXED);
	if (ret >= 0 && refusal->code != PMUDEV_OK)
		fuzz_fail(f, "good, and yet refused: %u", refusal->code);
	else if (ret < 0 && !agree(refusal->code, -ret))
		fuzz_fail(f, "errno %ld with reason %u", -ret, refusal->code);
}

#define RECORD_FLAGS                                                           \
	(PMUDEV_RECORD_ENABLED | PMUDEV_RECORD_ENDED | PMUDEV_RECORD_OFFLINE | \
	 PMUDEV_RECORD_NO_USER_ACCESS | PMUDEV_RECORD_ARMED | PMUDEV_RECORD_INCOMPLETE)

static const char *check_record(const struct pmudev_record *r, unsigned long bytes)
{
	unsigned int i;

	if (r->size != bytes || r->nr > PMUDEV_MAX_EVENTS ||
	    r->size != sizeof(*r) + r->nr * sizeof(r->counts[0]))
		return "size";
	if ((r->flags & ~RECORD_FLAGS) || r->reserved)
		return "flags";
	if (r->time_running > r->time_enabled)
		return "time_running";
	if ((r->nr < 64 && r->present >> r->nr) || (r->multiplexed & ~r->present))
		return "masks";
	for (i = 0; i < r->nr; i++) {
		const struct pmudev_count *count = &r->counts[i];

		if (count->time_running > count->time_enabled)
			return "a count's time_running";
		if (!(r->present >> i & 1) &&
		    (count->value | count->time_enabled | count->time_running | count->tag))
			return "an empty slot";
	}
	return NULL;
}

void fuzz_read(struct fuzz *f, int fd)
{
	static const unsigned int sizes[] = { 0, 1, 63, 64, 95, 96, 128, 160 };
	static const char zeroes[4096];
	unsigned int size = fuzz_rarely(f, 4) ? FUZZ_ONE_OF(f, sizes) : sizeof(union record);
	void *at = fuzz_put(f, 3 * 4096, zeroes, size);
	union record record;
	struct iovec iov = { .iov_base = at, .iov_len = size };
	const char *wrong;
	long ret;

	if (fuzz_rarely(f, 16)) {
		fuzz_begin(f, FUZZ_READ, "readv(%d) %u", fd - FUZZ_FD, size);
		fuzz_end(f, fuzz_result(readv(fd, &iov, 1)));
		return;
	}
	fuzz_begin(f, FUZZ_READ, "read(%d) %u%s", fd - FUZZ_FD, size,
		   fuzz_is_good(f, at) ? "" : " bad");
	ret = fuzz_end(f, fuzz_result(read(fd, at, size)));
	fuzz_check_errno(f, ret);
	if (ret < 0 || !fuzz_is_good(f, at))
		return;
	if ((unsigned long)ret > size)
		fuzz_fail(f, "%ld bytes read", ret);
	memcpy(&record, at, ret);
	wrong = check_record(&record.r, ret);
	if (wrong)
		fuzz_fail(f, "record: %s", wrong);
}
