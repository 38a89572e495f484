# SPDX-License-Identifier: MIT
"""Where a program was when its events reached their deadlines."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._lib import lib


@dataclass(frozen=True)
class Sample:
    """Where a thread was when it reached a deadline, and what its events had counted.

    event: whose deadline it was; value: the deadline; ip: the instruction that was next, 0 if it is unknown
    time: CLOCK_MONOTONIC in ns; cpu: None if the deadline was found when the thread ran nowhere
    kernel: ip is in the kernel; entry: ip is where the thread entered the kernel
    counts: of all events, by name, at one moment; dropped: samples without room before this one
    """

    event: str
    value: int
    ip: int
    time: int
    pid: int
    tid: int
    cpu: int | None
    kernel: bool
    entry: bool
    counts: dict[str, int]
    dropped: int


def _sample(raw: _abi.Sample, events: tuple[str, ...]) -> Sample:
    size = (raw.size - ctypes.sizeof(raw)) // 8
    counts = (ctypes.c_uint64 * size).from_address(ctypes.addressof(raw) + ctypes.sizeof(raw))
    slots = [slot for slot in range(len(events)) if raw.present & 1 << slot]
    return Sample(events[raw.slot], raw.value, raw.ip, raw.time, raw.pid, raw.tid,
                  None if raw.cpu == _abi.ALL else raw.cpu, bool(raw.flags & _abi.SAMPLE_KERNEL),
                  bool(raw.flags & _abi.SAMPLE_ENTRY),
                  {events[slot]: count for slot, count in zip(slots, counts)}, raw.dropped)


class Samples:
    """The samples of a set: Counters.samples() makes it. Iterating takes those that are there, and does not wait.

    The mapping is the reader's: `with` or close() ends it, and the set may end before. One thread at a time.
    """

    def __init__(self, pointer: int, events: tuple[str, ...], size: int, check: Callable[[int], int]) -> None:
        self._ring = _abi.Samples()
        self._events = events
        check(lib.pmudev_samples_open(self._ring, pointer, size))

    def __iter__(self) -> Iterator[Sample]:
        while True:
            raw = lib.pmudev_samples_next(self._ring)
            if not raw:
                return
            yield _sample(raw.contents, self._events)

    def follow(self, earlier: Samples) -> None:
        """Closes an earlier reader of the ring, and goes on where it ended."""
        if earlier._ring.page:
            earlier.close()
            self._ring.tail = earlier._ring.tail

    @property
    def dropped(self) -> int:
        """Samples that had no room, since the ring was made."""
        return int(lib.pmudev_samples_dropped(self._ring))

    def close(self) -> None:
        """Ends the mapping; what was not read is lost if the set has ended."""
        lib.pmudev_samples_close(self._ring)

    def __enter__(self) -> Samples:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, library: Any = lib) -> None:
        library.pmudev_samples_close(self._ring)
