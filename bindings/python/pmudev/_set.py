# SPDX-License-Identifier: MIT
"""Sets of events that count."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import time
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from . import _abi
from ._deadlines import Awaited, Report
from ._errors import Refused, refuse, refuse_errno
from ._events import info, parse
from ._lib import lib
from ._reading import EventCount, Reading, find, find_attribute
from ._samples import Samples


def _number(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; it can be {least} to {most}")
    return value


class Counters:
    """Events that are counted for a thread, a process or a CPU.

    events: as perf and `pmudev stat` spell them: "instructions:u", "{cycles,instructions}:u", "cpu/event=0xc0/u"
    tid, pid, cpu: count that thread, all threads of that process, or everything on that CPU; without one of them,
        the thread that calls start()
    pmu: name or number; only where CPUs are of several kinds, for a thread or a process
    inherit: count the threads and processes that the target creates, too
    on_exec: begin when the target executes a program
    multiplex: events may share counters over time; Reading.scaled has estimates
    direct: read without a system call: None: if possible; True: or be refused; False: never

    Nothing is open before start() and after close(). `with` calls both. One thread at a time may start or close a
    set, and not while others are in calls of it but wait() and reached(); any thread may read it.
    """

    def __init__(self, *events: str, tid: int | None = None, pid: int | None = None, cpu: int | None = None,
                 pmu: int | str | None = None, inherit: bool = False, on_exec: bool = False, multiplex: bool = False,
                 direct: bool | None = None) -> None:
        self._set: int | None = None
        self._last: Reading | None = None
        self._counting = False
        self._samples: weakref.ref[Samples] | None = None
        self._awaited: Awaited | None = None
        targets = {"tid": tid, "pid": pid, "cpu": cpu}
        given = [name for name, value in targets.items() if value is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)}: a set has one target")
        for name in given:
            _number(name, targets[name], 0, 2**31 - 1)
        if cpu is not None and (pmu is not None or inherit or on_exec):
            raise ValueError("cpu excludes pmu, inherit and on_exec")
        if pmu is not None and not isinstance(pmu, str):
            _number("pmu", pmu, 0, 31)
        self._tid, self._pid, self._cpu, self._pmu = tid, pid, cpu, pmu
        self._flags = inherit * _abi.BIND_INHERIT | on_exec * _abi.BIND_ON_EXEC
        self._direct = direct
        self.events, attrs = parse(events)
        nr = len(self.events)
        self._attrs = (_abi.EventAttr * nr).from_buffer_copy(attrs)
        for attr in self._attrs:
            attr.flags |= multiplex * _abi.MULTIPLEX
        self._values_type = ctypes.c_uint64 * nr
        self._reports_type = _abi.Report * nr

    # ------------------------------------------------------------------ life

    def _check(self, error: int, events: Sequence[str] | None = None) -> int:
        """events: those that the call was given something of, if not all"""
        if error < 0:
            assert self._set is not None
            refuse(self._set, -error, self.events if events is None else events)
        return error

    def _open(self) -> int:
        if self._set is None:
            raise ValueError("the set is not started")
        return self._set

    def _pmu_number(self) -> int:
        if isinstance(self._pmu, int):
            return self._pmu
        for pmu in info():
            if pmu.name == self._pmu:
                return pmu.number
        raise ValueError(f"there is no PMU {self._pmu!r}; there are: {', '.join(pmu.name for pmu in info())}")

    def _bind(self, pointer: int) -> int:
        if self._cpu is not None:
            return int(lib.pmudev_bind_cpu(pointer, self._cpu, 0))
        if self._pmu is not None:
            target = _abi.TARGET_TASK if self._pid is None else _abi.TARGET_PROCESS
            return int(lib.pmudev_bind_pmu(pointer, target, self._pid or self._tid or 0, self._pmu_number(), self._flags))
        if self._pid is not None:
            return int(lib.pmudev_bind_process(pointer, self._pid, self._flags))
        if self._tid is not None or self._flags:
            return int(lib.pmudev_bind_task(pointer, self._tid or 0, self._flags))
        return int(lib.pmudev_bind_self(pointer))

    def _begin(self, direct: bool) -> None:
        """Makes the set and enables it, or leaves nothing."""
        self._set = lib.pmudev_new()
        if self._set is None:
            refuse_errno(ctypes.get_errno())
        for attr in self._attrs:
            attr.flags = attr.flags & ~_abi.USER_READ | direct * _abi.USER_READ
        try:
            self._check(self._bind(self._set))
            self._check(lib.pmudev_add(self._set, self._attrs, len(self._attrs), None))
            if direct:
                self._check(lib.pmudev_map(self._set))
            self._check(lib.pmudev_enable(self._set, _abi.ALL))
            self._awaited = Awaited(self._set)
        except BaseException:
            self._free()
            raise

    def _free(self) -> None:
        awaited, self._awaited = self._awaited, None
        pointer, self._set = self._set, None
        if awaited:
            awaited.close()
        elif pointer is not None:
            lib.pmudev_free(pointer)

    @property
    def _own(self) -> bool:
        """Only a thread that counts itself can read directly."""
        return self._tid is None and self._pid is None and self._cpu is None and not self._flags

    def _in_this_process(self) -> bool:
        if self._cpu is not None:
            return False
        if self._pid is not None:
            return self._pid in (0, os.getpid())
        return not self._tid or os.path.exists(f"/proc/self/task/{self._tid}")

    def start(self) -> Counters:
        """Starts counting: a new set from 0, a stopped one from its counts."""
        if self._set is not None:
            self._check(lib.pmudev_enable(self._set, _abi.ALL))
            self._counting = True
            return self
        if self._direct is None and self._own:
            try:
                self._begin(True)
            except Refused:
                # Without direct reads more can be counted, and user access may be off.
                self._begin(False)
        else:
            self._begin(bool(self._direct))
        self._counting = True
        return self

    def stop(self) -> Reading:
        """Stops counting; the counts stay. Returns them."""
        self._check(lib.pmudev_disable(self._open(), _abi.ALL))
        self._counting = False
        return self.read()

    def reset(self) -> None:
        """Sets all counts to 0; times go on."""
        self._check(lib.pmudev_reset_group(self._open(), _abi.ALL, 0))

    def close(self) -> None:
        """Ends the set. Its last reading stays. A process that was forked meanwhile only forgets it: it is its parent's."""
        awaited = self._awaited
        if awaited is None:
            return
        try:
            if not awaited.forked:
                with awaited.use():
                    self.stop() if self._counting else self.read()
        except ValueError:
            # A handler of a signal may have closed it meanwhile.
            if not awaited.closed:
                raise
        finally:
            self._counting = False
            self._free()

    def __enter__(self) -> Counters:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Nothing is open: not started yet, or closed."""
        return self._set is None

    def fileno(self) -> int:
        """The set's descriptor, which is readable when a deadline is reached."""
        return int(lib.pmudev_fd(self._open()))

    # --------------------------------------------------------------- reading

    def _read_directly(self) -> Reading | None:
        values, times = self._values_type(), _abi.Times()
        if not lib.pmudev_try_counts(self._set, values, len(values), times):
            return None
        enabled, running = times.enabled, times.running
        # Times of single events are the set's while all of them count all the time.
        if enabled != running:
            return None
        counts = tuple([EventCount(event, value, enabled, running) for event, value in zip(self.events, values)])
        return Reading(counts, time=time.monotonic_ns(), time_enabled=enabled, time_running=running,
                       flags=_abi.RecordFlag.ENABLED, direct=True)

    def _read_record(self) -> Reading:
        record = _abi.Record()
        self._check(lib.pmudev_read(self._open(), record, ctypes.sizeof(record)))
        counts = tuple(EventCount(event, c.value, c.time_enabled, c.time_running)
                       for event, c in zip(self.events, record.counts))
        return Reading(counts, time=record.time, time_enabled=record.time_enabled, time_running=record.time_running,
                       flags=_abi.RecordFlag(record.flags))

    def read(self) -> Reading:
        """All counts at one moment: without a system call if possible. Of a closed set the last reading."""
        if self._set is None:
            if self._last is None:
                raise ValueError("the set is not started")
            return self._last
        self._last = self._read_directly() or self._read_record()
        return self._last

    def count(self, event: str | int = 0) -> int:
        """The count of one event now: the cheapest read."""
        slot = find(self.events, event) if event else 0
        if self._set is None:
            return self.read().counts[slot].value
        value = ctypes.c_uint64()
        error = lib.pmudev_read_count(self._set, slot, value)
        if error:
            self._check(error)
        return value.value

    def __getitem__(self, event: str | int) -> int:
        return self.count(event)

    def __getattr__(self, name: str) -> int:
        if name.startswith("_") or "events" not in self.__dict__:
            raise AttributeError(name)
        return self.count(find_attribute(self.events, name))

    @property
    def values(self) -> dict[str, int]:
        """The counts by name."""
        return self.read().values

    @property
    def scaled(self) -> dict[str, int | None]:
        """Estimates by name, for events that share counters."""
        return self.read().scaled

    def __repr__(self) -> str:
        if self._set is None and self._last is None:
            return f"<Counters {', '.join(self.events)}: not started>"
        return f"<Counters {repr(self.read())[1:-1]}>"

    def __str__(self) -> str:
        return str(self.read()) if self._set is not None or self._last is not None else repr(self)

    def _repr_html_(self) -> str | None:
        if self._set is None and self._last is None:
            return None
        return self.read()._repr_html_()

    # ------------------------------------------------------------- deadlines

    def deadline(self, value: int, event: str | int = 0, *, every: int | None = None, absolute: bool = False,
                 total: bool = False, stop: bool = False, sample: bool = False, eventfd: int | None = None,
                 signal: int | None = None) -> None:
        """Reports when an event has counted value more, and with every again each time it has counted so many.

        absolute: value is a count, not a distance; total: of the sum that an inherited set or a process counts
        stop: hold the counted thread there until resume(); not in this process, which would wait for itself when the
        thread holds Python's lock
        sample: write a sample to the ring of samples(), made before; eventfd: a descriptor to which 1 is added
        signal: its number; the counted thread gets it, with the set's descriptor, the event's place and its count
        """
        if stop and self._in_this_process():
            raise ValueError("stop is for threads of other processes")
        deadline = _abi.Deadline()
        deadline.slot = find(self.events, event)
        deadline.value = _number("value", value, 0, 2**63 - 1)
        deadline.flags = (not absolute) * _abi.DEADLINE_RELATIVE | total * _abi.DEADLINE_TOTAL \
            | stop * _abi.DEADLINE_STOP | sample * _abi.DEADLINE_SAMPLE
        if eventfd is not None:
            deadline.eventfd = _number("eventfd", eventfd, 0, 2**31 - 1)
            deadline.flags |= _abi.DEADLINE_EVENTFD
        if signal is not None:
            deadline.signal, deadline.id = _number("signal", signal, 1, 64), self.fileno()
            deadline.flags |= _abi.DEADLINE_SIGNAL
        if every is not None:
            deadline.period = _number("every", every, 1, 2**63 - 1)
            deadline.flags |= _abi.DEADLINE_PERIODIC
        error = lib.pmudev_deadline_set(self._open(), deadline, 1)
        self._check(error, self.events[deadline.slot:deadline.slot + 1])

    def remove_deadline(self, event: str | int = 0) -> None:
        """No effect if the event has none."""
        self._check(lib.pmudev_deadline_remove(self._open(), find(self.events, event)))

    def samples(self, size: int = 1 << 20) -> Samples:
        """The ring of samples, made by the first call: at least so many bytes; then it keeps its size.

        It has one reader: another call closes what an earlier one returned.
        """
        pointer = self._open()
        earlier = self._samples() if self._samples else None
        samples = Samples(pointer, self.events, _number("size", size, 1, _abi.SAMPLES_MAX), self._check)
        if earlier:
            samples.follow(earlier)
        self._samples = weakref.ref(samples)
        return samples

    def resume(self) -> None:
        """Lets threads go on that a deadline with stop holds."""
        self._check(lib.pmudev_deadline_continue(self._open()))

    def _reports(self, nr: int, reports: ctypes.Array[_abi.Report]) -> list[Report]:
        return [Report(self.events[r.slot], r.value, r.count, r.reached, r.overruns, r.tid,
                       bool(r.flags & _abi.REPORT_LATE)) for r in reports[:nr]]

    def _await(self) -> Awaited:
        if self._awaited is None:
            raise ValueError("the set is not started")
        return self._awaited

    def _taken(self, pointer: int) -> list[Report]:
        """What was reached. Refused when nothing can be any more."""
        reports = self._reports_type()
        nr = -errno.EINTR
        while nr == -errno.EINTR:
            nr = lib.pmudev_deadline_wait(pointer, reports, len(reports), 0)
        if nr < 0:
            refuse(pointer, -nr, self.events)
        return self._reports(nr, reports)

    def reports(self) -> list[Report]:
        """What was reached since the last reports; does not wait."""
        reports = self._reports_type()
        nr = self._check(lib.pmudev_deadline_reports(self._open(), reports, len(reports)))
        return self._reports(nr, reports)

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Waits until something is reached: for ever, or for so many seconds; [] when they are over.

        A deadline with a sample ends it only when half of the ring is used, and then [] is possible.

        Raises Refused with ESRCH when nothing can be reached any more because the target has ended, and ValueError
        when another thread closes the set.
        """
        awaited = self._await()
        left, end = timeout, None if timeout is None else time.monotonic() + timeout
        with awaited.use() as pointer:
            while True:
                if left is None or left > 0:
                    awaited.sleep(-1 if left is None else min(int(1000 * left + 0.999), 2**31 - 1))
                reports = self._taken(pointer)
                left = None if end is None else end - time.monotonic()
                # Else another call has taken them.
                if reports or (left is not None and left <= 0) or awaited.ready():
                    return reports

    async def reached(self) -> list[Report]:
        """The same for asyncio, by the loop's watch on the descriptor. One task at a time."""
        loop = asyncio.get_running_loop()
        awaited = self._await()
        with awaited.use() as pointer:
            watched = awaited.descriptors()
            while True:
                ready = asyncio.Event()
                try:
                    for fd in watched:
                        loop.add_reader(fd, ready.set)
                    awaited.check()
                    await ready.wait()
                finally:
                    for fd in watched:
                        loop.remove_reader(fd)
                awaited.check()
                reports = self._taken(pointer)
                if reports or awaited.ready():
                    return reports


def count(*events: str, tid: int | None = None, pid: int | None = None, cpu: int | None = None,
          pmu: int | str | None = None, inherit: bool = False, on_exec: bool = False, multiplex: bool = False,
          direct: bool | None = None) -> Counters:
    """Events to count, by `with` or start(): see Counters."""
    return Counters(*events, tid=tid, pid=pid, cpu=cpu, pmu=pmu, inherit=inherit, on_exec=on_exec,
                    multiplex=multiplex, direct=direct)
