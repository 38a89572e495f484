# SPDX-License-Identifier: MIT
"""Recordings: the JSON Lines of `pmudev stat --json`, with and without -I, and of `pmudev monitor --json`."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, field
from typing import Any, Iterable, Union

Number = Union[int, float]

# What --per-core and the like show, besides -A.
GROUPS = ("core", "cluster", "die", "socket", "node", "thread", "cgroup")
MAX_CPU = 2**31 - 1
TWO = "two recordings in one file?"


class RecordingError(ValueError):
    """It is no recording: the message names the file, the line and what is wrong with it."""


def printable(text: str) -> str:
    """Without line ends and other characters that a picture cannot show."""
    return "".join(c if c.isprintable() else "?" for c in text)


@dataclass(frozen=True)
class Point:
    """One row of an event: what was counted in an interval.

    end: seconds from the beginning to the interval's end; value: the count (milliseconds of times), None: not counted
    running: ns on a counter, None: the recording does not have it; percent: of the time on a counter
    deviation: standard deviation of the mean in percent, of several runs
    """

    end: float
    value: Number | None
    running: Number | None = None
    percent: float = 0.0
    estimated: bool = False
    deviation: float | None = None

    @property
    def counted_ns(self) -> Number | None:
        """The ns in which the value was counted; of an estimate, those that it stands for."""
        if self.running is not None and self.estimated and self.percent > 0:
            return self.running * 100 / self.percent
        return self.running


@dataclass
class Series:
    """An event, a time or a metric; of one CPU, core, thread or cgroup if the recording has them one by one.

    kind: "event", "time" or "metric"; unit: "msec" of a time, a metric's own
    cpu: the CPU's number; group: "CPU 3", a core's, thread's or cgroup's name; "" if the recording has one group only
    cgroup: the group is a cgroup, which may be part of another one: their sum means nothing
    """

    name: str
    kind: str = "event"
    unit: str = ""
    cpu: int | None = None
    group: str = ""
    points: list[Point] = field(default_factory=list)
    cgroup: bool = False

    @property
    def label(self) -> str:
        """Its name; of a cgroup with that one's, as it is not added to others."""
        return f"{self.name} ({self.group})" if self.cgroup else self.name

    def rate(self, i: int) -> float:
        """Events per second in which they were counted; of what did not run, 0. NaN: not counted."""
        point = self.points[i]
        if point.value is None:
            return math.nan
        seconds = point.end - (self.points[i - 1].end if i else 0.0)
        if point.counted_ns is not None:
            seconds = point.counted_ns / 1e9
        if seconds > 0:
            return point.value / seconds
        return math.nan if point.value else 0.0

    def rates(self) -> list[float]:
        return [self.rate(i) for i in range(len(self.points))]

    def values(self) -> list[float]:
        """What is drawn of it: rates of events, values of metrics."""
        if self.kind == "event":
            return self.rates()
        return [math.nan if point.value is None else float(point.value) for point in self.points]


# Numerator, denominator, what it is, its unit. Modifiers such as :u must be the same.
RATIOS = (
    ("instructions", "cycles", "instructions per cycle", "insn per cycle"),
    ("instructions", "cpu-cycles", "instructions per cycle", "insn per cycle"),
    ("branch-misses", "branches", "branch misses", "%"),
    ("branch-misses", "branch-instructions", "branch misses", "%"),
    ("cache-misses", "cache-references", "cache misses", "%"),
    ("L1-dcache-load-misses", "L1-dcache-loads", "L1 data cache load misses", "%"),
    ("LLC-load-misses", "LLC-loads", "last level cache load misses", "%"),
    ("dTLB-load-misses", "dTLB-loads", "data TLB load misses", "%"),
)


def ratios_among(names: Iterable[str]) -> list[tuple[str, str, str, str]]:
    """Those of RATIOS that some events make: two of their names, title, unit."""
    there = dict.fromkeys(names)
    found = []
    for name in there:
        for above, below, title, unit in RATIOS:
            rest = name[len(above):]
            if name.startswith(above) and (not rest or rest[0] in ":@/ ") and below + rest in there:
                found.append((name, below + rest, title + rest, unit))
    return found


@dataclass(frozen=True)
class Total:
    """An event's sum over the recording and its groups.

    seconds: in which it was counted; missing: intervals that were not counted; deviation: percent, of several runs
    """

    value: Number | None
    seconds: float
    missing: int = 0
    estimated: bool = False
    deviation: float | None = None

    @property
    def rate(self) -> float | None:
        if self.value is None:
            return None
        if self.seconds > 0:
            return self.value / self.seconds
        return None if self.value else 0.0


