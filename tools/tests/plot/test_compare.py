# SPDX-License-Identifier: MIT
"""Two recordings side by side: the numbers are exact."""

import json

import pytest
from conftest import event, rows

from pmudev.plot import compare, read, table

COMMAND = {"target": "command", "command": ["./x"], "elapsed-seconds": 1.5, "runs": 1, "notes": []}


def recording(*given, about=COMMAND, name="r"):
    return read(rows(*given, about), name)


def find(found, name, kind):
    rows_of = [row for row in found if (row.name, row.kind) == (name, kind)]
    assert len(rows_of) == 1
    return rows_of[0]


def test_totals_differences_and_ratios():
    a = recording(event("instructions:u", 1000), event("cycles:u", 500), event("branch-misses:u", 10))
    b = recording(event("instructions:u", 1100), event("cycles:u", 1000), event("branch-misses:u", 44))
    found = compare(a, b)
    row = find(found, "instructions:u", "event")
    assert (row.a, row.b, row.difference, row.percent) == (1000, 1100, 100, 10.0)
    ipc = find(found, "instructions per cycle:u", "ratio")
    assert (ipc.a, ipc.b) == (2.0, 1.1) and ipc.percent == pytest.approx(-45)
    misses = find(found, "branch-misses:u", "per-1000")
    assert (misses.a, misses.b, misses.percent) == (10.0, 40.0, 300.0)


def test_intervals_are_summed_and_groups_too():
    a = recording(*[event("x", 10 * cpu + end, end, 10**9, cpu=cpu) for end in (1, 2) for cpu in (0, 1)])
    b = recording(event("x", 52))
    assert (find(compare(a, b), "x", "event").a, find(compare(a, b), "x", "event").percent) == (26, 100.0)


def test_rates_are_of_the_time_counted():
    about = {"target": "cpu", "target-id": "0", "elapsed-seconds": 2.0, "notes": []}
    a = recording(event("x", 1000, 1, 250_000_000), event("x", 1000, 2, 750_000_000), about=about)
    b = recording(event("x", 1000, 1, 250_000_000), about=about)
    assert [(row.a, row.b, row.unit) for row in compare(a, b) if row.kind == "event"] == [(2000.0, 4000.0, "per second")]
    assert find(compare(a, b, rate=False), "x", "event").percent == -50.0


def test_the_heads_say_what_was_counted_and_how_it_ended():
    a = recording(event("x", 1), about={**COMMAND, "exit-status": 0})
    b = recording(event("x", 1), about={"target": "cpu", "target-id": "0-3", "command": ["./x"], "exit-status": 3, "notes": []})
    lines = table(a, b).splitlines()
    assert lines[0].endswith(": ./x") and lines[1].endswith(": CPUs 0-3 while ./x ran, exit status 3")
    assert lines[2] == "Rates, because B did not count a command until its end; --total compares totals."
    assert table(b, b, True).splitlines()[2] == ""


def test_what_one_has_not():
    a, b = recording(event("x", 0), event("y", 5)), recording(event("x", 3), event("z", None))
    found = compare(a, b)
    assert (find(found, "x", "event").difference, find(found, "x", "event").percent) == (3, None)
    assert find(found, "y", "event").b is None and find(found, "y", "event").percent is None
    assert find(found, "z", "event").difference is None
    zero = recording(event("x", 0))
    assert find(compare(zero, zero), "x", "event").percent == 0.0


def test_within_the_spread_of_the_runs():
    five = {**COMMAND, "runs": 5}
    a = recording(event("x", 1000, variance=1.0), event("y", 1000, variance=1.0), about=five)
    b = recording(event("x", 1015, variance=0.5), event("y", 1016, variance=0.5), about=five)
    found = compare(a, b)
    assert find(found, "x", "event").spread_a == 10.0
    assert [find(found, name, "event").within_spread for name in "xy"] == [True, False]


def test_a_ratio_has_the_spread_of_its_events_at_most():
    five = {**COMMAND, "runs": 5}
    a, b = (recording(event("instructions", count, variance=1.0), event("cycles", 1000, variance=2.0), event("x", 10), about=five)
            for count in (2000, 2100))
    found = compare(a, b)
    ipc = find(found, "instructions per cycle", "ratio")
    assert (ipc.spread_a, ipc.spread_b) == (pytest.approx(0.06), pytest.approx(0.063))
    assert ipc.within_spread and ipc.spread_percent == pytest.approx(6.15)
    assert find(found, "x", "per-1000").spread_a is None and find(found, "x", "per-1000").spread_percent is None
    one = recording(event("instructions", 2000), event("cycles", 1000))
    assert find(compare(one, one), "instructions per cycle", "ratio").spread_a is None


