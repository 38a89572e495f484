# SPDX-License-Identifier: MIT
"""Structures and numbers of <linux/pmudev.h>, as they are on every machine (tests/abi.py compares)."""

from __future__ import annotations

import ctypes
import enum

MAX_EVENTS = 64
MAX_HOLDERS = 16
ALL = 0xFFFFFFFF
EVENT_NAME = 608

EXCLUDE_KERNEL = 1 << 1
USER_READ = 1 << 6
MULTIPLEX = 1 << 9

TARGET_TASK = 0
TARGET_PROCESS = 2

BIND_INHERIT = 1 << 0
BIND_ON_EXEC = 1 << 1

DEADLINE_RELATIVE = 1 << 0
DEADLINE_PERIODIC = 1 << 1
DEADLINE_EVENTFD = 1 << 2
DEADLINE_SIGNAL = 1 << 3
DEADLINE_STOP = 1 << 5
DEADLINE_TOTAL = 1 << 6
DEADLINE_SAMPLE = 1 << 7
REPORT_LATE = 1 << 0
SAMPLE_KERNEL = 1 << 0
SAMPLE_ENTRY = 1 << 1
SAMPLES_MAX = 0x1000000

QUERY_CPU = 1 << 0
STATE_USER_ACCESS = 1 << 0


class Reason(enum.IntEnum):
    """Why the module refused a call: enum pmudev_reason."""

    OK = 0
    SIZE = 1
    TAIL = 2
    POINTER = 3
    FLAGS = 4
    RESERVED = 5
    NUMBER = 6
    GROUP = 7
    SLOT = 8
    UNBOUND = 9
    BOUND = 10
    ENABLED = 11
    COUNTER = 12
    GROUP_FLAGS = 13
    COMBINATION = 14
    BUFFER = 15
    MAPPING = 16
    NO_USER_READ = 17
    INHERITED = 18
    EVENTFD = 19
    TYPE = 20
    CONFIG = 21
    EVENT = 22
    THRESHOLD = 23
    COMPARE = 24
    WIDTH = 25
    ALL_EXCLUDED = 26
    HARDWARE = 27
    MODULE = 28
    SEVERAL_PMUS = 29
    NO_TASK = 30
    NO_CPU = 31
    CPU_OFFLINE = 32
    NO_PMU = 33
    ENDED = 34
    NO_GUEST = 35
    CGROUP = 36
    NOT_A_SET = 37
    CAP_KERNEL = 40
    CAP_CPU = 41
    CAP_TASK = 42
    USER_ACCESS = 43
    NOT_OWNER = 44
    LIMIT = 45
    CAP_EXCLUSIVE = 46
    ATTACH = 47
    CAP_SIGNAL = 48
    NO_COUNTER = 50
    HELD = 51
    PMU_HELD = 52
    USER_READABLE = 53
    MEMORY = 60
    PERF_REFUSED = 61
    DEADLINE = 70
    SAMPLES = 71
    RING = 72
    MEMLOCK = 73


class RecordFlag(enum.IntFlag):
    """What is to be said of a reading: PMUDEV_RECORD_*."""

    ENABLED = 1 << 0
    ENDED = 1 << 1
    OFFLINE = 1 << 2
    NO_USER_ACCESS = 1 << 3
    ARMED = 1 << 4
    INCOMPLETE = 1 << 5


class Feature(enum.IntFlag):
    """What a PMU and the module can do: PMUDEV_HAS_*."""

    LONG = 1 << 0
    CHAIN = 1 << 1
    THRESHOLD = 1 << 2
    USER_READ = 1 << 3
    DIRECT = 1 << 4
    OTHER_TASKS = 1 << 5
    INHERIT = 1 << 6
    MULTIPLEX = 1 << 7
    GUEST = 1 << 8
    HIDING = 1 << 9
    DEADLINE = 1 << 10


_u8, _u16, _u32, _u64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
_s32 = ctypes.c_int32


class Holder(ctypes.Structure):
    _fields_ = [("counter", _u32), ("kind", _u32), ("pid", _s32), ("cpu", _s32)]


