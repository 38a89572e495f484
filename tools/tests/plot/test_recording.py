# SPDX-License-Identifier: MIT
"""What is read of a recording, to the unit, and what is made of it."""

import json
import math

import pytest
from conftest import event, rows

from pmudev.plot import RecordingError, read


def only(recording, name, group=""):
    found = [s for s in recording.series if s.name == name and s.group == group]
    assert len(found) == 1
    return found[0]


def test_rate_without_runtime_is_of_the_interval():
    r = read(rows(event("instructions:u", 1000, 0.5), event("instructions:u", 3000, 1.5)))
    assert only(r, "instructions:u").rates() == [2000, 3000]


def test_rate_is_of_the_time_counted_and_a_sleep_is_0():
    r = read(rows(event("cycles", 50_000_000, 0.1, 50_000_000), event("cycles", 50_000_000, 0.107, 50_000_000),
                  event("cycles", 0, 0.3, 0)))
    assert only(r, "cycles").rates() == [1e9, 1e9, 0]


def test_an_estimate_has_the_rate_of_what_was_counted():
    r = read(rows(event("cycles", 10**9, 1, 250_000_000, estimated=True, **{"pcnt-running": 25.0}),
                  event("cycles", 10**9, 2, 10**9, estimated=False, **{"pcnt-running": 100.0}),
                  event("cycles", 250_000_000, 3, 250_000_000, estimated=False, **{"pcnt-running": 25.0})))
    assert only(r, "cycles").rates() == [1e9, 1e9, 1e9]


def test_what_was_not_counted_is_a_gap_and_so_is_a_count_without_time():
    r = read(rows(event("x", None, 0.5, 0), event("x", 7, 1.0, 0), event("x", 7, 1.5)))
    assert [math.isnan(rate) for rate in only(r, "x").rates()] == [True, True, False]
    assert only(r, "x").rate(2) == 14
    assert r.totals()["x"].missing == 1


def test_counts_are_exact_beyond_what_a_float_holds():
    large = 2**63 + 1
    r = read(rows(event("x", large, 1, 10**9), event("x", 1, 2, 10**9)))
    assert only(r, "x").points[0].value == large and r.totals()["x"].value == large + 1


def test_instructions_per_cycle_of_the_same_modifiers_and_group():
    r = read(rows(*[event(name, value, end, cpu=cpu) for end in (1, 2) for cpu, factor in ((0, 1), (3, 2))
                    for name, value in (("instructions:u", 30 * factor * end), ("cycles:u", 10), ("cycles:k", 5))]))
    ratios = r.ratios()
    assert [(s.name, s.group, s.values()) for s in ratios] == [
        ("instructions per cycle:u", "CPU 0", [3.0, 6.0]), ("instructions per cycle:u", "CPU 3", [6.0, 12.0])]
    assert r.groups() == ["CPU 0", "CPU 3"]


@pytest.mark.parametrize("above, below, title, value", [
    ("branch-misses:u", "branches:u", "branch misses:u", 30.0),
    ("cache-misses", "cache-references", "cache misses", 30.0),
    ("instructions@2", "cycles@2", "instructions per cycle@2", 0.3),
])
def test_ratios(above, below, title, value):
    r = read(rows(event(above, 3, 1), event(below, 10, 1)))
    assert [(s.name, s.values()) for s in r.ratios()] == [(title, [pytest.approx(value)])]


def test_a_ratio_without_its_other_half_is_a_gap():
    r = read(rows(event("instructions", 3, 1), event("cycles", 0, 1), event("instructions", 3, 2), event("cycles", None, 2),
                  event("instructions", 3, 3), event("cycles", 2, 4)))
    assert all(math.isnan(value) for value in r.ratios()[0].values())
    assert not read(rows(event("instructions:u", 3, 1), event("cycles:k", 3, 1), event("instructionsx", 1, 1),
                         event("cyclesx", 1, 1))).ratios()


def test_an_event_that_is_listed_twice_is_two_series():
    r = read(rows(event("x", 1, 1), event("x", 2, 1), event("x", 3, 2), event("x", 4, 2)))
    assert [(s.name, [p.value for p in s.points]) for s in r.series] == [("x", [1, 3]), ("x (2)", [2, 4])]


def test_times_metrics_and_threads():
    r = read(rows(event("task-clock", 12.5, 1, 100, unit="msec", thread="sh-7"), event("x", 5, 1, thread="sh-7"),
                  event("x", 6, 1, thread="cat-8"),
                  {"interval": 1, "thread": "sh-7", "metric": "IPC", "metric-value": 1.5, "metric-unit": "insn per cycle"}))
    assert [(s.name, s.kind, s.unit, s.group) for s in r.series] == [
        ("task-clock", "time", "msec", "sh-7"), ("x", "event", "", "sh-7"), ("x", "event", "", "cat-8"),
        ("IPC", "metric", "insn per cycle", "sh-7")]
    assert r.totals()["x"].value == 11 and r.totals()["task-clock"].value == 12.5


NESTED = [event("instructions", value, end, 10**9, cgroup=cgroup, **{"aggregate-number": 4}) for end in (1, 2)
          for cgroup, value in (("a", 30), ("a/b", 20))]


def test_cgroups_are_not_added_up():
    r = read(rows(*NESTED, event("cycles", 10, 2, 10**9, cgroup="a/b"), {"target": "cpu", "notes": []}))
    assert r.groups() == ["a", "a/b"] and r.names("event") == ["instructions (a)", "instructions (a/b)", "cycles (a/b)"]
    assert {name: total.value for name, total in r.totals().items()} == {
        "instructions (a)": 60, "instructions (a/b)": 40, "cycles (a/b)": 10}
    assert [(s.label, s.points[-1].value) for s in r.ratios()] == [("instructions per cycle (a/b)", 2.0)]


