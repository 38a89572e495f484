# SPDX-License-Identifier: MIT
"""Pictures and comparisons of what `pmudev stat --json` and `pmudev monitor --json` have recorded.

    recording = pmudev.plot.read("run.json")
    pmudev.plot.figure(recording).savefig("run.png")
    for row in pmudev.plot.compare(pmudev.plot.read("old.json"), recording):
        print(row.name, row.a, row.b, row.percent)

read(), Recording, Series, Point, Total: what a file has
figure(), compare_figure(): figures of matplotlib, which only these need
compare(), Difference, table(): two recordings side by side
main(): `python3 -m pmudev.plot`, which is `pmudev plot`

It needs neither the module nor the library.
"""

from ._compare import Difference, compare, table
from ._figure import compare_figure, figure
from ._main import main
from ._recording import Point, Recording, RecordingError, Series, Total, read

__all__ = [
    "Difference",
    "Point",
    "Recording",
    "RecordingError",
    "Series",
    "Total",
    "compare",
    "compare_figure",
    "figure",
    "main",
    "read",
    "table",
]
