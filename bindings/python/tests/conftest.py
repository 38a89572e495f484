# SPDX-License-Identifier: MIT
import collections
import ctypes
import gc
import os
import time

import pytest


@pytest.fixture(scope="session")
def loop():
    """loop(n): n rounds of two instructions each."""
    function = ctypes.CDLL("libloop.so").pmudev_test_loop
    function.argtypes = [ctypes.c_long]
    function.restype = None
    return function


@pytest.fixture(autouse=True)
def no_descriptor_is_left():
    """Each test closes what it opens; and no collection runs while something is counted."""
    gc.collect()
    before = sorted(os.listdir("/proc/self/fd"))
    gc.disable()
    yield
    gc.enable()
    gc.collect()
    assert sorted(os.listdir("/proc/self/fd")) == before


@pytest.fixture(scope="session")
def exactly():
    """exactly(function, n): function(n) and function(2 * n) count the 2 instructions of each round, to the unit.

    What Python itself executes around a loop takes one of a few values, whatever the loop's length: of the calls with
    n and with 2 * n rounds at least a share @alike agree in it.
    """
    def run(function, rounds, calls=30, alike=1 / 2):
        function(rounds), function(2 * rounds)
        around = collections.Counter(), collections.Counter()
        pairs = list(zip((rounds, 2 * rounds), around))
        for _ in range(calls):
            for n, counter in pairs:
                counter[function(n) - 2 * n] += 1
            # What one call leaves behind is where the next one begins: n and 2 * n have to follow either.
            pairs.reverse()
        assert min(around[0] | around[1]) >= 0
        assert (around[0] & around[1]).total() >= calls * alike, around
    return run


def write_user_access(value):
    with open("/proc/sys/dev/pmudev/user_access", "w") as file:
        file.write(str(value))


@pytest.fixture(autouse=True, scope="session")
def user_access():
    """Direct reads are allowed; user_access(0) refuses them."""
    write_user_access(1)
    yield write_user_access
    write_user_access(0)


def sleeps(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def child(loop, rounds):
    """A process that sleeps until the descriptor is closed, runs a loop, and ends."""
    reads, writes = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(writes)
        os.read(reads, 1)
        loop(rounds)
        os._exit(0)
    os.close(reads)
    while not sleeps(pid):
        time.sleep(0.001)
    return pid, writes
