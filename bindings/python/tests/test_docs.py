# SPDX-License-Identifier: MIT
"""The examples of docs/python.md do what they show."""

import os
import re

import pytest

PAGE = os.path.join(os.path.dirname(__file__), "python.md")


def examples():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"(?:^(?:    .*)?\n)+", text, re.M)
    blocks = [re.sub(r"^    ", "", block, flags=re.M) for block in blocks if block.strip()]
    return [block for block in blocks if re.search(r"^import .*pmudev", block, re.M)]


@pytest.mark.parametrize("number", range(6))
def test_an_example(number, loop, capsys):
    assert len(examples()) == 6
    exec(compile(examples()[number], f"example {number}", "exec"), {"work": lambda: loop(100_000)})
    said = capsys.readouterr().out
    assert len(said.splitlines()) >= 2 or number == 3
    if number == 3:
        assert re.match(r"instructions:u \d\d\d+ times, last at \d+", said)
    if number == 4:
        assert re.match(r"0x[0-9a-f]+ \d+ \d+\n", said)
    if number == 5:
        assert said.startswith("3 NO_TASK\n") and "instrutions" in said
