# SPDX-License-Identifier: MIT
"""pytest-benchmark with exact counts beside its times.

    pytest --benchmark-json=result.json test_benchmark.py

A time changes from run to run; the number of instructions of the same work changes little or not at all. So a small
loss shows at once, also on a busy machine.
"""

import pmudev
import pytest


@pytest.fixture
def counted(benchmark):
    """Measures like benchmark(), and counts one more call: in the report's extra_info."""

    def run(function, *args):
        result = benchmark.pedantic(function, args=args, rounds=5)
        with pmudev.count("instructions:u", "cycles:u") as c:
            function(*args)
        benchmark.extra_info.update(c.values)
        return result

    return run


def test_sorting(counted, benchmark):
    numbers = list(range(1000))
    assert counted(sorted, numbers) == numbers
    # A test can hold a function to a bar: a comparison takes some ten instructions here.
    assert benchmark.extra_info["instructions:u"] < 100_000
