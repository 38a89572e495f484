# SPDX-License-Identifier: MIT
"""Counts to the instruction: two measurements that differ in a known loop differ in its instructions."""

import os
import threading

import pmudev
import pytest

from .conftest import child

N = 100_000
EVENT = "instructions:u"


def measured(loop, rounds, **options):
    with pmudev.count(EVENT, **options) as c:
        loop(rounds)
    return c[EVENT]


@pytest.mark.parametrize("direct", [True, False, None])
def test_a_loop_is_counted_exactly(loop, exactly, direct):
    exactly(lambda rounds: measured(loop, rounds, direct=direct), N)
    assert measured(loop, N) > 2 * N


def test_direct_reads_count_exactly(loop, exactly):
    with pmudev.count(EVENT, direct=True) as c:
        def between(rounds):
            before = c.read()
            loop(rounds)
            after = c.read()
            assert before.direct and after.direct
            return (after - before)[EVENT]

        exactly(between, N)

        def single(rounds):
            before = c.count()
            loop(rounds)
            return c.count() - before

        exactly(single, N)


def test_direct_reads_and_calls_agree(loop):
    with pmudev.count(EVENT, "cycles:u", direct=True) as c:
        loop(N)
        first = c.read()
        second = c._read_record()
        third = c.read()
        assert first.direct and not second.direct and third.direct
        for event in c.events:
            assert first[event] < second[event] < third[event]
        assert first.time_enabled < second.time_enabled < third.time_enabled


def test_without_user_access(loop, user_access):
    user_access(0)
    try:
        with pytest.raises(pmudev.Refused) as refused:
            pmudev.count(EVENT, direct=True).start()
        assert refused.value.reason == "USER_ACCESS"
        with pmudev.count(EVENT) as c:
            loop(N)
            assert not c.read().direct
            assert c.count() > 2 * N
    finally:
        user_access(1)


def test_stop_start_reset(loop):
    c = pmudev.count(EVENT)
    assert c.closed
    c.start()
    loop(N)
    stopped = c.stop()
    loop(N)
    assert c.read().values == stopped.values
    assert pmudev.RecordFlag.ENABLED not in c.read().flags
    c.start()
    loop(N)
    assert stopped[EVENT] + 2 * N < c.count() < stopped[EVENT] + 3 * N
    c.stop()
    c.reset()
    assert c[EVENT] == 0
    c.close()
    assert c.closed and c[EVENT] == 0
    c.close()
    with c:
        loop(N)
    assert 2 * N < c[EVENT] < 3 * N


def test_events_of_a_group_count_together(loop):
    with pmudev.count("{instructions/name=one/,instructions/name=two/}:u", direct=False) as c:
        for _ in range(10):
            loop(1000)
            reading = c.read()
            assert reading["one:u"] == reading["two:u"] > 2000
    assert c["one:u"] == c["two:u"]


def test_each_thread_has_its_own_set(loop, exactly):
    failures = []

    def thread(rounds):
        def once(n):
            with pmudev.count(EVENT) as c:
                loop(n)
            return c[EVENT]
        try:
            # They wait for Python's lock in between, now and then: fewer calls are alike.
            exactly(once, rounds, alike=1 / 4)
        except AssertionError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=thread, args=(rounds,)) for rounds in (10_000, 20_000, 30_000)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_another_thread(loop):
    ready, go, done = threading.Event(), threading.Event(), threading.Event()
    tid = []

    def thread():
        tid.append(threading.get_native_id())
        ready.set()
        go.wait()
        loop(N)
        done.set()

    t = threading.Thread(target=thread)
    t.start()
    ready.wait()
    with pmudev.count(EVENT, tid=tid[0]) as c:
        before = c.count()
        go.set()
        done.wait()
        assert 2 * N < c.count() - before < 3 * N
        assert not c.read().direct
        t.join()
    assert c.read().flags & pmudev.RecordFlag.ENDED


def counted_child(loop, rounds):
    pid, go = child(loop, rounds)
    with pmudev.count(EVENT, pid=pid) as c:
        os.close(go)
        os.waitpid(pid, 0)
    assert c.read().flags & pmudev.RecordFlag.ENDED
    return c[EVENT]


def test_another_process(loop, exactly):
    exactly(lambda rounds: counted_child(loop, rounds), N, calls=8)


def test_inherited(loop):
    def family(rounds, inherit):
        with pmudev.count(EVENT, inherit=inherit) as c:
            pid, go = child(loop, rounds)
            os.close(go)
            os.waitpid(pid, 0)
        return c[EVENT]

    with_child, without = (min(family(N, inherit) for _ in range(4)) for inherit in (True, False))
    assert with_child > without + 2 * N
    # What the interpreter itself does for a child varies; what the child does is not in it.
    assert min(family(10 * N, False) for _ in range(4)) < without + 9 * N


def test_a_process_counts_all_threads(loop):
    def threads(rounds):
        with pmudev.count(EVENT, pid=os.getpid()) as c:
            workers = [threading.Thread(target=loop, args=(rounds,)) for _ in range(3)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        return c[EVENT]

    assert 3 * 2 * N < threads(N) < 3 * 2 * N + N * 20


def test_a_cpu(loop):
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {0})
    with pmudev.count(EVENT, "instructions:k", cpu=0) as c:
        loop(N)
    os.sched_setaffinity(0, allowed)
    assert c["instructions:u"] > 2 * N
    assert c["instructions:k"] > 0


def test_on_exec(loop):
    reads, writes = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(writes)
        os.read(reads, 1)
        loop(10 * N)
        os.execv("/bin/busybox", ["true"])
    os.close(reads)
    with pmudev.count(EVENT, pid=pid, on_exec=True) as c:
        assert c.read().flags & pmudev.RecordFlag.ARMED
        os.close(writes)
        os.waitpid(pid, 0)
    assert 0 < c[EVENT] < 10 * N


def test_a_forked_child_leaves_the_set_alone(loop):
    with pmudev.count(EVENT) as c:
        pid = os.fork()
        if not pid:
            c.close()
            os._exit(0 if c.closed else 1)
        assert os.waitpid(pid, 0)[1] == 0
        before = c.count()
        loop(N)
        assert c.count() > before + 2 * N


def test_multiplexed(loop):
    counters = len(pmudev.info()[0].available)
    events = [f"instructions/name=e{i}/u" for i in range(counters + 3)]
    with pytest.raises(pmudev.Refused) as refused:
        pmudev.count(*events).start()
    assert refused.value.reason == "NO_COUNTER"
    with pmudev.count(*events, multiplex=True) as c:
        while c.read().counts[0].time_enabled < 100_000_000:
            loop(N)
    reading = c.read()
    assert reading.multiplexed
    for count in reading.counts:
        assert 0 < count.time_running < count.time_enabled
        assert count.scaled == round(count.value * count.time_enabled / count.time_running)
    # All of them are the same event.
    assert max(reading.scaled.values()) < 1.5 * min(reading.scaled.values())
    assert "% of the time" in str(reading) and "% of the time" in reading._repr_html_()
