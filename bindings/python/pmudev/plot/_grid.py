# SPDX-License-Identifier: MIT
"""The intervals of a recording, which its events and CPUs share; what is drawn of them."""

from __future__ import annotations

import math
import statistics

from ._recording import Number, Point, Recording, Series


class Grid:
    """edges: the intervals' ends, behind 0. CPUs that were read shortly one after the other are one interval."""

    def __init__(self, recording: Recording) -> None:
        self._columns: list[list[int]] = [[] for _ in recording.series]
        self._index = {id(series): n for n, series in enumerate(recording.series)}
        self.edges = [0.0]
        tolerance = _interval(recording.series) / 2
        rows = sorted((point.end, n) for n, series in enumerate(recording.series) for point in series.points)
        seen: set[int] = set()
        begins = -math.inf
        for end, n in rows:
            if n in seen or end - begins > tolerance:
                seen.clear()
                begins = end
                self.edges.append(end)
            seen.add(n)
            self.edges[-1] = max(end, self.edges[-1])
            self._columns[n].append(len(self.edges) - 2)

    def columns(self, series: Series) -> list[int]:
        """The interval of each of its points."""
        return self._columns[self._index[id(series)]]

    def spread_out(self, series: Series, values: list[float], columns: list[int] | None = None) -> list[float]:
        """A value for each interval; NaN where the series has none."""
        row = [math.nan] * (len(self.edges) - 1)
        for column, value in zip(self.columns(series) if columns is None else columns, values):
            row[column] = value
        return row


def _interval(series: list[Series]) -> float:
    """How long an interval is, about."""
    longest = max(series, key=lambda s: len(s.points), default=None)
    if longest is None:
        return 0.0
    ends = [0.0] + [point.end for point in longest.points]
    return statistics.median(end - begin for begin, end in zip(ends, ends[1:]))


def _sum(values: list[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def merged(recording: Recording) -> Recording:
    """All groups together: the sums of what was counted, and of the times in which it was. Cgroups stay apart."""
    if len(recording.groups()) < 2 and not any(s.cgroup for s in recording.series):
        return recording
    grid = Grid(recording)
    gathered: dict[tuple[str, str, str], dict[int, list[Point]]] = {}
    for series in recording.series:
        # The sum of a metric's values is no metric.
        if series.kind == "metric":
            continue
        columns = gathered.setdefault((series.label, series.kind, series.unit), {})
        for column, point in zip(grid.columns(series), series.points):
            columns.setdefault(column, []).append(point)
    result = Recording(recording.name, about=recording.about)
    for (name, kind, unit), columns in gathered.items():
        series = Series(name, kind, unit)
        for column in sorted(columns):
            counted = [point for point in columns[column] if point.value is not None]
            series.points.append(Point(grid.edges[column + 1], _sum([point.value for point in counted]),
                                       _sum([point.counted_ns for point in counted])))
        result.series.append(series)
    return result


def peak(values: list[float]) -> float:
    """The largest, 0: there is none."""
    return max((value for value in values if not math.isnan(value)), default=0.0)


def alike(series: list[Series], most: int) -> list[list[Series]]:
    """Lists of up to so many series whose peaks are within a factor of ten, the largest first."""
    lists: list[list[Series]] = []
    least = 0.0
    peaks = {id(s): peak(s.values()) for s in series}
    for one in sorted(series, key=lambda s: -peaks[id(s)]):
        if not lists or peaks[id(one)] < least or len(lists[-1]) == most:
            lists.append([])
            least = peaks[id(one)] / 10
        lists[-1].append(one)
    order = {id(s): n for n, s in enumerate(series)}
    return [sorted(members, key=lambda s: order[id(s)]) for members in lists]
