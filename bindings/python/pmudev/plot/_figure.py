# SPDX-License-Identifier: MIT
"""Pictures of recordings, by matplotlib, which is imported when the first is drawn."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator

from ._compare import Difference, amount, by_rate, cells, compare, describe, heading, percent
from ._grid import Grid, alike, merged
from ._recording import Recording, Series, Total

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # type: ignore[import]

# Okabe and Ito's colours, which also the colour-blind tell apart, without the yellow one, which is too pale for a line.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
# Lines that lie upon each other are both seen.
STYLES = ("-", "--", "-", "-.")
MAP = "cividis"
NOT_COUNTED = "#D9D9D9"

WIDTH = 10.0
# Inches; what is higher than this no PNG holds.
HIGHEST = 600.0
# More than so much is more than the bars show.
MOST_PERCENT = 300.0

PER_SECOND = "events/s counted"

# The first matplotlib with text.parse_math.
OLDEST = (3, 6)


@dataclass
class Panel:
    height: float
    draw: Callable[[Any, Any], None]
    timed: bool = True


@contextlib.contextmanager
def style() -> Iterator[None]:
    """matplotlib as we want it, whatever the user's matplotlibrc says; for drawing and for writing a figure."""
    import matplotlib  # type: ignore[import]

    if getattr(matplotlib, "__version_info__", (0,)) < OLDEST:
        raise ValueError(f"plots need matplotlib {'.'.join(map(str, OLDEST))} or newer: this is {matplotlib.__version__}")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({
            "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"], "font.size": 9,
            "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#E5E5E5",
            "axes.axisbelow": True, "axes.titlesize": 9, "axes.titlelocation": "left", "legend.frameon": False,
            # Names are no formulas, and text stays text in an SVG, which is the same each time.
            "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "pmudev",
        })
        yield


