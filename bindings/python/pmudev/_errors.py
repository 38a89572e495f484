# SPDX-License-Identifier: MIT
"""Refusals and wrong events as exceptions."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Any, Callable, NoReturn, Sequence

from ._abi import MAX_HOLDERS, Holder, Reason, Refusal
from ._lib import lib


class Refused(OSError):
    """A call that the module, or the kernel, refused.

    errno: as the call returned it
    reason: the name of the reason in <linux/pmudev.h> without PMUDEV_WHY_ ("NO_COUNTER"); None if there is none
    explanation: a sentence: why, and what to do about it; str() has it too
    event: the name of the event concerned, or None
    limit: the bound that the reason's comment tells of
    holders: (counter, kind, pid, cpu) of each counter that was needed and is held
    """

    def __init__(self, error: int, explanation: str = "", *, code: int = 0, event: str | None = None,
                 limit: int = 0, holders: Sequence[tuple[int, int, int, int]] = ()) -> None:
        super().__init__(error, explanation or os.strerror(error))
        self.explanation = explanation
        self.code = code
        self.event = event
        self.limit = limit
        self.holders = tuple(holders)

    @property
    def reason(self) -> str | None:
        """The name of the reason; "73" for one that this package does not know."""
        if not self.code:
            return None
        try:
            return Reason(self.code).name
        except ValueError:
            return str(self.code)

    def __str__(self) -> str:
        return self.explanation or super().__str__()


class EventError(ValueError):
    """Events that cannot be understood, or are unknown; the message has similar names.

    position: where in the text the error is
    """

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


def _sentence(write: Callable[[ctypes.Array[ctypes.c_char], int], Any]) -> str:
    text = ctypes.create_string_buffer(1024)
    write(text, len(text))
    return text.value.decode(errors="replace")


def refuse_errno(error: int) -> NoReturn:
    """Of a call that has no set."""
    if error == errno.ENOMEM:
        raise MemoryError
    raise Refused(error, _sentence(lambda text, size: lib.pmudev_explain_refusal(-error, None, text, size)))


def refuse(pointer: int, error: int, names: Sequence[str] = ()) -> NoReturn:
    """Of a call of the set at pointer, which returned -error."""
    why = Refusal()
    if error == errno.ENOMEM:
        raise MemoryError
    if lib.pmudev_why(pointer, ctypes.byref(why)) != -error:
        refuse_errno(error)
    explanation = _sentence(lambda text, size: lib.pmudev_explain(pointer, text, size))
    event = names[why.event] if why.code and 0 <= why.event < len(names) else None
    if event and explanation.startswith(f"event {why.event}: "):
        explanation = f"{event}: " + explanation.split(": ", 1)[1]
    holders = []
    if why.code and why.holders:
        array = (Holder * MAX_HOLDERS).from_address(why.holders)
        holders = [(h.counter, h.kind, h.pid, h.cpu) for h in array[:min(why.nr_holders, MAX_HOLDERS)]]
    raise Refused(error, explanation, code=why.code, event=event, limit=why.limit, holders=holders)
