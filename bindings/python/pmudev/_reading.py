# SPDX-License-Identifier: MIT
"""The counts of a set at one moment."""

from __future__ import annotations

import ctypes
import html
import re
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from ._abi import RecordFlag
from ._lib import lib

if TYPE_CHECKING:
    import pandas  # type: ignore[import]


class EventCount(NamedTuple):
    """One event of a reading; times are in ns, and less time_running than time_enabled means multiplexed."""

    event: str
    value: int
    time_enabled: int
    time_running: int

    @property
    def scaled(self) -> int | None:
        """The estimate of what it would have counted all the time; None if nothing is known."""
        whole = ctypes.c_uint64()
        if lib.pmudev_scale(self.value, self.time_enabled, self.time_running, ctypes.byref(whole)):
            return whole.value
        # The event was never on a counter. Without any time at all its count, 0, is all there was to count.
        return self.value if not self.time_enabled else None


def identifier(name: str) -> str:
    """'branch-misses:u' as attributes spell it: 'branch_misses_u'."""
    return re.sub(r"\W+", "_", name).strip("_")


def find(names: tuple[str, ...], key: str | int) -> int:
    """The index of an event by its name, its name without modifiers if that is one event's, or its index."""
    if isinstance(key, int):
        if -len(names) <= key < len(names):
            return key % len(names)
        raise IndexError(f"there are {len(names)} events")
    if key in names:
        return names.index(key)
    bare = [i for i, name in enumerate(names) if re.sub(r"(:[ukhGH]+)?$", "", name) == key]
    if len(bare) != 1:
        raise KeyError(f"{key!r}: there are: {', '.join(names)}")
    return bare[0]


def find_attribute(names: tuple[str, ...], attribute: str) -> int:
    for modifiers in ("", r":[ukhGH]+$"):
        found = [i for i, name in enumerate(names) if identifier(re.sub(modifiers, "", name)) == attribute]
        if len(found) == 1:
            return found[0]
    raise AttributeError(f"no event and no attribute {attribute!r}; the events are: {', '.join(names)}")


class Reading:
    """The counts of all events of a set at one moment: reading["instructions:u"], reading.instructions.

    counts: an EventCount for each event
    time: when, in ns of CLOCK_MONOTONIC (time.monotonic_ns())
    time_enabled, time_running: the set's times in ns
    flags: a RecordFlag
    direct: it was read without a system call
    """

    __slots__ = ("counts", "time", "time_enabled", "time_running", "flags", "direct")

    def __init__(self, counts: tuple[EventCount, ...], *, time: int = 0, time_enabled: int = 0, time_running: int = 0,
                 flags: RecordFlag = RecordFlag(0), direct: bool = False) -> None:
        self.counts = counts
        self.time = time
        self.time_enabled = time_enabled
        self.time_running = time_running
        self.flags = flags
        self.direct = direct

    @property
    def events(self) -> tuple[str, ...]:
        """The names of the events."""
        return tuple(count.event for count in self.counts)

    @property
    def values(self) -> dict[str, int]:
        """The counts by name, never scaled."""
        return {count.event: count.value for count in self.counts}

    @property
    def scaled(self) -> dict[str, int | None]:
        """Estimates by name: the counts of events that were on a counter all the time."""
        return {count.event: count.scaled for count in self.counts}

    @property
    def multiplexed(self) -> bool:
        """Whether some event was not on a counter all the time."""
        return any(count.time_running < count.time_enabled for count in self.counts)

    def keys(self) -> tuple[str, ...]:
        """The names of the events, so that dict(reading) works."""
        return self.events

    def __getitem__(self, key: str | int) -> int:
        return self.counts[find(self.events, key)].value

    def __getattr__(self, name: str) -> int:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.counts[find_attribute(self.events, name)].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.counts)

    def __contains__(self, key: object) -> bool:
        return key in self.events

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reading) and self.counts == other.counts and self.time == other.time

    __hash__ = None  # type: ignore[assignment]

    def __sub__(self, before: Reading) -> Reading:
        """What was counted between two readings of the same events."""
        if not isinstance(before, Reading):
            return NotImplemented
        if self.events != before.events:
            raise ValueError("these are readings of different events")
        counts = tuple(EventCount(now.event, now.value - then.value, now.time_enabled - then.time_enabled,
                                  now.time_running - then.time_running)
                       for now, then in zip(self.counts, before.counts))
        return Reading(counts, time=self.time - before.time, time_enabled=self.time_enabled - before.time_enabled,
                       time_running=self.time_running - before.time_running, flags=self.flags,
                       direct=self.direct and before.direct)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that json can write."""
        return {
            "time": self.time,
            "time_enabled": self.time_enabled,
            "time_running": self.time_running,
            "flags": [flag.name for flag in RecordFlag if flag in self.flags],
            "direct": self.direct,
            "events": self.to_records(),
        }

    def to_records(self) -> list[dict[str, Any]]:
        """A dict for each event."""
        return [{**count._asdict(), "scaled": count.scaled} for count in self.counts]

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each event; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_dataframe() needs pandas (Debian's package python3-pandas)") from error
        return pandas.DataFrame(self.to_records()).set_index("event")

    def _notes(self) -> list[str]:
        notes = [flag.name.lower().replace("_", " ") for flag in RecordFlag
                 if flag in self.flags and flag != RecordFlag.ENABLED and flag.name]
        return notes

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = []
        for count in self.counts:
            note = ""
            if count.time_running < count.time_enabled:
                part = 100 * count.time_running / count.time_enabled
                estimate = count.scaled
                note = f"{part:.1f} % of the time" + ("" if estimate is None else f", about {estimate:,} in all")
            rows.append((count.event, f"{count.value:,}", note))
        return rows

    def __repr__(self) -> str:
        counts = ", ".join(f"{event}={value}" for event, value in self.values.items())
        notes = "".join(f"; {note}" for note in self._notes())
        return f"<Reading {counts}{notes}>"

    def __str__(self) -> str:
        rows = self._rows()
        names = max((len(row[0]) for row in rows), default=0)
        values = max((len(row[1]) for row in rows), default=0)
        lines = [f"{name:{names}}  {value:>{values}}  {note}".rstrip() for name, value, note in rows]
        return "\n".join(lines + self._notes())

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                        f"<td style='text-align:right'>{value}</td><td>{note}</td></tr>"
                        for name, value, note in self._rows())
        notes = "".join(f"<p>{note}</p>" for note in self._notes())
        return f"<table>{cells}</table>{notes}"