def shorten(text: str, most: int) -> str:
    """Its middle is left out if it is longer."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - head - 1):]}"


def _label(text: str) -> str:
    # A legend leaves out what begins with an underscore.
    return shorten(" " + text if text.startswith("_") else text, 40)


def _figure(panels: list[Panel], title: str) -> Figure:
    from matplotlib.figure import Figure

    heights = [panel.height for panel in panels]
    scale = min(1.0, HIGHEST / sum(heights))
    # Without pyplot: no window, and nothing that other figures share.
    figure = Figure(figsize=(WIDTH, scale * sum(heights) + 0.7), dpi=100, layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    axes = figure.subplots(len(panels), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    timed = [ax for ax, panel in zip(axes, panels) if panel.timed]
    for ax in timed[1:]:
        ax.sharex(timed[0])
    for ax, panel in zip(axes, panels):
        panel.draw(figure, ax)
    for ax in timed[:-1]:
        ax.tick_params(labelbottom=False)
    figure.align_ylabels(timed)
    if timed:
        timed[-1].set_xlabel("seconds since the beginning")
    return figure


def _engineering(axis: Any, unit: str) -> None:
    """20 M, of events; ratios are plain numbers."""
    from matplotlib.ticker import EngFormatter  # type: ignore[import]

    if unit == PER_SECOND:
        axis.set_major_formatter(EngFormatter(sep=" "))


def _unit(series: Series) -> str:
    return PER_SECOND if series.kind == "event" else series.unit or "ratio"


# --- lines --------------------------------------------------------------------------------------------------------------

def _lines(lines: list[tuple[str, list[float], list[float]]], title: str, unit: str) -> Panel:
    """Each (label, edges, values)."""
    def draw(_figure: Any, ax: Any) -> None:
        handles = [ax.stairs(values, edges, baseline=None, linewidth=1.5, color=COLOURS[n % len(COLOURS)],
                             linestyle=STYLES[n % len(STYLES)]) for n, (_, edges, values) in enumerate(lines)]
        ax.set_title(title)
        ax.set_ylabel(unit)
        ax.set_xlim(0, max(edges[-1] for _, edges, _ in lines) or 1)
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
        if ax.get_ylim()[1] <= 0 or not any(math.isfinite(value) for _, _, values in lines for value in values):
            ax.set_ylim(0, 1)
        _engineering(ax.yaxis, unit)
        # Beside the lines.
        ax.legend(handles, [_label(label) for label, _, _ in lines], loc="upper left", bbox_to_anchor=(1.0, 1.03), handlelength=3)
    return Panel(max(1.5, 0.17 * len(lines) + 0.45), draw)


def _line_panels(recording: Recording, title: str = "") -> list[Panel]:
    """Events whose rates are alike share a panel, and so do ratios of the same unit."""
    grid = Grid(recording)
    edges = grid.edges
    panels = []
    for members in alike([s for s in recording.series if s.kind == "event"], len(COLOURS)):
        lines = [(s.label, edges, grid.spread_out(s, s.values())) for s in members]
        panels.append(_lines(lines, title if not panels else "", PER_SECOND))
    columns = {point.end: column for s in recording.series for point, column in zip(s.points, grid.columns(s))}
    units: dict[str, list[Series]] = {}
    for ratio in recording.ratios():
        units.setdefault(_unit(ratio), []).append(ratio)
    for unit, ratios in units.items():
        for members in alike(ratios, len(COLOURS)):
            lines = [(s.label, edges, grid.spread_out(s, s.values(), [columns[p.end] for p in s.points])) for s in members]
            panels.append(_lines(lines, "", unit))
    return panels


# --- groups: CPUs, cores, threads, cgroups ---------------------------------------------------------------------------------------

@dataclass
class Rows:
    """An event or a ratio of all groups: a row of values for each that has it."""

    name: str
    unit: str
    groups: list[str]
    values: list[list[float]]


def _rows(recording: Recording, grid: Grid) -> list[Rows]:
    columns = {id(s): grid.columns(s) for s in recording.series}
    of_group = {(s.group, p.end): c for s in recording.series for p, c in zip(s.points, columns[id(s)])}
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for series in [s for s in recording.series if s.kind == "event"] + recording.ratios():
        where = columns.get(id(series)) or [of_group[series.group, p.end] for p in series.points]
        rows = found.setdefault((series.name, _unit(series)), {})
        rows[series.group] = grid.spread_out(series, series.values(), where)
    order = recording.groups()
    return [Rows(name, unit, [g for g in order if g in rows], [rows[g] for g in order if g in rows])
            for (name, unit), rows in found.items()]


def _limits(values: Any, robust: bool) -> tuple[float, float]:
    """What the colours reach from and to; robust: up to what 98 of 100 values do not exceed."""
    import numpy  # type: ignore[import]

    if not len(values):
        return 0.0, 1.0
    most = float(numpy.percentile(values, 98) if robust else values.max())
    return min(0.0, float(values.min())), most if most > 0 else 1.0


def _heat(rows: Rows, edges: list[float]) -> Panel:
    def draw(figure: Any, ax: Any) -> None:
        import matplotlib
        import numpy  # type: ignore[import]

        colours = matplotlib.colormaps[MAP].with_extremes(bad=NOT_COUNTED)
        values = numpy.ma.masked_invalid(rows.values)
        # A CPU that did next to nothing may have any ratio: it shall not pale the others.
        least, most = _limits(values.compressed(), rows.unit != PER_SECOND)
        mesh = ax.pcolormesh(edges, range(len(rows.groups) + 1), values, cmap=colours, vmin=least, vmax=most, rasterized=True)
        ax.grid(False)
        ax.invert_yaxis()
        every = math.ceil(len(rows.groups) / max(1, int(height / 0.17)))
        ax.set_yticks([n + 0.5 for n in range(0, len(rows.groups), every)],
                      [_label(group) for group in rows.groups[::every]], fontsize=7 if len(rows.groups) > 8 else 9)
        ax.set_title(_label(rows.name) + (" (grey: not counted)" if values.count() < values.size else ""))
        bar = figure.colorbar(mesh, cax=ax.inset_axes([1.01, 0, 0.015, 1]), extend="max" if values.max() > most else "neither")
        bar.set_label(rows.unit)
        _engineering(bar.ax.yaxis, rows.unit)
    height = min(6.0, max(0.9, 0.22 * len(rows.groups)))
    return Panel(height + 0.35, draw)


def _group_panels(recording: Recording, lines: bool) -> list[Panel]:
    grid = Grid(recording)
    panels = []
    if not any(s.cgroup for s in recording.series):
        what = "CPUs" if recording.series[0].cpu is not None else "rows"
        panels = _line_panels(merged(recording), f"all {len(recording.groups())} {what}: average of one")
    for rows in _rows(recording, grid):
        if not lines:
            panels.append(_heat(rows, grid.edges))
            continue
        for n in range(0, len(rows.groups), len(COLOURS)):
            chosen = slice(n, n + len(COLOURS))
            panels.append(_lines([(group, grid.edges, values) for group, values in zip(rows.groups[chosen], rows.values[chosen])],
                                 _label(rows.name), rows.unit))
    return panels


# --- one measurement without intervals ----------------------------------------------------------------------------------

def _dots(recording: Recording) -> Panel:
    """The rate of each event, of each group a dot."""
    def draw(_figure: Any, ax: Any) -> None:
        groups, names, totals = recording.groups(), recording.names("event"), recording.totals()
        for n, group in enumerate(groups):
            dots = [(s.rate(0), names.index(s.label)) for s in recording.sums if s.kind == "event" and s.group == group]
            ax.plot([x if x > 0 else math.nan for x, _ in dots], [y for _, y in dots], "o", color=COLOURS[n % len(COLOURS)],
                    markersize=6, fillstyle="full" if n < len(COLOURS) else "none", label=_label(group))
        ax.set_xscale("log")
        _engineering(ax.xaxis, PER_SECOND)
        ax.set_xlabel(PER_SECOND)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_yticks(range(len(names)), [f"{_label(name)}   {_total_text(totals[name])}" for name in names])
        ax.set_title("rates; totals beside the names")
        if 1 < len(groups) <= 2 * len(COLOURS):
            ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03))
    rows = max(len(recording.names("event")), len(recording.groups()) * 0.6 if len(recording.groups()) <= 2 * len(COLOURS) else 0)
    return Panel(max(1.2, 0.28 * rows) + 0.3, draw, timed=False)


def _total_text(total: Total) -> str:
    if total.value is None:
        return "not counted"
    return ("about " if total.estimated else "") + amount(total.value)


def figure(recording: Recording, lines: bool = False) -> Figure:
    """A recording's picture. lines: CPUs, cores or threads as lines, and not as rows of a heat map."""
    if not recording.series:
        panels = [_dots(recording)] if recording.names("event") else []
    elif len(recording.groups()) > 1:
        panels = _group_panels(recording, lines)
    else:
        panels = _line_panels(recording)
    if not panels:
        raise ValueError(f"{recording.title} has no events, only times")
    title = recording.title + (f"\n{shorten(recording.command, 110)}" if recording.command else "")
    with style():
        return _figure(panels, title)


