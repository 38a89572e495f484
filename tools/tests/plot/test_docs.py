# SPDX-License-Identifier: MIT
"""What the pages show of pictures and comparisons is what comes out of the recordings in data/."""

import os
import re
import shutil

import pytest
from conftest import DATA

from pmudev.plot import compare, read

TOP = os.path.join(os.path.dirname(DATA), *[os.pardir] * 3)
PICTURES = ["phases.svg", "cpus.svg", "compare.svg", "terminal.svg"]


def page(*names):
    with open(os.path.join(TOP, *names), encoding="utf-8") as file:
        return file.read()


def test_the_guide_shows_what_compare_prints(pmudev, tmp_path):
    [(args, shown)] = re.findall(r"^```text\n\$ pmudev (compare [^\n]*)\n(.*?)^```$", page("docs", "guide.md"), re.M | re.S)
    for name in ("old", "new"):
        shutil.copy(os.path.join(DATA, f"{name}.json"), tmp_path)
    assert pmudev(*args.split()) == (0, shown, "")


def test_the_example_in_python(data, tmp_path, monkeypatch, capsys):
    [example] = re.findall(r"^```python\n(.*?)^```$", page("docs", "python.md"), re.M | re.S)
    for name in ("old", "new"):
        shutil.copy(data(name), tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/python.md", "exec"), {})
    old, new = read("old.json"), read("new.json")
    row = next(row for row in compare(old, new) if row.name == "instructions:u")
    series = old.series[0]
    assert capsys.readouterr().out == (f"{row.a} {row.b} {row.percent}\n{series.name} {series.points[0].value} {series.rates()[0]}\n")
    assert (tmp_path / "old.png").stat().st_size > 1000


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_small_and_shown(name):
    assert os.path.getsize(os.path.join(TOP, "docs", "pictures", name)) < 100_000
    assert f"pictures/{name}" in page("README.md") + page("docs", "guide.md")


@pytest.mark.parametrize("args, name", [(["phases"], "phases"), (["cpus"], "cpus"), (["--compare", "old", "new"], "compare")])
def test_pictures_are_of_the_recordings(pmudev, tmp_path, args, name):
    for file in os.listdir(DATA):
        shutil.copy(os.path.join(DATA, file), tmp_path)
    assert pmudev("plot", "-o", "x.svg", *[arg if arg[0] == "-" else f"{arg}.json" for arg in args])[0] == 0
    texts = [re.findall(r"<text[^>]*>([^<]*)</text>", text) for text in ((tmp_path / "x.svg").read_text(),
                                                                        page("docs", "pictures", f"{name}.svg"))]
    # Positions differ with the version of matplotlib.
    assert texts[0] == texts[1]
