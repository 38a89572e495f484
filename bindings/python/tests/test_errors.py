# SPDX-License-Identifier: MIT
import errno
import os
import pickle

import pmudev
import pytest


def test_unknown_event_names_similar_ones():
    with pytest.raises(pmudev.EventError) as error:
        pmudev.count("cycles,instrutions:u")
    assert isinstance(error.value, ValueError)
    assert "instrutions" in str(error.value) and "instructions" in str(error.value)
    assert error.value.position == len("cycles,")


@pytest.mark.parametrize("events", [(), ("",), ("{cycles",), ("cycles:q",), ("cycles,cycles",), ("cyc\0les",)])
def test_wrong_events(events):
    with pytest.raises(ValueError):
        pmudev.count(*events)


@pytest.mark.parametrize("options, kind", [
    ({"tid": "1"}, TypeError), ({"pid": 1.0}, TypeError), ({"cpu": True}, TypeError), ({"cpu": -1}, ValueError),
    ({"tid": 2**31}, ValueError), ({"tid": 1, "pid": 1}, ValueError), ({"cpu": 0, "inherit": True}, ValueError),
    ({"nonsense": 1}, TypeError),
])
def test_wrong_options(options, kind):
    with pytest.raises(kind):
        pmudev.count("instructions:u", **options)


def test_an_event_that_is_no_text():
    with pytest.raises(TypeError):
        pmudev.count(5)


def test_no_such_thread():
    with pytest.raises(pmudev.Refused) as refused:
        pmudev.count("instructions:u", tid=4_000_000).start()
    assert isinstance(refused.value, OSError)
    assert refused.value.errno == errno.ESRCH
    assert refused.value.reason == "NO_TASK"
    assert refused.value.code == pmudev.Reason.NO_TASK


def test_no_such_cpu():
    with pytest.raises(pmudev.Refused) as refused:
        pmudev.count("instructions:u", cpu=4095).start()
    assert refused.value.errno == errno.ENODEV
    assert refused.value.reason in ("NO_CPU", "CPU_OFFLINE")


def test_more_events_than_counters():
    events = [f"instructions/name=e{i}/u" for i in range(64)]
    with pytest.raises(pmudev.Refused) as refused:
        pmudev.count(*events).start()
    assert refused.value.errno == errno.ENOSPC
    assert refused.value.reason == "NO_COUNTER"
    assert refused.value.event in {f"e{i}:u" for i in range(64)}
    assert str(refused.value) == refused.value.explanation != ""
    assert refused.value.event in str(refused.value)
    copy = pickle.loads(pickle.dumps(refused.value))
    assert (copy.errno, copy.reason, str(copy)) == (errno.ENOSPC, "NO_COUNTER", str(refused.value))


def test_counters_that_others_hold():
    pmu = pmudev.info()[0]
    last = pmu.available[0]
    with pmudev.count(f"instructions@{last}:u", cpu=0):
        with pytest.raises(pmudev.Refused) as refused:
            pmudev.count(f"instructions@{last}:u", cpu=0).start()
    assert refused.value.errno == errno.EBUSY
    assert refused.value.reason == "HELD"
    assert [(h[0], h[2]) for h in refused.value.holders] == [(last, os.getpid())]


def test_the_kernel_needs_a_capability():
    device = os.stat("/dev/pmudev").st_mode
    os.chmod("/dev/pmudev", 0o666)
    reads, writes = os.pipe()
    pid = os.fork()
    if not pid:
        os.setuid(65534)
        try:
            pmudev.count("instructions:k").start()
        except pmudev.Refused as refused:
            os.write(writes, f"{refused.errno} {refused.reason}".encode())
        with pmudev.count("instructions:u") as c:
            os.write(writes, b" counts" if c.count() else b" nothing")
        os._exit(0)
    os.close(writes)
    os.waitpid(pid, 0)
    said = os.read(reads, 100).decode()
    os.close(reads)
    os.chmod("/dev/pmudev", device)
    assert said == f"{errno.EPERM} CAP_KERNEL counts"


def test_not_started():
    c = pmudev.count("instructions:u")
    for call in (c.stop, c.reset, c.read, c.fileno, c.reports, c.count):
        with pytest.raises(ValueError):
            call()
    assert "not started" in repr(c) and c._repr_html_() is None


def test_unknown_keys():
    with pmudev.count("instructions:u", "cycles:u") as c:
        for key in ("branches", "instructions:k"):
            with pytest.raises(KeyError):
                c[key]
        with pytest.raises(IndexError):
            c[2]
        with pytest.raises(AttributeError):
            c.branches
        with pytest.raises(AttributeError):
            c.read().branches