# --- two recordings -----------------------------------------------------------------------------------------------------

def _bars(rows: list[Difference], title: str) -> Panel:
    def draw(_figure: Any, ax: Any) -> None:
        known = [abs(row.percent) for row in rows if row.percent is not None]
        limit = min(MOST_PERCENT, max([1.0, *known]))
        for y, row in enumerate(rows):
            change = max(-limit, min(limit, row.percent or 0.0))
            colour = "#9A9A9A" if row.within_spread else COLOURS[1] if change > 0 else COLOURS[0]
            ax.barh(y, change, height=0.7, color=colour)
            if row.spread_percent is not None and change == row.percent:
                ax.errorbar(change, y, xerr=row.spread_percent, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
            text = f"{percent(row)}   {amount(row.a, row.unit)} → {amount(row.b, row.unit)}"
            ax.text(1.01, y, text, transform=ax.get_yaxis_transform(), va="center", fontsize=8)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_xlim(-1.05 * limit, 1.05 * limit)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_yticks(range(len(rows)), [_label(_bar_name(row)) for row in rows], fontsize=8)
        ax.set_xlabel("change from A to B, percent")
        ax.set_title(title)
    return Panel(max(1.0, 0.21 * len(rows)) + 0.5, draw, timed=False)


def _bar_name(row: Difference) -> str:
    return f"{row.name} per 1000 instr." if row.kind == "per-1000" else cells(row)[0].strip()


def _overlays(a: Recording, b: Recording) -> list[Panel]:
    """Each event and ratio that both have, over time."""
    both = []
    for recording in (merged(a), merged(b)):
        grid = Grid(recording)
        if len(grid.edges) < 3:
            return []
        both.append((grid.edges, {(rows.name, rows.unit): rows.values[0] for rows in _rows(recording, grid)}))
    return [_lines([(label, edges, values[name, unit]) for label, (edges, values) in zip("AB", both)], _label(name), unit)
            for name, unit in both[0][1] if (name, unit) in both[1][1]]


def compare_figure(a: Recording, b: Recording, rate: bool | None = None) -> Figure:
    """What changed from a to b, in percent; and both over time, if both have intervals."""
    rate = by_rate(a, b) if rate is None else rate
    rows = compare(a, b, rate)
    marks = ["black: spread of the runs"] if any(row.spread_percent is not None for row in rows) else []
    marks += ["grey: within the spread of the runs"] if any(row.within_spread for row in rows) else []
    if any(row.percent is not None and abs(row.percent) > MOST_PERCENT for row in rows):
        marks.append("longer bars are cut")
    panels = [_bars(rows, heading(rate) + (f" ({'; '.join(marks)})" if marks else ""))]
    title = "\n".join(f"{label}: {shorten(describe(recording), 110)}" for label, recording in zip("AB", (a, b)))
    with style():
        return _figure(panels + _overlays(a, b), title)
