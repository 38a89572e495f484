# SPDX-License-Identifier: MIT
"""Two recordings side by side: each event's total or rate, the difference, and what is made of two events."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Dict, Tuple

from ._recording import Number, Recording, Total, ratios_among


Both = Tuple[Dict[str, Total], Dict[str, Total]]


@dataclass(frozen=True)
class Difference:
    """A row: what was counted in recording a and in b; None: not there, or not counted.

    kind: "event", "time", "ratio", "per-1000" (per 1000 instructions) or "metric"; unit: of a and b
    spread_a, spread_b: standard deviation of the mean, in the same unit, of several runs; of what is made of two events
        the most that it can be, for those of the events do not say whether both differ together; estimated: a or b is
    missing: intervals of both in which it was not counted
    """

    name: str
    kind: str
    unit: str
    a: Number | None
    b: Number | None
    spread_a: float | None = None
    spread_b: float | None = None
    estimated: bool = False
    missing: int = 0

    @property
    def difference(self) -> Number | None:
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def percent(self) -> float | None:
        """Of a; None if there is no difference, or it is one from 0."""
        if self.difference is None or self.a is None:
            return None
        if self.a:
            return 100 * self.difference / self.a
        return None if self.difference else 0.0

    @property
    def spread_percent(self) -> float | None:
        """Of a, what percent may be more or less; None without several runs on both sides."""
        if self.percent is None or self.spread_a is None or self.spread_b is None or not self.a:
            return None
        return 100 * (self.spread_a + self.spread_b) / abs(self.a)

    @property
    def within_spread(self) -> bool:
        """Do the runs differ among each other as much as the recordings do?"""
        if self.difference is None or self.spread_a is None or self.spread_b is None:
            return False
        return abs(self.difference) <= self.spread_a + self.spread_b


def _is_of_command(recording: Recording) -> bool:
    return recording.about.get("target") == "command"


def by_rate(a: Recording, b: Recording) -> bool:
    """Are rates to be compared, and not totals? A program has an end, and what it took in all is its cost."""
    return not (_is_of_command(a) and _is_of_command(b))


def _spread(total: Total | None, value: Number | None) -> float | None:
    if total is None or value is None or total.deviation is None:
        return None
    return abs(value) * total.deviation / 100


def _counted(both: Both, name: str, kind: str, rate: bool) -> Difference:
    totals = both[0].get(name), both[1].get(name)
    values = [None if t is None else t.rate if rate and kind == "event" else t.value for t in totals]
    unit = "msec" if kind == "time" else "per second" if rate else ""
    return Difference(name, kind, unit, values[0], values[1], _spread(totals[0], values[0]), _spread(totals[1], values[1]),
                      any(t.estimated for t in totals if t), sum(t.missing for t in totals if t))


def _names(a: Recording, b: Recording, kind: str) -> list[str]:
    return list(dict.fromkeys(a.names(kind) + b.names(kind)))


def _quotient(totals: dict[str, Total], above: str, below: str, factor: int) -> float | None:
    over, under = totals.get(above), totals.get(below)
    if over is None or under is None or over.value is None or not under.value:
        return None
    return factor * over.value / under.value


def _quotient_spread(totals: dict[str, Total], above: str, below: str, value: float | None) -> float | None:
    """At most: relative deviations of a quotient add up, at worst."""
    deviations = [totals[name].deviation for name in (above, below) if name in totals]
    if value is None or len(deviations) < 2 or None in deviations:
        return None
    return abs(value) * sum(d for d in deviations if d is not None) / 100


def _made_of_two(both: Both, above: str, below: str, name: str, kind: str, unit: str, factor: int) -> Difference:
    a, b = (_quotient(totals, above, below, factor) for totals in both)
    return Difference(name, kind, unit, a, b, _quotient_spread(both[0], above, below, a), _quotient_spread(both[1], above, below, b))


def _quotients(both: Both, names: list[str]) -> list[Difference]:
    """Ratios, and each event per 1000 instructions of the same modifiers, except cycles, whose ratio is above."""
    found, done = [], set()
    for above, below, title, unit in ratios_among(names):
        done.add((above, below))
        found.append(_made_of_two(both, above, below, title, "ratio", unit, 100 if unit == "%" else 1))
    there = set(names)
    for name in names:
        # Not "(2)", of an event that is there twice, but its cgroup.
        rest = re.search(r"(:| \((?!\d+\)$)).*", name)
        instructions = "instructions" + (rest[0] if rest else "")
        if instructions in there and name != instructions and (instructions, name) not in done:
            found.append(_made_of_two(both, name, instructions, name, "per-1000", "per 1000 instructions", 1000))
    return found


def _metrics(a: Recording, b: Recording) -> list[Difference]:
    found = []
    for name in _names(a, b, "metric"):
        values = a.metric(name), b.metric(name)
        unit = next((value[1] for value in values if value), "")
        if any(values):
            found.append(Difference(name, "metric", unit, *(value[0] if value else None for value in values)))
    return found


def compare(a: Recording, b: Recording, rate: bool | None = None) -> list[Difference]:
    """The rows for two recordings. rate: events per second in which they were counted, not totals; None: by_rate()."""
    rate = by_rate(a, b) if rate is None else rate
    both = a.totals(), b.totals()
    events = _names(a, b, "event")
    rows = [_counted(both, name, "event", rate) for name in events]
    rows += [_counted(both, name, "time", False) for name in _names(a, b, "time")]
    if a.elapsed is not None and b.elapsed is not None:
        spreads = [r.about.get("elapsed-variance") for r in (a, b)]
        rows.append(Difference("seconds elapsed", "time", "s", a.elapsed, b.elapsed,
                               *(r.elapsed * s / 100 if type(s) in (int, float) else None for r, s in zip((a, b), spreads))))
    return rows + _quotients(both, events) + _metrics(a, b)


def json_lines(a: Recording, b: Recording, rate: bool | None = None) -> str:
    """The comparison for programs: an object per row, and one for the whole."""
    rate = by_rate(a, b) if rate is None else rate
    lines: list[dict[str, object]] = [
        {"name": row.name, "kind": row.kind, "unit": row.unit, "a": row.a, "b": row.b, "difference": row.difference,
         "percent": row.percent, "spread-a": row.spread_a, "spread-b": row.spread_b, "within-spread": row.within_spread,
         "estimated": row.estimated, "missing": row.missing} for row in compare(a, b, rate)]
    lines.append({"A": describe(a), "B": describe(b), "compared": "rates" if rate else "totals"})
    return "".join(json.dumps(line) + "\n" for line in lines)


# --- text ---------------------------------------------------------------------------------------------------------------

def amount(value: Number | None, unit: str = "", signed: bool = False) -> str:
    """A number with commas; of what is no whole number four digits that count."""
    if value is None:
        return "-"
    sign = "+" if signed else ""
    if isinstance(value, int):
        return format(value, f"{sign},d")
    if unit == "per second":
        return format(round(value), f"{sign},d")
    if unit in ("msec", "s"):
        return format(value, f"{sign},.6f")
    digits = 4 if abs(value) < 10 else 2
    return format(value, f"{sign},.{digits}f")


def percent(row: Difference) -> str:
    if row.percent is None:
        return "-"
    return f"{row.percent:+.2f}%"


def describe(recording: Recording) -> str:
    """Name, command, runs and how it ended, if badly, in a line."""
    runs = f", {recording.runs} runs" if recording.runs > 1 else ""
    status = recording.about.get("exit-status")
    if type(status) is int and status:
        runs += f", exit status {status}"
    return f"{recording.title}{': ' if recording.command else ''}{recording.command}{runs}"


def heading(rate: bool) -> str:
    return "events per second counted" if rate else "totals"


def cells(row: Difference) -> list[str]:
    """What a table shows of a row: name, a, b, difference, change, remark."""
    name = row.name if row.unit in ("", "per second", "insn per cycle") else f"{row.name} ({row.unit})"
    if row.kind == "per-1000":
        name = f"  {row.name}"
    remarks = []
    if row.within_spread:
        remarks.append("within the spread of the runs")
    if row.estimated:
        remarks.append("estimated")
    if row.missing:
        remarks.append(f"{row.missing} intervals not counted")
    return [name, amount(row.a, row.unit), amount(row.b, row.unit), amount(row.difference, row.unit, True), percent(row),
            ", ".join(remarks)]


def table(a: Recording, b: Recording, rate: bool | None = None) -> str:
    """The comparison as text."""
    asked = rate is not None
    rate = by_rate(a, b) if rate is None else rate
    rows = compare(a, b, rate)
    lines = [[heading(rate), "A", "B", "B - A", "change", ""]]
    for i, row in enumerate(rows):
        if row.kind == "per-1000" and (not i or rows[i - 1].kind != "per-1000"):
            lines.append(["per 1000 instructions", "", "", "", "", ""])
        lines.append(cells(row))
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    text = [f"A: {describe(a)}", f"B: {describe(b)}"]
    if rate and not asked:
        which = "B" if _is_of_command(a) else "A"
        text.append(f"Rates, because {which} did not count a command until its end; --total compares totals.")
    text.append("")
    for line in lines:
        shown = [line[0].ljust(widths[0])] + [line[column].rjust(widths[column]) for column in range(1, 5)]
        text.append("  ".join([*shown, line[5]]).rstrip())
    return "\n".join(text) + "\n"
