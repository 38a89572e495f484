# SPDX-License-Identifier: MIT
"""Figures as files: PNG, SVG, or a page of HTML that needs nothing else."""

from __future__ import annotations

import contextlib
import html
import io
import os
import stat
import sys
from typing import TYPE_CHECKING, Callable

from ._compare import amount, cells, compare, describe, heading
from ._figure import PER_SECOND, style
from ._recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # type: ignore[import]

FORMATS = ("png", "svg", "html")

# The browser fetches nothing, even if a name in the page asked it to.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 1em auto; max-width: 75em; color: #222; }}
svg {{ width: 100%; height: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: right; white-space: pre; }}
th:first-child, td:first-child {{ text-align: left; }}
</style>
</head>
<body>
<h1>{title}</h1>
{about}
{picture}
<table>
<thead>{head}</thead>
<tbody>
{body}
</tbody>
</table>
</body>
</html>
"""


def format_of(name: str) -> str | None:
    """The format of a file by its name's ending; None: it is none of ours."""
    ending = os.path.splitext(name)[1].lower().lstrip(".")
    if not ending or name == "-":
        return "png"
    return ending if ending in FORMATS else None


def picture(figure: Figure, kind: str) -> bytes:
    """PNG or SVG."""
    file = io.BytesIO()
    with style():
        # Nothing of when and where it was made: the same recording is the same picture.
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata)
    return file.getvalue()


def _row(tag: str, texts: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"


def _event_rows(recording: Recording) -> list[list[str]]:
    rows, totals = [], recording.totals()
    for kind in ("event", "time"):
        for name in recording.names(kind):
            total = totals[name]
            note = ["estimated"] * total.estimated + [f"{total.missing} intervals not counted"] * bool(total.missing)
            rate = amount(total.rate, "per second") if kind == "event" else ""
            rows.append([name if kind == "event" else f"{name} (msec)", amount(total.value, "" if kind == "event" else "msec"),
                         f"{total.seconds:.6f}" if kind == "event" else "", rate, ", ".join(note)])
    return rows


def page(figure: Figure, recordings: list[Recording], rate: bool) -> bytes:
    """HTML with the figure and a table: of one recording its events, of two the comparison."""
    if len(recordings) == 1:
        head, rows = ["event", "total", "seconds counted", PER_SECOND, ""], _event_rows(recordings[0])
        about = [describe(recordings[0])]
    else:
        head = [heading(rate), "A", "B", "B - A", "change", ""]
        rows = [cells(row) for row in compare(recordings[0], recordings[1], rate)]
        about = [f"{label}: {describe(recording)}" for label, recording in zip("AB", recordings)]
    notes = [note for recording in recordings for note in recording.notes]
    svg = picture(figure, "svg").decode()
    return PAGE.format(
        title=html.escape(" and ".join(recording.title for recording in recordings)),
        about="\n".join(f"<p>{html.escape(text)}</p>" for text in about + notes),
        picture=svg[svg.index("<svg"):].rstrip(), head=_row("th", head),
        body="\n".join(_row("td", row) for row in rows)).encode()


def replace(name: str, make: Callable[[], bytes]) -> None:
    """Writes a file: a regular one is complete or stays as it was. "-" is stdout."""
    if name == "-":
        sys.stdout.buffer.write(make())
        sys.stdout.buffer.flush()
        return
    name = os.path.realpath(name)
    if os.path.exists(name) and not stat.S_ISREG(os.stat(name).st_mode):
        with open(name, "wb") as file:
            file.write(make())
        return
    temporary = os.path.join(os.path.dirname(name), f".{os.path.basename(name)[:200]}.{os.getpid()}")
    try:
        # First of all: can it be written?
        with open(temporary, "xb") as file:
            file.write(make())
        os.replace(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
