# SPDX-License-Identifier: MIT
import importlib.util
import json
import time

import pmudev
import pytest


def test_names(loop):
    with pmudev.count("instructions:u", "{instructions/name=branch-misses/,instructions/name=other/}:u", "cycles") as c:
        loop(1000)
    assert c.events == ("instructions:u", "branch-misses:u", "other:u", "cycles")
    reading = c.read()
    assert reading["instructions:u"] == reading["instructions"] == reading[0] == reading.instructions
    assert reading.instructions == reading.instructions_u == c.instructions == c["instructions:u"] == c.count()
    assert reading.branch_misses == reading["branch-misses"] == reading[1] == reading[-3]
    assert dict(reading) == reading.values == c.values
    assert list(reading) == list(c.events) and len(reading) == 4
    assert "cycles" in reading and "cycles:u" not in reading


def test_two_levels_of_an_event():
    with pmudev.count("instructions:u", "instructions:k") as c:
        time.sleep(0.01)
    assert c.instructions_k > 0
    with pytest.raises(KeyError):
        c["instructions"]


def test_times(loop):
    before = time.monotonic_ns()
    with pmudev.count("instructions:u", direct=False) as c:
        loop(100_000)
        first = c.read()
    last = c.read()
    assert before < first.time < last.time < time.monotonic_ns()
    assert 0 < first.time_enabled < last.time_enabled <= last.time - before
    assert last.time_running == last.time_enabled
    between = last - first
    assert between.time == last.time - first.time
    assert between["instructions"] == last["instructions"] - first["instructions"]
    assert last.scaled == last.values and not last.multiplexed


def test_how_it_looks(loop):
    with pmudev.count("instructions:u", "cycles:u") as c:
        loop(100_000)
    reading = c.read()
    assert repr(reading) == f"<Reading instructions:u={reading[0]}, cycles:u={reading[1]}>"
    assert repr(c) == f"<Counters {repr(reading)[1:-1]}>"
    lines = str(reading).splitlines()
    assert [line.split() for line in lines] == [["instructions:u", f"{reading[0]:,}"], ["cycles:u", f"{reading[1]:,}"]]
    assert f">{reading[0]:,}</td>" in reading._repr_html_() and "instructions:u" in c._repr_html_()


def test_as_records():
    with pmudev.count("instructions:u") as c:
        pass
    everything = c.read().to_dict()
    assert json.loads(json.dumps(everything)) == everything
    record, = everything["events"]
    assert record["event"] == "instructions:u"
    assert record["value"] == record["scaled"] == c.count()
    assert record == c.read().to_records()[0]


def test_a_dataframe_needs_pandas():
    with pmudev.count("instructions:u") as c:
        pass
    if importlib.util.find_spec("pandas") is None:
        with pytest.raises(ImportError, match="python3-pandas"):
            c.read().to_dataframe()
    else:
        assert c.read().to_dataframe().loc["instructions:u", "value"] == c.count()


def test_readings_of_other_events():
    with pmudev.count("instructions:u") as a, pmudev.count("cycles:u") as b:
        pass
    with pytest.raises(ValueError):
        a.read() - b.read()
