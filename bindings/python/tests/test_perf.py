# SPDX-License-Identifier: MIT
"""perf counts the same."""

import ctypes
import os
import platform
import struct

import pmudev
import pytest

N = 100_000
PERF_EVENT_OPEN = {"aarch64": 241, "x86_64": 298}
# PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS; exclude_kernel and exclude_hv.
ATTR = struct.pack("=IIQQQQQ", 0, 64, 1, 0, 0, 0, 1 << 5 | 1 << 6) + bytes(16)


def perf_open():
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN[platform.machine()], ctypes.c_char_p(ATTR), 0, -1, -1, 0)
    if fd < 0:
        pytest.skip(f"perf counts nothing here: {os.strerror(ctypes.get_errno())}")
    return fd


def test_the_same_loop(loop, exactly):
    def by_perf(rounds):
        fd = perf_open()
        before = os.read(fd, 8)
        loop(rounds)
        after = os.read(fd, 8)
        os.close(fd)
        return int.from_bytes(after, "little") - int.from_bytes(before, "little")

    def by_pmudev(rounds):
        with pmudev.count("instructions:u") as c:
            before = c.count()
            loop(rounds)
            return c.count() - before

    exactly(by_perf, N)
    exactly(by_pmudev, N)