class Refusal(ctypes.Structure):
    _fields_ = [
        ("code", _u32),
        ("event", _s32),
        ("allowed", _u64),
        ("busy", _u64),
        ("limit", _u64),
        ("holder", Holder),
        ("nr_holders", _u32),
        ("reserved", _u32),
        ("holders", _u64),
    ]


class EventAttr(ctypes.Structure):
    _fields_ = [
        ("type", _u32),
        ("flags", _u32),
        ("config", _u64),
        ("allowed", _u64),
        ("tag", _u64),
        ("group", _u32),
        ("counter", _u32),
        ("threshold", _u16),
        ("threshold_compare", _u8),
        ("reserved", _u8 * 5),
    ]


class Query(ctypes.Structure):
    _fields_ = [
        ("size", _u32),
        ("flags", _u32),
        ("refusal", Refusal),
        ("pmu", _u32),
        ("nr_pmus", _u32),
        ("abi", _u32),
        ("arch", _u32),
        ("arch_version", _u32),
        ("state", _u32),
        ("cpu_id", _u64),
        ("features", _u64),
        ("counters", _u64),
        ("available", _u64),
        ("busy", _u64),
        ("user", _u64),
        ("generic", _u64),
        ("width", _u32),
        ("width_fixed", _u32),
        ("threshold_max", _u32),
        ("nr_cpus", _u32),
        ("reservations", _u64),
        ("perf_stops", _u64),
        ("clock_hz", _u64),
        ("name", ctypes.c_char * 32),
        ("user_access_lost", _u64),
        ("overflows", _u64),
        ("unexpected", _u64),
        ("late", _u64),
    ]


class Deadline(ctypes.Structure):
    _fields_ = [
        ("slot", _u32),
        ("flags", _u32),
        ("value", _u64),
        ("period", _u64),
        ("eventfd", _s32),
        ("signal", _u32),
        ("id", _s32),
        ("reserved", _u32),
    ]


class Report(ctypes.Structure):
    _fields_ = [
        ("slot", _u32),
        ("flags", _u32),
        ("value", _u64),
        ("count", _u64),
        ("reached", _u64),
        ("overruns", _u64),
        ("tid", _s32),
        ("reserved", _u32),
    ]


class Sample(ctypes.Structure):
    """struct pmudev_sample without its counts."""

    _fields_ = [
        ("size", _u32),
        ("flags", _u32),
        ("time", _u64),
        ("ip", _u64),
        ("pid", _s32),
        ("tid", _s32),
        ("cpu", _u32),
        ("slot", _u32),
        ("value", _u64),
        ("present", _u64),
        ("dropped", _u64),
    ]


class Samples(ctypes.Structure):
    _fields_ = [
        ("page", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("tail", _u32),
        ("room", _u64 * (ctypes.sizeof(Sample) // 8 + MAX_EVENTS)),
    ]


class Count(ctypes.Structure):
    _fields_ = [("value", _u64), ("time_enabled", _u64), ("time_running", _u64), ("tag", _u64)]


class Record(ctypes.Structure):
    """struct pmudev_record with room for all events."""

    _fields_ = [
        ("size", _u32),
        ("nr", _u32),
        ("flags", _u32),
        ("generation", _u32),
        ("time", _u64),
        ("time_enabled", _u64),
        ("time_running", _u64),
        ("present", _u64),
        ("multiplexed", _u64),
        ("reserved", _u64),
        ("counts", Count * MAX_EVENTS),
    ]


class Times(ctypes.Structure):
    _fields_ = [("enabled", _u64), ("running", _u64)]


class EventsError(ctypes.Structure):
    _fields_ = [("position", _u32), ("reserved", _u32 * 7), ("text", ctypes.c_char * EVENT_NAME)]


class PmuInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("cpus", ctypes.c_char_p),
        ("arch", ctypes.c_char_p),
        ("counters", ctypes.c_char_p),
        ("generic", _u64),
        ("width", _u32),
        ("knows_generic", ctypes.c_bool),
        ("available", ctypes.c_char_p),
    ]


class EventInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("terms", ctypes.c_char_p)]


class NameInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("about", ctypes.c_char_p),
        ("table", ctypes.c_char_p),
        ("event", ctypes.c_char_p),
        ("mask", ctypes.c_char_p),
        ("same_as", ctypes.c_char_p),
        ("is_default", ctypes.c_bool),
    ]
