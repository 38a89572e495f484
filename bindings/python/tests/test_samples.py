# SPDX-License-Identifier: MIT
import errno
import os
import select
import signal
import threading
import time

import pmudev
import pytest

from .conftest import child

EVENT = "instructions:u"
EVERY = 100_000


def test_samples(loop):
    with pmudev.count("cycles:u", EVENT) as c, c.samples(1 << 16) as samples:
        assert list(samples) == [] and samples.dropped == 0
        c.deadline(EVERY, "instructions", every=EVERY, sample=True)
        loop(500_000)
        c.remove_deadline("instructions")
        report, = c.reports()
        found = list(samples)
        assert list(samples) == []
    # 10 in the loop, and some in what Python does around it.
    assert len(found) == report.reached - report.overruns >= 10
    for sample in found:
        assert sample.event == EVENT and not sample.kernel and sample.dropped == 0
        assert (sample.pid, sample.tid) == (os.getpid(), threading.get_native_id())
        assert sample.ip and sample.cpu in range(os.cpu_count())
        assert list(sample.counts) == ["cycles:u", EVENT] and sample.counts["cycles:u"]
        assert sample.value <= sample.counts[EVENT] < sample.value + EVERY
    times = [sample.time for sample in found]
    values = [sample.value for sample in found]
    assert times == sorted(times) and {(value - values[0]) % EVERY for value in values} == {0}
    # Most are in the loop: two instructions, which may be one address.
    inside = [sample.ip for sample in found]
    assert max(inside.count(ip) for ip in inside) >= 5


def test_samples_without_room(loop):
    with pmudev.count(EVENT) as c, c.samples(1) as samples:
        c.deadline(2000, every=2000, sample=True)
        loop(500_000)
        c.remove_deadline()
        reached = c.reports()[0]
        found = list(samples)
        assert len(found) + samples.dropped == reached.reached - reached.overruns
        # A sample with one count has 72 bytes.
        assert samples.dropped == 0 or len(found) == os.sysconf("SC_PAGESIZE") // 72


def test_a_wait_is_for_half_of_the_ring(loop):
    with pmudev.count(EVENT) as c, c.samples(1) as samples:
        c.deadline(1_000_000, every=1_000_000, sample=True)
        loop(1_000_000)
        begin = time.monotonic()
        c.wait(0.05)
        assert time.monotonic() - begin >= 0.05
        loop(20_000_000)
        c.stop()
        assert len(c.wait()) == 1
        assert c.wait() == [] and c.wait(10**9) == []
        assert len(list(samples)) >= os.sysconf("SC_PAGESIZE") // 2 // 72
        assert c.wait(0.001) == []


def test_samples_of_a_child(loop):
    pid, go = child(loop, 1_000_000)
    with pmudev.count(EVENT, pid=pid) as c:
        with c.samples() as samples:
            c.deadline(EVERY, every=EVERY, sample=True)
            os.close(go)
            os.waitpid(pid, 0)
            assert len([sample for sample in samples if sample.pid == pid]) >= 15


def test_samples_are_refused(loop):
    with pmudev.count(EVENT) as c:
        with pytest.raises(pmudev.Refused) as refused:
            c.deadline(1, sample=True)
        assert refused.value.reason == "SAMPLES"
        with pytest.raises(ValueError):
            c.samples(0)
        with c.samples(1 << 13), pytest.raises(pmudev.Refused) as refused:
            c.samples(1 << 16)
        assert refused.value.reason == "RING"
    with pytest.raises(ValueError):
        c.samples()


def test_eventfd(loop):
    fd = os.eventfd(0)
    try:
        with pmudev.count(EVENT) as c:
            c.deadline(EVERY, every=EVERY, eventfd=fd)
            assert select.select([fd], [], [], 0)[0] == []
            loop(500_000)
            assert select.select([fd], [], [], 1)[0] == [fd]
            report, = c.wait(1)
            # Some may be told together.
            assert 1 <= os.eventfd_read(fd) <= report.reached
            with pytest.raises(pmudev.Refused) as refused:
                c.deadline(EVERY, eventfd=c.fileno())
            assert refused.value.errno == errno.EINVAL and refused.value.reason == "EVENTFD"
    finally:
        os.close(fd)


def test_signal(loop):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        with pmudev.count("cycles:u", EVENT) as c:
            c.deadline(EVERY, EVENT, signal=signal.SIGUSR1)
            assert signal.sigtimedwait([signal.SIGUSR1], 0) is None
            loop(100_000)
            info = signal.sigtimedwait([signal.SIGUSR1], 1)
            report, = c.reports()
            assert (info.si_errno, info.si_band) == (1, report.count) and report.value <= report.count
            for wrong in (0, 65):
                with pytest.raises(ValueError):
                    c.deadline(EVERY, signal=wrong)
            with pytest.raises(pmudev.Refused):
                c.deadline(EVERY, signal=signal.SIGUSR1, sample=True)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])


def test_one_reader_at_a_time(loop):
    with pmudev.count(EVENT) as c:
        first = c.samples(1 << 16)
        c.deadline(EVERY, every=EVERY, sample=True)
        loop(500_000)
        c.remove_deadline()
        reached = c.reports()[0]
        with pytest.raises(pmudev.Refused):
            c.samples(1 << 20)
        assert next(iter(first)).event == EVENT
        second = c.samples(1 << 16)
        assert list(first) == []
        # The first one's last sample has been read.
        assert len(list(second)) == reached.reached - reached.overruns - 1
        second.close()


def test_a_refusal_names_its_event():
    with pmudev.count("cycles:u", EVENT) as c, pytest.raises(pmudev.Refused) as refused:
        # There is no ring.
        c.deadline(EVERY, EVENT, sample=True)
    assert refused.value.event == EVENT
