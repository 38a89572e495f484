# SPDX-License-Identifier: MIT
"""Pictures and pages: what they show, and that they need nothing else."""

import html.parser
import re
import xml.etree.ElementTree as ET

import pytest
from conftest import event, rows

from pmudev.plot import compare_figure, figure, read
from pmudev.plot._figure import style

SVG = "{http://www.w3.org/2000/svg}"


def axes_texts(fig):
    return [[text.get_text().strip() for text in ax.get_legend().get_texts()] for ax in fig.axes if ax.get_legend()]


def drawn_lines(fig):
    from matplotlib.patches import StepPatch
    return [patch for ax in fig.axes for patch in ax.patches if isinstance(patch, StepPatch)]


def heat_maps(fig):
    from matplotlib.collections import QuadMesh
    return [mesh for ax in fig.axes for mesh in ax.collections if isinstance(mesh, QuadMesh) and ax.get_ylim()[0] > 1]


def intervals(names, cpus=(None,), ends=(1, 2, 3), value=lambda name, cpu, end: 100):
    return [event(name, value(name, cpu, end), end, 10**9, **({} if cpu is None else {"cpu": cpu}))
            for end in ends for cpu in cpus for name in names]


def test_each_event_is_a_line_with_its_values():
    fig = figure(read(rows(event("a", 10, 1, 10**9), event("a", 20, 3, 10**9), event("b", 30, 1, 10**9), event("b", None, 3, 0))))
    lines = drawn_lines(fig)
    assert [list(line.get_data().edges) for line in lines] == [[0, 1, 3], [0, 1, 3]]
    assert list(lines[0].get_data().values) == [10, 20]
    assert [str(value) for value in lines[1].get_data().values] == ["30.0", "nan"]
    assert axes_texts(fig) == [["a", "b"]]


def test_events_of_other_magnitudes_have_a_panel_of_their_own():
    peaks = {"a": 1000, "b": 200, "c": 5, "d": 90}
    fig = figure(read(rows(*intervals(peaks, value=lambda name, cpu, end: peaks[name]))))
    assert axes_texts(fig) == [["a", "b"], ["d"], ["c"]]


def test_hundreds_of_series_are_all_there():
    fig = figure(read(rows(*intervals([f"e{n}" for n in range(300)]))))
    shown = [label for panel in axes_texts(fig) for label in panel]
    assert len(drawn_lines(fig)) == 300 and sorted(shown) == sorted(f"e{n}" for n in range(300))
    for ax in fig.axes:
        colours = {(line.get_edgecolor(), line.get_linestyle()) for line in ax.patches}
        assert len(colours) == len(ax.patches)


@pytest.mark.parametrize("lines, meshes, steps", [(False, 3, 3), (True, 0, 3 + 3 * 100)])
def test_cpus_are_rows_of_heat_maps_or_lines(lines, meshes, steps):
    recording = read(rows(*intervals(["instructions", "cycles"], cpus=range(100), value=lambda name, cpu, end: cpu + 1)))
    fig = figure(recording, lines)
    maps = heat_maps(fig)
    assert (len(maps), len(drawn_lines(fig))) == (meshes, steps)
    for mesh in maps[:2]:
        assert mesh.get_array().reshape(100, 3).tolist() == [[cpu + 1] * 3 for cpu in range(100)]


def test_cpus_that_were_read_one_after_the_other_are_one_interval():
    fig = figure(read(rows(*[event("x", 10 * end + cpu, end + cpu / 1000, 10**9, cpu=cpu) for end in (1, 2) for cpu in (0, 1)])))
    assert heat_maps(fig)[0].get_array().reshape(2, 2).tolist() == [[10, 20], [11, 21]]


def test_a_last_interval_may_be_short():
    fig = figure(read(rows(*intervals(["a", "b"], ends=(1, 2, 2.01)))))
    assert [list(line.get_data().edges) for line in drawn_lines(fig)] == [[0, 1, 2, 2.01]] * 2


def test_what_began_later_has_no_line_before():
    fig = figure(read(rows(event("a", 1, 1, 10**9), event("a", 1, 2, 10**9), event("b", 1, 2, 10**9))))
    assert str(drawn_lines(fig)[1].get_data().values.tolist()) == "[nan, 1.0]"


