# SPDX-License-Identifier: MIT
import threading

import pmudev
import pytest

N = 10_000


def test_each_call_is_counted(loop, exactly):
    @pmudev.counted("instructions:u")
    def work(rounds):
        """Its docstring."""
        loop(rounds)
        return rounds

    def cost(rounds):
        assert work(rounds) == rounds
        return work.counted.last["instructions:u"]

    exactly(cost, N)
    assert work.counted.calls == 62
    assert work.counted.total["instructions:u"] > 62 * 3 * N
    assert work.__doc__ == "Its docstring." and work.__name__ == "work"
    assert "62 calls" in repr(work.counted)
    work.counted.reset()
    assert work.counted.calls == 0 and work.counted.last is None


def test_recursion_is_one_call(loop):
    @pmudev.counted("instructions:u")
    def nested(depth):
        loop(N)
        if depth:
            nested(depth - 1)

    nested(4)
    assert nested.counted.calls == 1
    assert nested.counted.total["instructions:u"] > 5 * 2 * N


def test_exceptions_pass(loop):
    @pmudev.counted("instructions:u")
    def fails():
        loop(N)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fails()
    assert fails.counted.calls == 1 and fails.counted.last["instructions:u"] > 2 * N


def test_threads(loop):
    @pmudev.counted("instructions:u")
    def work():
        loop(N)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert work.counted.calls == 4
    assert work.counted.total["instructions:u"] > 4 * 2 * N


def test_what_cannot_be_counted():
    with pytest.raises(ValueError):
        pmudev.counted("nosuchevent")
    with pytest.raises(TypeError):
        @pmudev.counted("instructions:u")
        async def coroutine():
            pass
    with pytest.raises(TypeError):
        @pmudev.counted("instructions:u")
        def generator():
            yield
