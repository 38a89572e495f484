# SPDX-License-Identifier: MIT
import gc
import os

import pmudev
import pytest


def test_info():
    pmu, = pmudev.info()
    assert pmu.number == 0 and pmu.cpus == os.cpu_count()
    assert pmu.arch in {"aarch64": ["arm64"], "x86_64": ["intel", "amd"]}[os.uname().machine]
    assert {"instructions", "cycles"} <= set(pmu.generic)
    assert set(pmu.available) <= set(pmu.counters) and set(pmu.user_readable) <= set(pmu.available)
    assert pmudev.Feature.USER_READ in pmu.features and pmu.user_access
    with pmudev.count("instructions:u", cpu=0):
        assert len(pmudev.info()[0].busy) == 1


def test_events_can_be_counted():
    events = pmudev.events()
    names = {event.name for event in events}
    assert {"instructions", "cycles"} <= names
    assert len(set(events)) == len(events)
    for name in sorted(names):
        pmudev.count(f"{name}:u")


def test_nothing_is_left_open():
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    c = pmudev.count("instructions:u")
    assert descriptors() == before
    c.start()
    assert descriptors() == before + 1
    del c
    gc.collect()
    assert descriptors() == before
    with pytest.raises(KeyError):
        with pmudev.count("instructions:u"):
            raise KeyError
    assert descriptors() == before
    for _ in range(100):
        with pmudev.count("instructions:u"):
            pass
    assert descriptors() == before


def cost(do):
    """The instructions of do(), a call of it included."""
    def around(do):
        before = c.count()
        do()
        return c.count() - before

    with pmudev.count("instructions:u", direct=True) as c:
        with_it = min(around(do) for _ in range(30))
        return with_it - min(around(lambda: None) for _ in range(30))


# What docs/python.md says, and half as much again for other versions of Python.
@pytest.mark.parametrize("what, bar", [
    ("with", 165_000), ("call", 180_000), ("count", 10_500), ("read", 37_500), ("read by a call", 42_000)])
def test_what_it_costs(what, bar):
    @pmudev.counted("instructions:u")
    def nothing():
        pass

    def empty():
        with pmudev.count("instructions:u"):
            pass

    with pmudev.count("instructions:u", direct=True) as c:
        do = {"with": empty, "call": nothing, "count": c.count, "read": c.read, "read by a call": c._read_record}[what]
        instructions = cost(do)
    print(f"# cost of {what}: {instructions} instructions")
    assert 0 < instructions < bar