def test_the_table():
    a = recording(event("instructions", 1_000_000), event("cycles", 500_000), event("page-faults", 10), name="a.json")
    b = recording(event("instructions", 1_000_000), event("cycles", 1_000_000), event("page-faults", 12), name="b.json")
    assert table(a, b) == """\
A: a.json: ./x
B: b.json: ./x

totals                          A          B      B - A    change
instructions            1,000,000  1,000,000         +0    +0.00%
cycles                    500,000  1,000,000   +500,000  +100.00%
page-faults                    10         12         +2   +20.00%
seconds elapsed (s)      1.500000   1.500000  +0.000000    +0.00%
instructions per cycle     2.0000     1.0000    -1.0000   -50.00%
per 1000 instructions
  page-faults              0.0100     0.0120    +0.0020   +20.00%
"""


def test_recordings_of_the_command(data):
    sums = []
    for name in ("old", "new"):
        with open(data(name)) as file:
            lines = [json.loads(line) for line in file]
        sums.append({})
        for row in lines:
            if "interval" in row and not row["unit"]:
                sums[-1][row["event"]] = sums[-1].get(row["event"], 0) + (row["counter-value"] or 0)
    found = compare(read(data("old")), read(data("new")))
    assert len(sums[0]) == 5
    for name in sums[0]:
        row = find(found, name, "event")
        assert (row.a, row.b, row.difference) == (sums[0][name], sums[1][name], sums[1][name] - sums[0][name])
    assert find(found, "instructions:u", "event").percent > 50


def test_the_command_prints_it(pmudev, write):
    a, b = write("a.json", event("x", 1000), COMMAND), write("b.json", event("x", 1250), COMMAND)
    status, said, error = pmudev("compare", a, b)
    assert (status, error) == (0, "")
    assert said.splitlines()[3:5] == ["totals                      A         B      B - A   change",
                                      "x                       1,000     1,250       +250  +25.00%"]


@pytest.mark.parametrize("option", ["-j", "--json"])
def test_json(pmudev, write, option):
    a = write("a.json", event("x", 1000, variance=1.0), {**COMMAND, "runs": 5})
    b = write("b.json", event("x", 1250, variance=1.0), event("y", 2), COMMAND)
    status, said, error = pmudev("compare", option, a, b)
    lines = [json.loads(line) for line in said.splitlines()]
    assert (status, error) == (0, "")
    assert lines[0] == {"name": "x", "kind": "event", "unit": "", "a": 1000, "b": 1250, "difference": 250, "percent": 25.0,
                        "spread-a": 10.0, "spread-b": 12.5, "within-spread": False, "estimated": False, "missing": 0}
    assert (lines[1]["name"], lines[1]["a"], lines[1]["percent"]) == ("y", None, None)
    assert lines[-1] == {"A": f"{a}: ./x, 5 runs", "B": f"{b}: ./x", "compared": "totals"}


def test_it_needs_no_matplotlib(pmudev, write, tmp_path):
    (tmp_path / "none" / "matplotlib").mkdir(parents=True)
    (tmp_path / "none" / "matplotlib" / "__init__.py").write_text("raise ImportError('no', name='matplotlib')")
    path = write("a.json", event("x", 1))
    assert pmudev("compare", path, path, env={"PYTHONPATH": str(tmp_path / "none")})[0] == 0
    status, said, error = pmudev("plot", path, env={"PYTHONPATH": str(tmp_path / "none")})
    assert (status, said, error) == (1, "", "pmudev: there is no matplotlib: `apt install python3-matplotlib`\n")


def test_cgroups_are_compared_each_by_itself():
    a, b = (recording(*[event(name, value * factor, cgroup=cgroup) for cgroup, value in (("a", 1000), ("a:c/b", 500))
                        for name, factor in (("instructions", f), ("branches", 2))],
                      event("x", 5, cgroup="a"), about={"target": "cpu", "notes": []}) for f in (1, 4))
    found = compare(a, b, False)
    assert [row.name for row in found if row.kind == "event"] == [
        "instructions (a)", "branches (a)", "instructions (a:c/b)", "branches (a:c/b)", "x (a)"]
    assert (find(found, "instructions (a)", "event").a, find(found, "instructions (a)", "event").b) == (1000, 4000)
    assert find(found, "branches (a)", "per-1000").b == 500.0