def test_the_cgroup_of_all_events():
    r = read(rows(event("x", 1), {"target": "cpu", "target-id": "0-3", "cgroup": "a/b", "notes": []}))
    assert r.command == "CPUs 0-3 (cgroup a/b)"


def test_what_record_wrote_is_none():
    with pytest.raises(RecordingError, match="`pmudev report`"):
        read(rows({"time": 0.5, "event": "cycles:u", "period": 1000, "ip": "0x1"}))


def test_names_are_printable():
    r = read(rows(event("it's_`x`^{2}\n\"\x01", 7, 1)))
    assert r.series[0].name == "it's_`x`^{2}?\"?"


@pytest.mark.parametrize("line, why", [
    ('{"interval": 0.5 "event": "x"}', "not a line of `pmudev stat --json` or `pmudev monitor --json`"),
    ("[1]", "not a line of `pmudev stat --json` or `pmudev monitor --json`"),
    ("1,2,3", "not a line of `pmudev stat --json` or `pmudev monitor --json`"),
    ("[" * 100_000, "not a line of `pmudev stat --json` or `pmudev monitor --json`"),
    ('{"interval": NaN, "event": "x", "counter-value": 1}', "not a line of `pmudev stat --json` or `pmudev monitor --json`"),
    ('{"interval": 1}', 'it has neither "event" nor "metric"'),
    ('{"interval": "1", "event": "x", "counter-value": 1}', '"interval" is no number'),
    ('{"interval": 1, "event": "x", "counter-value": true}', '"counter-value" is no number'),
    ('{"interval": 1, "event": "x", "counter-value": 1e999}', '"counter-value" is no number'),
    ('{"interval": 1, "event": "x", "counter-value": 1' + "0" * 400 + "}", '"counter-value" is no number'),
    ('{"interval": 1, "event": "x", "counter-value": -1}', '"counter-value" is negative'),
    ('{"interval": 1, "event": 5, "counter-value": 1}', '"event" is no text'),
    ('{"interval": 1, "event": "x", "cpu": 1e300, "counter-value": 1}', '"cpu" is no number'),
    ('{"interval": 1, "event": "x", "cpu": 1.5, "counter-value": 1}', '"cpu" is no CPU'),
    ('{"interval": 1, "event": "x", "cpu": 2147483648, "counter-value": 1}', '"cpu" is no CPU'),
    ('{"interval": 0.25, "event": "x", "counter-value": 1}', "the time goes back: are these two recordings in one file?"),
])
def test_what_is_wrong_is_told_with_its_line(line, why):
    with pytest.raises(RecordingError) as error:
        read(rows(event("x", 1, 0.5), "", line), "r.json")
    assert str(error.value) == f"r.json:3: {why}"


@pytest.mark.parametrize("second", [event("x", 1), event("y", 1), event("x", 1, 9), {"target": "command"}])
def test_two_recordings_in_one_file(second):
    with pytest.raises(RecordingError) as error:
        read(rows(event("x", 1), {"target": "command", "notes": []}, second), "r.json")
    assert str(error.value) == "r.json:3: there is more behind the last line of a recording: are these two recordings in one file?"


def test_an_event_that_is_listed_very_often():
    r = read(rows(*[event("x", nr, end) for end in (1, 2) for nr in range(20_000)]))
    assert len(r.series) == 20_000 and [p.value for p in r.series[-1].points] == [19_999] * 2


@pytest.mark.parametrize("notes, read_as", [(5, []), ("text", []), (None, []), ({"a": 1}, []), (["a", 5, "b"], ["a", "b"])])
def test_notes_are_texts(notes, read_as):
    assert read(rows(event("x", 1), {"notes": notes})).notes == read_as


def test_a_file_without_counts():
    with pytest.raises(RecordingError, match="^r.json has no counts; `pmudev stat -I 1000 --json"):
        read(rows({"target": "command", "notes": []}), "r.json")


# --- recordings of the command itself -----------------------------------------------------------------------------------

def lines_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("name", ["phases", "cpus", "old", "new"])
def test_every_row_of_a_recording_is_a_point(data, name):
    r, lines = read(data(name)), lines_of(data(name))
    intervals = [row for row in lines if "interval" in row]
    assert len(intervals) == sum(len(s.points) for s in r.series) > 30
    places = {}
    for row in intervals:
        key = row["event"], f"CPU {row['cpu']}" if "cpu" in row else ""
        point = only(r, *key).points[places.setdefault(key, 0)]
        places[key] += 1
        assert (point.value, point.running, point.end) == (row["counter-value"], row["event-runtime"], row["interval"])
    assert r.command and r.elapsed == lines[-1]["elapsed-seconds"]


def test_intervals_add_up_to_what_the_summary_counted(data):
    r = read(data("phases"))
    for name in r.names("event"):
        parts = [s for s in r.series if s.name == name]
        assert sum(point.value for point in parts[0].points) == r.totals()[name].value > 0


def test_cpus_of_a_recording(data):
    r = read(data("cpus"))
    assert r.groups() == ["CPU 0", "CPU 1", "CPU 2", "CPU 3"] and len(r.series) == 8


def test_runs_of_a_recording(data):
    r = read(data("runs"))
    assert r.runs == 5 and not r.series and r.totals()["instructions:u"].deviation is not None
