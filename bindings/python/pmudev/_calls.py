# SPDX-License-Identifier: MIT
"""A decorator that counts each call of a function."""

from __future__ import annotations

import functools
import inspect
import threading
from typing import Any, Callable, TypeVar

from ._reading import Reading
from ._set import Counters

Function = TypeVar("Function", bound=Callable[..., Any])


class Calls:
    """What the calls of a function have counted: function.counted.

    calls: how many have returned or raised, in all threads; calls within a call are part of it
    last: the last one's Reading, or None
    total: the sums of the counts by event
    """

    def __init__(self, name: str, events: tuple[str, ...]) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._inside = threading.local()
        self._events = events
        self.reset()

    def reset(self) -> None:
        """Forgets all calls."""
        with self._lock:
            self.calls = 0
            self.last: Reading | None = None
            self.total = dict.fromkeys(self._events, 0)

    def _add(self, reading: Reading) -> None:
        with self._lock:
            self.calls += 1
            self.last = reading
            for event, value in reading.values.items():
                self.total[event] += value

    def __repr__(self) -> str:
        counts = ", ".join(f"{event}={value}" for event, value in self.total.items())
        return f"<{self.calls} calls of {self.name}: {counts}>"


def counted(*events: str, **options: Any) -> Callable[[Function], Function]:
    """Counts each call in the thread that calls; options as for count(). The function gets an attribute counted.

    A coroutine or generator cannot be counted so: its thread does other things in between.
    """
    names = Counters(*events, **options).events

    def decorate(function: Function) -> Function:
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) \
                or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__name__} is a coroutine or a generator: count inside it")
        calls = Calls(function.__qualname__, names)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if getattr(calls._inside, "call", False):
                return function(*args, **kwargs)
            counters = Counters(*events, **options)
            calls._inside.call = True
            try:
                with counters:
                    return function(*args, **kwargs)
            finally:
                calls._inside.call = False
                if counters._last is not None:
                    calls._add(counters.read())

        wrapper.counted = calls  # type: ignore[attr-defined]
        return wrapper  # type: ignore[return-value]

    return decorate
