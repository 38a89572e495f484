# SPDX-License-Identifier: MIT
"""What deadlines report, and the threads that wait for it."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Report:
    """What the deadlines of an event have reached since the last reports.

    value: the last deadline that was reached; count: the count when that was reported
    reached: how many were reached; overruns: of these, how many were not reported on their own
    tid: the thread that reached the last one; late: the kernel's limit of interrupts delayed one of them
    """

    event: str
    value: int
    count: int
    reached: int
    overruns: int
    tid: int
    late: bool


class Sleepers:
    """The threads that wait for reports of one set, which another may close.

    lock: who holds it sees that the set is closed, or can be sure that it stays open. A handler of a signal, which
        Python runs in between, may take it again.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._wakers: set[int] = set()

    def sleep(self, fileno: Callable[[], int], seconds: float | None) -> None:
        """Until the descriptor is readable, for so many seconds, or until wake()."""
        with contextlib.ExitStack() as stack:
            with self.lock:
                # Of its own: another thread could close the set, and open a file that gets the same number.
                descriptor = os.dup(fileno())
                stack.callback(os.close, descriptor)
                woken, waker = os.pipe()
                stack.callback(os.close, woken)
                stack.callback(self._forget, waker)
                self._wakers.add(waker)
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.register(woken, select.POLLIN)
            poll.poll(None if seconds is None else min(int(1000 * seconds + 0.999), 2**31 - 1))

    def _forget(self, waker: int) -> None:
        with self.lock:
            self._wakers.discard(waker)
        os.close(waker)

    def wake(self) -> None:
        """All of them. The caller has the lock, and has closed the set."""
        for waker in self._wakers:
            os.write(waker, b"x")
