# SPDX-License-Identifier: MIT
"""libpmudev, loaded by its name. PMUDEV_LIBRARY in the environment is another file."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any

from . import _abi

NameFn = ctypes.CFUNCTYPE(c_int, POINTER(_abi.NameInfo), c_void_p)

# function: (result, arguments). A set, a list of events and the PMUs are pointers that only the library follows.
_PROTOTYPES = {
    "pmudev_new": (c_void_p, []),
    "pmudev_free": (None, [c_void_p]),
    "pmudev_fd": (c_int, [c_void_p]),
    "pmudev_bind_self": (c_int, [c_void_p]),
    "pmudev_bind_task": (c_int, [c_void_p, c_int, c_uint]),
    "pmudev_bind_process": (c_int, [c_void_p, c_int, c_uint]),
    "pmudev_bind_cpu": (c_int, [c_void_p, c_uint, c_uint]),
    "pmudev_bind_pmu": (c_int, [c_void_p, c_int, c_int, c_uint, c_uint]),
    "pmudev_add": (c_int, [c_void_p, POINTER(_abi.EventAttr), c_uint, POINTER(c_uint32)]),
    "pmudev_enable": (c_int, [c_void_p, c_uint32]),
    "pmudev_disable": (c_int, [c_void_p, c_uint32]),
    "pmudev_reset_group": (c_int, [c_void_p, c_uint32, c_uint64]),
    "pmudev_reset_slot": (c_int, [c_void_p, c_uint32, c_uint64]),
    "pmudev_query": (c_int, [c_void_p, c_uint, POINTER(_abi.Query)]),
    "pmudev_map": (c_int, [c_void_p]),
    "pmudev_read": (c_int, [c_void_p, POINTER(_abi.Record), c_size_t]),
    "pmudev_read_count": (c_int, [c_void_p, c_uint, POINTER(c_uint64)]),
    "pmudev_try_count": (c_bool, [c_void_p, c_uint, POINTER(c_uint64)]),
    "pmudev_try_counts": (c_bool, [c_void_p, POINTER(c_uint64), c_uint, POINTER(_abi.Times)]),
    "pmudev_scale": (c_bool, [c_uint64, c_uint64, c_uint64, POINTER(c_uint64)]),
    "pmudev_why": (c_int, [c_void_p, POINTER(_abi.Refusal)]),
    "pmudev_explain": (c_int, [c_void_p, c_char_p, c_size_t]),
    "pmudev_explain_refusal": (c_int, [c_int, POINTER(_abi.Refusal), c_char_p, c_size_t]),
    "pmudev_deadline_set": (c_int, [c_void_p, POINTER(_abi.Deadline), c_uint]),
    "pmudev_deadline_remove": (c_int, [c_void_p, c_uint32]),
    "pmudev_deadline_continue": (c_int, [c_void_p]),
    "pmudev_deadline_reports": (c_int, [c_void_p, POINTER(_abi.Report), c_uint]),
    "pmudev_deadline_wait": (c_int, [c_void_p, POINTER(_abi.Report), c_uint, c_int]),
    "pmudev_samples_open": (c_int, [POINTER(_abi.Samples), c_void_p, c_size_t]),
    "pmudev_samples_next": (POINTER(_abi.Sample), [POINTER(_abi.Samples)]),
    "pmudev_samples_dropped": (c_uint64, [POINTER(_abi.Samples)]),
    "pmudev_samples_close": (None, [POINTER(_abi.Samples)]),
    "pmudev_events_parse": (c_int, [c_char_p, c_void_p, POINTER(c_void_p), POINTER(_abi.EventsError)]),
    "pmudev_events_free": (None, [c_void_p]),
    "pmudev_events_nr": (c_uint, [c_void_p]),
    "pmudev_events_attrs": (POINTER(_abi.EventAttr), [c_void_p]),
    "pmudev_events_name": (c_char_p, [c_void_p, c_uint]),
    "pmudev_pmus_load": (c_int, [POINTER(c_void_p), c_char_p]),
    "pmudev_pmus_free": (None, [c_void_p]),
    "pmudev_pmus_info": (POINTER(_abi.PmuInfo), [c_void_p, c_uint]),
    "pmudev_pmus_event": (POINTER(_abi.EventInfo), [c_void_p, c_uint, c_uint]),
    "pmudev_names_each": (c_int, [c_void_p, c_uint, NameFn, c_void_p]),
    "pmudev_generic_name": (c_char_p, [c_uint]),
}


def _load() -> ctypes.CDLL:
    name = os.environ.get("PMUDEV_LIBRARY", "libpmudev.so.0")
    try:
        loaded = ctypes.CDLL(name, use_errno=True)
        for function, (result, arguments) in _PROTOTYPES.items():
            symbol = getattr(loaded, function)
            symbol.restype = result
            symbol.argtypes = arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"pmudev needs libpmudev ({name}): {error}") from error
    return loaded


class _Library:
    """Loads the library when its first function is asked for: pmudev.plot needs none."""

    def __getattr__(self, name: str) -> Any:
        loaded = _load()
        for function in _PROTOTYPES:
            setattr(self, function, getattr(loaded, function))
        if name not in _PROTOTYPES:
            raise AttributeError(name)
        return getattr(self, name)


lib = _Library()