def boxes(fig):
    fig.draw_without_rendering()
    return [(ax.get_window_extent(), ax.get_legend().get_window_extent()) for ax in fig.axes if ax.get_legend()]


@pytest.mark.parametrize("names", [["a"], ["a" * 200, "b"], [f"e{n}" for n in range(40)]])
def test_legends_cover_no_data_and_are_inside_the_picture(names):
    with style():
        fig = figure(read(rows(*intervals(names))))
        for plot, legend in boxes(fig):
            assert legend.x0 >= plot.x1 - 1 and legend.x1 <= fig.bbox.x1 and plot.width > 0.4 * fig.bbox.width
            assert legend.y0 >= 0 and legend.y1 <= fig.bbox.y1


def test_axes_have_units():
    fig = figure(read(rows(*intervals(["instructions", "cycles", "branches", "branch-misses"]))))
    assert [ax.get_ylabel() for ax in fig.axes] == ["events/s counted", "insn per cycle", "%"]
    assert fig.axes[-1].get_xlabel() == "seconds since the beginning"


def test_names_are_names(tmp_path, pmudev, write):
    names = {"$x^{2}$", "_hidden", "<b>&\"'", "\\frac", "%s{}"}
    status, _, error = pmudev("plot", "-o", "x.svg", write("r.json", *intervals(names)))
    assert (status, error) == (0, "")
    assert names <= {"".join(text.itertext()).strip() for text in ET.parse(tmp_path / "x.svg").iter(SVG + "text")}


def test_zeros_gaps_and_single_points_can_be_drawn():
    for given in ([event("x", 0, 1, 0)], [event("x", None, 1, 0)], [event("x", None, 1, 0, cpu=0), event("x", None, 1, 0, cpu=1)],
                  [event("x", 0, 0, 0)], [event("x", 1)], [event("x", None)], [event("x", 0, cpu=1), event("x", 5, cpu=2)]):
        fig = figure(read(rows(*given)))
        fig.draw_without_rendering()
        assert len(fig.axes) >= 1


def test_only_times_are_no_picture(pmudev, write):
    path = write("r.json", event("task-clock", 1.5, 1, 5, unit="msec"))
    assert pmudev("plot", path) == (1, "", f"pmudev: {path} has no events, only times\n")


def test_svg_has_title_labels_and_the_same_bytes_each_time(pmudev, data, tmp_path):
    for name in ("a.svg", "b.svg"):
        assert pmudev("plot", "-o", name, data("phases")) == (0, "", "")
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    texts = ["".join(part.itertext()).strip() for part in ET.fromstring(text).iter(SVG + "text")]
    recording = read(data("phases"))
    for label in recording.names("event") + [recording.title, "events/s counted", "seconds since the beginning"]:
        assert label in texts
    assert "http://purl.org" not in text and "<script" not in text


def test_png(pmudev, data, tmp_path):
    path = data("cpus")
    assert pmudev("plot", "-o", "x.png", path) == (0, "", "")
    picture = (tmp_path / "x.png").read_bytes()
    width, height = (int.from_bytes(picture[at:at + 4], "big") for at in (16, 20))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and width == 1000 and height > 300 and len(picture) > 10_000


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.addresses, self.tags, self.cells = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for key, value in attrs if key in ("src", "href", "xlink:href", "srcset", "data", "action")]
        if tag == "td":
            self.cells.append("")

    def handle_data(self, text):
        if self.cells:
            self.cells[-1] += text


def test_html_is_self_contained_and_has_the_numbers(pmudev, data, tmp_path):
    assert pmudev("plot", "-o", "x.html", data("cpus")) == (0, "", "")
    text = (tmp_path / "x.html").read_text()
    page = Page()
    page.feed(text)
    assert page.addresses and all(address.startswith(("#", "data:image/png;base64,")) for address in page.addresses)
    assert not {"script", "link", "iframe", "object", "img"} & set(page.tags) and page.tags.count("svg") == 1
    assert not re.search(r"@import|url\((?!#)", text)
    total = read(data("cpus")).totals()["instructions"].value
    assert page.cells[page.cells.index("instructions") + 1] == f"{total:,}"


