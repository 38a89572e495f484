# SPDX-License-Identifier: MIT
"""Prints C that compiles only if the structures and numbers of pmudev/_abi.py are those of the headers."""

import ctypes

from pmudev import _abi

STRUCTURES = {
    "pmudev_holder": _abi.Holder, "pmudev_refusal": _abi.Refusal, "pmudev_event_attr": _abi.EventAttr,
    "pmudev_query": _abi.Query, "pmudev_deadline": _abi.Deadline, "pmudev_report": _abi.Report,
    "pmudev_sample": _abi.Sample, "pmudev_samples": _abi.Samples, "pmudev_count": _abi.Count, "pmudev_times": _abi.Times, "pmudev_events_error": _abi.EventsError,
    "pmudev_pmu_info": _abi.PmuInfo, "pmudev_event_info": _abi.EventInfo, "pmudev_name_info": _abi.NameInfo,
}
NUMBERS = ["MAX_EVENTS", "MAX_HOLDERS", "ALL", "USER_READ", "MULTIPLEX", "TARGET_TASK", "TARGET_PROCESS", "BIND_INHERIT",
           "BIND_ON_EXEC", "DEADLINE_RELATIVE", "DEADLINE_PERIODIC", "DEADLINE_EVENTFD", "DEADLINE_SIGNAL",
           "DEADLINE_STOP", "DEADLINE_TOTAL", "DEADLINE_SAMPLE", "REPORT_LATE", "SAMPLE_KERNEL", "SAMPLE_ENTRY",
           "SAMPLES_MAX", "STATE_USER_ACCESS"]


def same(expression, number):
    print(f'_Static_assert(({expression}) == {number}, "{expression}");')


def fields(name, structure):
    for field, kind in structure._fields_:
        same(f"offsetof(struct {name}, {field})", getattr(structure, field).offset)
        if field != "counts":
            same(f"sizeof(((struct {name} *)0)->{field})", ctypes.sizeof(kind))


print("#include <stddef.h>\n#include <pmudev_deadline.h>\n#include <pmudev_events.h>\n#include <pmudev_samples.h>")
for name, structure in STRUCTURES.items():
    same(f"sizeof(struct {name})", ctypes.sizeof(structure))
    fields(name, structure)
fields("pmudev_record", _abi.Record)
same("sizeof(union pmudev_record_buffer)", ctypes.sizeof(_abi.Record))
for number in NUMBERS:
    same(f"PMUDEV_{number}", getattr(_abi, number))
for flag in _abi.RecordFlag:
    same(f"PMUDEV_RECORD_{flag.name}", flag.value)
for flag in _abi.Feature:
    same(f"PMUDEV_HAS_{flag.name}", f"{flag.value}ULL")
# In a switch a reason that is missing here is one that the compiler names.
print("int reasons(enum pmudev_reason reason);\nint reasons(enum pmudev_reason reason)\n{\n\tswitch (reason) {")
for reason in _abi.Reason:
    name = "PMUDEV_OK" if reason == 0 else f"PMUDEV_WHY_{reason.name}"
    print(f"\tcase {name}:\n\t\treturn {name} == {reason.value};")
print("\t}\n\treturn 0;\n}")
for reason in _abi.Reason:
    same("PMUDEV_OK" if reason == 0 else f"PMUDEV_WHY_{reason.name}", reason.value)
