# SPDX-License-Identifier: MIT
"""What deadlines report, and a set that others may close while it is waited for."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._lib import lib


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


class Awaited:
    """An open set: closed by any thread or handler of a signal, freed when the last one that waits has left."""

    def __init__(self, pointer: int) -> None:
        self._maker = self._process = os.getpid()
        self._pointer: int | None = pointer
        # Handlers of signals come between any two steps, also while this is held, and may close.
        self._lock = threading.RLock()
        self._users = 0
        self.closed = False
        self._pair: tuple[socket.socket, socket.socket] | None = None

    def __del__(self, library: Any = lib) -> None:
        if self._pointer is not None:
            library.pmudev_free(self._pointer)

    def check(self) -> None:
        if self.closed:
            raise ValueError("the set was closed")

    @property
    def forked(self) -> bool:
        """This process is a child of the one that opened it."""
        return self._maker != os.getpid()

    def _forget_threads(self) -> None:
        """In a child of fork(2) there is one, and the pair wakes those of its parent."""
        if self._process != os.getpid():
            self._process, self._lock, self._users, self._pair = os.getpid(), threading.RLock(), 0, None

    @contextlib.contextmanager
    def use(self) -> Iterator[int]:
        """The set, which stays until the end."""
        self._forget_threads()
        with self._lock:
            self._users += 1
        try:
            self.check()
            assert self._pointer is not None
            yield self._pointer
        finally:
            with self._lock:
                self._users -= 1
            self._free_unused()

    def _free_unused(self) -> None:
        with self._lock:
            if not self.closed or self._users:
                return
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            lib.pmudev_free(pointer)

    def descriptors(self) -> tuple[int, int]:
        """Within use(): the set's, and one that is readable once the set is closed. Then call check()."""
        with self._lock:
            self._pair = self._pair or socket.socketpair()
        return lib.pmudev_fd(self._pointer), self._pair[0].fileno()

    def ready(self) -> bool:
        """Within use(): is the set's descriptor readable?"""
        poll = select.poll()
        poll.register(lib.pmudev_fd(self._pointer), select.POLLIN)
        return bool(poll.poll(0))

    def sleep(self, milliseconds: int) -> None:
        """Within use(): until the set's descriptor is readable, or for so long; for ever if negative."""
        poll = select.poll()
        for descriptor in self.descriptors():
            poll.register(descriptor, select.POLLIN)
        self.check()
        poll.poll(milliseconds)
        self.check()

    def close(self) -> None:
        """Once is enough."""
        self._forget_threads()
        self.closed = True
        try:
            self._free_unused()
        finally:
            if self._pair:
                self._pair[1].send(b"x")