def test_html_escapes(pmudev, write, tmp_path):
    about = {"target": "command", "command": ["<script>alert(1)</script>"], "notes": ["<img src=x>"]}
    path = write("r.json", *intervals(["<i>x</i>"]), about)
    assert pmudev("plot", "-o", "x.html", path) == (0, "", "")
    page = Page()
    page.feed((tmp_path / "x.html").read_text())
    assert not {"script", "img", "i"} & set(page.tags) and "<i>x</i>" in page.cells


def test_comparison_has_a_bar_for_each_change_and_both_lines(data):
    a, b = read(data("old")), read(data("new"))
    fig = compare_figure(a, b)
    from pmudev.plot import compare
    assert [round(bar.get_width(), 6) for bar in fig.axes[0].patches] == [
        round(max(-300, min(300, row.percent or 0)), 6) for row in compare(a, b)]
    assert len(a.ratios()) == 2 and axes_texts(fig) == [["A", "B"]] * (len(a.names("event")) + 2)


def test_comparison_has_ratios_and_the_spread_of_several_runs():
    from matplotlib.container import ErrorbarContainer
    about = {"target": "command", "command": ["./x"], "runs": 5, "notes": []}
    a, b = (read(rows(event("instructions", 2000, variance=1.0), event("cycles", cycles, variance=1.0), event("x", 10), about))
            for cycles in (1000, 4000))
    ax = compare_figure(a, b).axes[0]
    assert "instructions per cycle" in [label.get_text() for label in ax.get_yticklabels()]
    # x has no deviation, nor has what is made of it.
    assert len([c for c in ax.containers if isinstance(c, ErrorbarContainer)]) == 3
    assert "black: spread of the runs" in ax.get_title(loc="left")


def test_comparison_as_a_page_and_a_table(pmudev, data, tmp_path):
    status, said, error = pmudev("plot", "--compare", data("old"), data("new"), "-o", "x.html")
    assert (status, error) == (0, "") and said == pmudev("compare", data("old"), data("new"))[1]
    page = Page()
    page.feed((tmp_path / "x.html").read_text())
    a, b = (read(data(name)).totals()["branches:u"].value for name in ("old", "new"))
    at = page.cells.index("branches:u")
    assert page.cells[at + 1:at + 4] == [f"{a:,}", f"{b:,}", f"{b - a:+,}"]


def test_one_run_shows_its_totals(data):
    fig = figure(read(data("runs")))
    totals = read(data("runs")).totals()
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == [
        f"{name}   {totals[name].value:,}" for name in ("instructions:u", "cycles:u", "branches:u")]


@pytest.mark.parametrize("ends, lines, steps", [((1, 2, 3), True, 4), ((1, 2, 3), False, 0), ((None,), False, 0)])
def test_cgroups_have_no_sum(ends, lines, steps):
    given = [event(name, value, end, 10**9, cgroup=cgroup) for end in ends for cgroup, value in (("a", 30), ("a/b", 20))
             for name in ("x", "y")]
    fig = figure(read(rows(*given)), lines)
    assert len(drawn_lines(fig)) == steps and len(heat_maps(fig)) == (0 if lines or ends == (None,) else 2)
    if ends == (None,):
        assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == ["x (a)   30", "y (a)   30", "x (a/b)   20", "y (a/b)   20"]


def test_cgroups_of_two_recordings_are_compared_over_time():
    given = [event("x", value, end, 10**9, cgroup=cgroup) for end in (1, 2, 3) for cgroup, value in (("a", 30), ("a/b", 20))]
    fig = compare_figure(read(rows(*given)), read(rows(*given)))
    assert [ax.get_title(loc="left") for ax in fig.axes[1:]] == ["x (a)", "x (a/b)"]


def test_an_old_matplotlib_is_told(monkeypatch):
    import matplotlib
    monkeypatch.setattr(matplotlib, "__version_info__", (3, 5, 1, "final", 0), raising=False)
    monkeypatch.setattr(matplotlib, "__version__", "3.5.1", raising=False)
    with pytest.raises(ValueError, match="^plots need matplotlib 3.6 or newer: this is 3.5.1$"):
        figure(read(rows(event("x", 1))))
