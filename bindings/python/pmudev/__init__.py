# SPDX-License-Identifier: MIT
"""Exact counts of the CPU's performance counters, by libpmudev and /dev/pmudev.

    with pmudev.count("instructions:u", "cycles:u") as c:
        work()
    print(c["instructions:u"])

count(), Counters: events of a thread, a process or a CPU
counted(): a decorator that counts each call
Reading: the counts of one moment
Samples, Sample: where a program was at its deadlines
events(), info(): what this machine has
Refused: an OSError with the reason of a refusal; EventError: a ValueError about an event's name
"""

from ._abi import Feature, Reason, RecordFlag
from ._calls import Calls, counted
from ._deadlines import Report
from ._errors import EventError, Refused
from ._events import Event, Pmu, events, info
from ._reading import EventCount, Reading
from ._samples import Sample, Samples
from ._set import Counters, count

__version__ = "0.1.0"

__all__ = [
    "Calls",
    "Counters",
    "Event",
    "EventCount",
    "EventError",
    "Feature",
    "Pmu",
    "Reading",
    "Reason",
    "RecordFlag",
    "Refused",
    "Report",
    "Sample",
    "Samples",
    "count",
    "counted",
    "events",
    "info",
]