@dataclass
class Recording:
    """What a file has. sums: the rows without an interval; about: its last line (command, elapsed-seconds, ...)"""

    name: str
    series: list[Series] = field(default_factory=list)
    sums: list[Series] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return printable(self.name)

    @property
    def command(self) -> str:
        """What was counted, in a line; "" if the recording does not say."""
        words, cgroup = self.about.get("command"), self.about.get("cgroup")
        within = f" (cgroup {cgroup})" if isinstance(cgroup, str) else ""
        target = {"cpu": "CPUs", "process": "process", "thread": "thread"}.get(str(self.about.get("target")), "")
        text = f"{target} {self.about.get('target-id') or ''}".strip() + within if target else ""
        if isinstance(words, list) and words:
            line = " ".join(str(word) for word in words)
            text = f"{text} while {line} ran" if text else line + within
        return printable(text)

    @property
    def notes(self) -> list[str]:
        notes = self.about.get("notes")
        return [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []

    @property
    def runs(self) -> int:
        runs = self.about.get("runs")
        return runs if type(runs) is int else 1

    @property
    def elapsed(self) -> float | None:
        seconds = self.about.get("elapsed-seconds")
        if type(seconds) in (int, float):
            return float(seconds)
        ends = [s.points[-1].end for s in self.series]
        return max(ends) if ends else None

    def groups(self) -> list[str]:
        """The CPUs in order, cores, threads or cgroups as they come; [""] if there is one group only."""
        found: dict[str, int | None] = {s.group: s.cpu for s in self.series or self.sums}
        if all(cpu is not None for cpu in found.values()):
            return sorted(found, key=lambda group: found[group] or 0)
        return list(found)

    def names(self, kind: str) -> list[str]:
        """As they are added up: of cgroups each has names of its own."""
        return list(dict.fromkeys(s.label for s in self.series or self.sums if s.kind == kind))

    def ratios(self) -> list[Series]:
        """The lines of RATIOS, where both events are there, and the metrics."""
        found = []
        by_group: dict[str, dict[str, Series]] = {}
        for series in self.series:
            if series.kind == "event":
                by_group.setdefault(series.group, {})[series.name] = series
        for members in by_group.values():
            for above, below, title, unit in ratios_among(members):
                found.append(_ratio(members[above], members[below], title, unit))
        return found + [s for s in self.series if s.kind == "metric"]

    def totals(self) -> dict[str, Total]:
        """Of each event and time, over all groups but cgroups: of the rows without an interval, else of the intervals."""
        rows: dict[str, list[Series]] = {}
        for series in self.sums or self.series:
            if series.kind != "metric":
                rows.setdefault(series.label, []).append(series)
        return {name: _total(members) for name, members in rows.items()}

    def metric(self, name: str) -> tuple[float, str] | None:
        """The value and unit of a metric over the whole run; None: the recording has only intervals or groups of it."""
        rows = [s for s in self.sums if s.label == name and s.kind == "metric"]
        if len(rows) != 1 or rows[0].points[0].value is None:
            return None
        return float(rows[0].points[0].value), rows[0].unit


def _total(rows: list[Series]) -> Total:
    points = [(series, i) for series in rows for i in range(len(series.points))]
    counted = [(s.points[i], s.points[i].end - (s.points[i - 1].end if i else 0.0)) for s, i in points]
    values = [p.value for p, _ in counted if p.value is not None]
    seconds = sum(p.counted_ns / 1e9 if p.counted_ns is not None else wall for p, wall in counted if p.value is not None)
    return Total(sum(values) if values else None, seconds, len(counted) - len(values),
                 any(p.estimated for p, _ in counted), counted[0][0].deviation if len(counted) == 1 else None)


def _ratio(above: Series, below: Series, title: str, unit: str) -> Series:
    factor = 100 if unit == "%" else 1
    others = {point.end: point.value for point in below.points}
    ratio = Series(title, "metric", unit, above.cpu, above.group, cgroup=above.cgroup)
    for point in above.points:
        per = others.get(point.end)
        known = point.value is not None and per is not None and per > 0
        ratio.points.append(Point(point.end, factor * point.value / per if known else None))
    return ratio


# --- reading ------------------------------------------------------------------------------------------------------------

def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _number(row: dict[str, Any], key: str, least: float = 0) -> Number | None:
    """None: it is not there, or null."""
    value = row.get(key)
    if value is None:
        return None
    # 1e999 is infinite for Python, and too large an integer is no float.
    if type(value) not in (int, float) or not -1e300 < value < 1e300:
        raise ValueError(f'"{key}" is no number')
    if value < least:
        raise ValueError(f'"{key}" is negative')
    return value


def _text(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f'"{key}" is no text')
    return None if value is None else printable(value)


def _series_of(row: dict[str, Any]) -> Series | None:
    """The series that a line belongs to, without points; None: the line is about the whole recording."""
    name, metric, unit = _text(row, "event"), _text(row, "metric"), _text(row, "unit")
    if name is None and metric is None:
        if "interval" in row:
            raise ValueError('it has neither "event" nor "metric"')
        return None
    if metric is not None:
        series = Series(metric, "metric", _text(row, "metric-unit") or "")
    else:
        series = Series(name or "", "time" if unit else "event", unit or "")
    cpu = _number(row, "cpu")
    if cpu is not None:
        if type(cpu) is not int or cpu > MAX_CPU:
            raise ValueError('"cpu" is no CPU')
        series.cpu, series.group = cpu, f"CPU {cpu}"
    for key in GROUPS:
        text = _text(row, key)
        if text is not None:
            series.group, series.cgroup = text, key == "cgroup"
    return series


def _point_of(row: dict[str, Any], kind: str) -> Point:
    if "counter-value" not in row and "metric-value" not in row:
        raise ValueError("it has no count. What `pmudev record` wrote is read by `pmudev report`")
    percent, deviation = _number(row, "pcnt-running"), _number(row, "variance")
    value = _number(row, "counter-value") if kind != "metric" else _number(row, "metric-value", -math.inf)
    return Point(float(_number(row, "interval") or 0), value, _number(row, "event-runtime"), float(percent or 0),
                 row.get("estimated") is True, None if deviation is None else float(deviation))


class _Reader:
    def __init__(self, name: str) -> None:
        self.recording = Recording(name)
        self._known: dict[tuple[Any, ...], Series] = {}
        # Of each name: the end of its last row, and the how manieth of this end it was.
        self._last: dict[tuple[Any, ...], tuple[float, int]] = {}
        self._ended = False

    def _add(self, into: list[Series], series: Series, point: Point) -> None:
        """Of an event that is in the list twice, the second is another series."""
        place = (into is self.recording.sums, series.kind, series.group, series.name)
        end, nr = self._last.get(place, (-math.inf, 0))
        if point.end < end:
            raise ValueError(f"the time goes back: are these {TWO}")
        nr = nr + 1 if point.end == end else 1
        self._last[place] = point.end, nr
        known = self._known.get((*place, nr))
        if known is None:
            self._known[(*place, nr)] = known = series
            series.name = series.name if nr == 1 else f"{series.name} ({nr})"
            into.append(series)
        known.points.append(point)

    def line(self, text: str) -> None:
        try:
            row = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise ValueError("not a line of `pmudev stat --json` or `pmudev monitor --json`") from None
        if not isinstance(row, dict):
            raise ValueError("not a line of `pmudev stat --json` or `pmudev monitor --json`")
        if self._ended:
            raise ValueError(f"there is more behind the last line of a recording: are these {TWO}")
        series = _series_of(row)
        if series is None:
            self._ended = True
            self.recording.about.update(row)
            return
        intervals = _number(row, "interval") is not None
        self._add(self.recording.series if intervals else self.recording.sums, series, _point_of(row, series.kind))


def read(source: str | Iterable[str], name: str | None = None) -> Recording:
    """Reads a recording: a file's name, "-" for stdin, or its lines. Raises OSError, or RecordingError."""
    if isinstance(source, str):
        name = name or ("stdin" if source == "-" else source)
        with open(sys.stdin.fileno() if source == "-" else source, encoding="utf-8", errors="replace",
                  closefd=source != "-") as file:
            return read(file, name)
    name = name or "recording"
    reader = _Reader(name)
    for number, text in enumerate(source, 1):
        try:
            if text.strip():
                reader.line(text)
        except ValueError as error:
            raise RecordingError(f"{printable(name)}:{number}: {error}") from None
    recording = reader.recording
    if not recording.series and not recording.sums:
        raise RecordingError(f"{printable(name)} has no counts; `pmudev stat -I 1000 --json -o FILE -- COMMAND` records")
    return recording
