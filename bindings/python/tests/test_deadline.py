# SPDX-License-Identifier: MIT
import asyncio
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


def test_once(loop):
    with pmudev.count(EVENT) as c:
        c.deadline(100_000)
        begin = c.count()
        assert c.reports() == []
        loop(100_000)
        report, = c.wait(1)
        assert report.event == EVENT and report.reached == 1 and report.overruns == 0
        assert report.value <= report.count and report.value <= begin + 100_000
        assert report.tid == threading.get_native_id()
        assert c.reports() == []


def test_periodic(loop):
    with pmudev.count(EVENT) as c:
        before = c.count()
        c.deadline(10_000, every=10_000)
        after = c.count()
        loop(500_000)
        report, = c.wait(1)
        # The first was 10,000 after the count when it was set.
        assert before < report.value - 10_000 * report.reached < after
        assert report.reached > 100 and report.value <= report.count < report.value + 10_000
        c.remove_deadline()
        c.reports()
        loop(50_000)
        assert c.reports() == []


def test_absolute_and_by_name(loop):
    with pmudev.count("cycles:u", EVENT) as c:
        c.deadline(50_000, "instructions", absolute=True)
        loop(100_000)
        report, = c.reports()
        assert report.event == EVENT and report.value == 50_000 <= report.count


def test_nothing_is_reached_in_time():
    with pmudev.count(EVENT) as c:
        c.deadline(10**15)
        before = time.monotonic()
        assert c.wait(0.05) == []
        assert time.monotonic() - before >= 0.05


def test_poll(loop):
    with pmudev.count(EVENT) as c:
        c.deadline(100_000)
        poll = select.poll()
        poll.register(c, select.POLLIN)
        assert poll.poll(0) == []
        loop(100_000)
        assert poll.poll(1000) == [(c.fileno(), select.POLLIN)]
        assert c.reports()
        assert poll.poll(0) == []


def worker(loop, rounds):
    """A thread that loops when it is told; its id, and how to tell it."""
    ready, go, tid = threading.Event(), threading.Event(), []

    def run():
        tid.append(threading.get_native_id())
        ready.set()
        go.wait()
        loop(rounds)

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait()
    return thread, tid[0], go


def test_close_ends_the_wait():
    ended = []

    def wait(c):
        with pytest.raises(ValueError):
            c.wait()
        ended.append(c.closed)

    with pmudev.count(EVENT) as c:
        c.deadline(10**15)
        awaited, fd = c._awaited, c.fileno()
        threads = [threading.Thread(target=wait, args=(c,), daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + 10
        while awaited._users < len(threads) and time.monotonic() < end:
            time.sleep(0.001)
    for thread in threads:
        thread.join(10)
    assert ended == [True, True] and awaited._pointer is None
    with pytest.raises(OSError):
        os.fstat(fd)


def test_close_by_a_handler_ends_the_wait():
    c = pmudev.count(EVENT).start()
    c.deadline(10**15)
    before = signal.signal(signal.SIGALRM, lambda *_: c.close())
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    awaited = c._awaited
    with pytest.raises(ValueError):
        c.wait()
    signal.signal(signal.SIGALRM, before)
    assert awaited._pointer is None and c.closed


def test_a_child_of_fork_leaves_the_wait_alone():
    with pmudev.count(EVENT) as c:
        c.deadline(10**15)
        assert c.wait(0.001) == []
        pid = os.fork()
        if not pid:
            status = 0 if c.wait(0.001) == [] else 1
            c.close()
            os._exit(status if c.closed else 2)
        assert os.waitpid(pid, 0)[1] == 0
        begin = time.monotonic()
        assert c.wait(0.02) == [] and time.monotonic() - begin >= 0.02
        before = c.count()
        assert c.count() > before


def test_an_old_wait_is_not_the_new_sets():
    with pmudev.count(EVENT) as c:
        with c._await().use():
            old = c._awaited
            c.close()
            c.start()
            c.deadline(10**15)
            with pytest.raises(ValueError):
                old.sleep(-1)
            assert old._pointer is not None and c.wait(0) == []
        assert old._pointer is None and c.count() > 0


def test_close_ends_reached():
    async def main():
        c = pmudev.count(EVENT).start()
        c.deadline(10**15)
        waiting = asyncio.create_task(c.reached())
        await asyncio.sleep(0)
        c.close()
        with pytest.raises(ValueError):
            await asyncio.wait_for(waiting, 10)

    asyncio.run(main())


def test_asyncio(loop):
    thread, tid, go = worker(loop, 1_000_000)

    async def main():
        with pmudev.count(EVENT, tid=tid) as c:
            c.deadline(1_000_000)
            waiting = asyncio.create_task(c.reached())
            await asyncio.sleep(0)
            assert not waiting.done()
            go.set()
            report, = await asyncio.wait_for(waiting, 10)
            assert report.tid == tid and report.count >= report.value
            thread.join()
            with pytest.raises(pmudev.Refused) as refused:
                await asyncio.wait_for(c.reached(), 10)
            assert refused.value.errno == errno.ESRCH

    asyncio.run(main())


def test_a_process_is_stopped_and_resumed(loop):
    pid, go = child(loop, 1_000_000)
    with pmudev.count(EVENT, pid=pid) as c:
        c.deadline(1_000_000, stop=True)
        os.close(go)
        report, = c.wait(10)
        stopped = c.count()
        time.sleep(0.02)
        assert c.count() == stopped >= report.value == 1_000_000
        assert stopped < 2_000_000 and os.waitpid(pid, os.WNOHANG) == (0, 0)
        c.resume()
        os.waitpid(pid, 0)
    assert c.count() > 2_000_000


@pytest.mark.parametrize("options", [{}, {"inherit": True}, {"pid": os.getpid()}, {"tid": os.getpid()}])
def test_this_process_is_not_stopped(options):
    with pmudev.count(EVENT, **options) as c:
        with pytest.raises(ValueError):
            c.deadline(1_000_000, stop=True)


def test_a_signal_does_not_end_the_wait():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    with pmudev.count(EVENT) as c:
        c.deadline(10**15)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        begin = time.monotonic()
        assert c.wait(0.1) == []
        assert time.monotonic() - begin >= 0.1
    signal.signal(signal.SIGALRM, before)
    assert seen == [1]


def test_a_total_of_children(loop):
    with pmudev.count(EVENT, inherit=True) as c:
        c.deadline(1_000_000, total=True)
        for _ in range(2):
            pid = os.fork()
            if not pid:
                loop(400_000)
                os._exit(0)
            os.waitpid(pid, 0)
        report, = c.wait(10)
        assert report.count >= report.value


def test_wrong_deadlines():
    with pmudev.count(EVENT) as c:
        for value in ("1", 1.5, True):
            with pytest.raises(TypeError):
                c.deadline(value)
        for value in (-1, 2**63):
            with pytest.raises(ValueError):
                c.deadline(value)
        with pytest.raises(ValueError):
            c.deadline(1, every=0)
        with pytest.raises(KeyError):
            c.deadline(1, "branches")
        with pytest.raises(pmudev.Refused) as refused:
            c.deadline(1, every=1000, total=True)
            c.wait(0)
        assert refused.value.errno == errno.EINVAL
