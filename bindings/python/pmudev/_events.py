# SPDX-License-Identifier: MIT
"""Events by name, and what a machine has."""

from __future__ import annotations

import ctypes
import errno
import functools
from dataclasses import dataclass
from typing import Iterator, NamedTuple

from ._abi import STATE_USER_ACCESS, EventAttr, EventsError, Feature, Query
from ._errors import EventError, refuse, refuse_errno
from ._lib import NameFn, lib


@functools.lru_cache(maxsize=256)
def parse(events: tuple[str, ...]) -> tuple[tuple[str, ...], bytes]:
    """The names of the events, and what pmudev_add() takes. Cached: the library reads files of sysfs each time."""
    for text in events:
        if not isinstance(text, str):
            raise TypeError(f"an event is a str like 'instructions:u', not {type(text).__name__}")
    if not events:
        raise ValueError("name at least one event")
    text = ",".join(events)
    if "\0" in text:
        raise EventError("a name of an event has no null character", text.index("\0"))
    error, pointer = EventsError(), ctypes.c_void_p()
    status = lib.pmudev_events_parse(text.encode(), None, ctypes.byref(pointer), ctypes.byref(error))
    if status == -errno.ENOMEM:
        raise MemoryError
    if status:
        raise EventError(error.text.decode(errors="replace"), error.position)
    try:
        nr = lib.pmudev_events_nr(pointer)
        names = tuple(lib.pmudev_events_name(pointer, i).decode() for i in range(nr))
        attrs = ctypes.string_at(lib.pmudev_events_attrs(pointer), nr * ctypes.sizeof(EventAttr))
    finally:
        lib.pmudev_events_free(pointer)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise EventError(f"{', '.join(sorted(twice))}: named twice; a term name=TEXT makes another name")
    return names, attrs


def _numbers(mask: int) -> tuple[int, ...]:
    return tuple(bit for bit in range(64) if mask >> bit & 1)


@dataclass(frozen=True)
class Pmu:
    """A PMU and its state now: struct pmudev_query. Counters from 32 on are fixed ones."""

    number: int
    name: str
    cpus: int
    arch: str
    arch_version: int
    abi: int
    cpu_id: int
    features: Feature
    counters: tuple[int, ...]
    available: tuple[int, ...]
    busy: tuple[int, ...]
    user_readable: tuple[int, ...]
    generic: tuple[str, ...]
    width: int
    width_fixed: int
    threshold_max: int
    user_access: bool
    perf_stops: int
    clock_hz: int


_ARCHES = {1: "arm64", 2: "intel", 3: "amd"}


def _pmu(query: Query) -> Pmu:
    names = (lib.pmudev_generic_name(generic) for generic in _numbers(query.generic))
    return Pmu(query.pmu, query.name.decode(), query.nr_cpus, _ARCHES.get(query.arch, str(query.arch)),
               query.arch_version, query.abi, query.cpu_id, Feature(query.features), _numbers(query.counters),
               _numbers(query.available), _numbers(query.busy), _numbers(query.user),
               tuple(name.decode() for name in names if name), query.width, query.width_fixed, query.threshold_max,
               bool(query.state & STATE_USER_ACCESS), query.perf_stops, query.clock_hz)


def info() -> list[Pmu]:
    """The PMUs of this machine, by number. Raises Refused without the module."""
    pointer = lib.pmudev_new()
    if not pointer:
        refuse_errno(ctypes.get_errno())
    pmus: list[Pmu] = []
    try:
        query = Query()
        while not pmus or len(pmus) < query.nr_pmus:
            error = lib.pmudev_query(pointer, len(pmus), ctypes.byref(query))
            if error:
                refuse(pointer, -error)
            pmus.append(_pmu(query))
    finally:
        lib.pmudev_free(pointer)
    return pmus


class Event(NamedTuple):
    """An event that can be counted.

    name: as count() takes it
    pmu: the name of the PMU that has it; several PMUs can have an event of the same name
    about: its terms, what it counts, or ''
    """

    name: str
    pmu: str
    about: str


def _of_pmu(pmus: ctypes.c_void_p, number: int, names: bool) -> Iterator[Event]:
    info = lib.pmudev_pmus_info(pmus, number).contents
    pmu = info.name.decode()
    for generic in _numbers(info.generic) if info.knows_generic else ():
        name = lib.pmudev_generic_name(generic)
        if name:
            yield Event(name.decode(), pmu, "generic")
    index = 0
    while event := lib.pmudev_pmus_event(pmus, number, index):
        yield Event(event.contents.name.decode(), pmu, event.contents.terms.decode())
        index += 1
    found: list[Event] = []

    @NameFn
    def add(info, _):  # type: ignore[no-untyped-def]
        found.append(Event(info.contents.name.decode(), pmu, (info.contents.about or b"").decode(errors="replace")))
        return 0

    if names:
        lib.pmudev_names_each(pmus, number, add, None)
    yield from found


def events(*, names: bool = False) -> list[Event]:
    """The events of all PMUs: generic ones, those of sysfs and, with names, all that libpfm4 knows for the CPU."""
    pmus = ctypes.c_void_p()
    if lib.pmudev_pmus_load(ctypes.byref(pmus), None):
        raise MemoryError
    found: list[Event] = []
    try:
        number = 0
        while lib.pmudev_pmus_info(pmus, number):
            found.extend(_of_pmu(pmus, number, names))
            number += 1
    finally:
        lib.pmudev_pmus_free(pmus)
    return list(dict.fromkeys(found))
