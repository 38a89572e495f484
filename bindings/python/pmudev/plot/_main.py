# SPDX-License-Identifier: MIT
"""`pmudev plot` and `pmudev compare`."""

from __future__ import annotations

import getopt
import logging
import os
import sys
import warnings
from typing import Callable, NoReturn

from ._compare import by_rate, json_lines, table
from ._recording import Recording, RecordingError, printable, read

PLOT_HELP = """\
usage: pmudev plot [-o FILE] [--lines] RECORDING
       pmudev plot --compare [-o FILE] [--total | --rate] A B

Draws a recording of `pmudev stat -I MS --json`, `pmudev stat --json` or `pmudev monitor --json`:
events per second over time, ratios such as instructions per cycle, and CPUs one by one as a heat
map. RECORDING - is stdin. It needs no module and no counters, but python3-matplotlib.

  -o FILE    output file: .png, .svg or .html; without an ending, and -, which is stdout: PNG
             (default: RECORDING with the ending .png)
  --compare  draw what changed between two recordings, and print a table of it
             (default: A-B.png in this folder)
  --lines    draw CPUs, cores or threads as lines, not as a heat map
  --total    compare totals (default if both counted a command)
  --rate     compare events per second in which they were counted (default otherwise)

  pmudev stat -I 100 --json -o run.json -- make
  pmudev plot run.json                     # run.png
  pmudev plot --compare old.json new.json -o change.svg
"""

COMPARE_HELP = """\
usage: pmudev compare [--total | --rate] [-j] A B

Compares two recordings of `pmudev stat --json`, `pmudev stat -I MS --json` or `pmudev monitor
--json`: each event's total, the difference, ratios such as instructions per cycle, and each event
per 1000 instructions; metrics of -M. "within the spread of the runs": with -r, no more than runs
of the same program differ. Of a ratio, that is at most the sum of its two
events' spreads, which is taken. `pmudev plot --compare` also draws it.

  --total     compare totals (default if both counted a command)
  --rate      compare events per second in which they were counted (default otherwise)
  -j, --json  one object per row and line, and one that says what was compared

  pmudev stat -r 5 --json -e instructions:u,cycles:u -o old.json -- ./old
  pmudev stat -r 5 --json -e instructions:u,cycles:u -o new.json -- ./new
  pmudev compare old.json new.json
"""


class _Failure(Exception):
    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


def _usage(command: str, text: str) -> NoReturn:
    raise _Failure(f"{text}; `pmudev {command} --help` tells more", 2)


def _parse(command: str, args: list[str], short: str, long: list[str]) -> tuple[dict[str, str], list[str]]:
    try:
        given, rest = getopt.gnu_getopt(args, "h" + short, ["help"] + long)
    except getopt.GetoptError as error:
        option = f"{'--' if len(error.opt) > 1 else '-'}{error.opt}"
        if "requires argument" in error.msg:
            _usage(command, f"'{option}' needs a value")
        if "must not have" in error.msg or "not a unique" in error.msg:
            _usage(command, f"'{option}' is not clear")
        raise _Failure(f"unknown option '{option}'; `pmudev {command} --help` lists them", 2) from None
    return dict(given), rest


def _rate(command: str, options: dict[str, str]) -> bool | None:
    if "--rate" in options and "--total" in options:
        _usage(command, "--rate and --total exclude each other")
    return True if "--rate" in options else False if "--total" in options else None


def _read_two(command: str, names: list[str]) -> tuple[Recording, Recording]:
    if len(names) != 2:
        _usage(command, "two recordings are compared")
    if names == ["-", "-"]:
        _usage(command, "stdin is one recording only")
    return read(names[0]), read(names[1])


def _stem(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]


def _default_output(names: list[str]) -> str:
    if len(names) == 2:
        return "-".join("stdin" if name == "-" else _stem(name) for name in names) + ".png"
    if names[0] == "-":
        return "-"
    begin, ending = os.path.splitext(names[0])
    return (names[0] if ending.lower() == ".png" else begin) + ".png"


def _say(text: str) -> None:
    # A large text at once would not fail if the reader of a pipe leaves.
    sys.stdout.writelines(text.splitlines(keepends=True))


def _compare(args: list[str]) -> None:
    options, names = _parse("compare", args, "j", ["json", "total", "rate"])
    if "-h" in options or "--help" in options:
        sys.stdout.write(COMPARE_HELP)
        return
    rate = _rate("compare", options)
    a, b = _read_two("compare", names)
    as_json = "-j" in options or "--json" in options
    _say((json_lines if as_json else table)(a, b, rate))


def _import_matplotlib() -> None:
    """Reads no ./matplotlibrc, which would come before the user's own."""
    here = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        os.chdir("/")
        import matplotlib  # type: ignore[import]
    except ImportError as error:
        if getattr(error, "name", None) in ("matplotlib", None):
            raise _Failure("there is no matplotlib: `apt install python3-matplotlib`") from None
        raise _Failure(f"matplotlib cannot be used: {error}") from None
    finally:
        os.fchdir(here)
        os.close(here)
    # Such as of letters that a font does not have: the picture is there.
    logging.getLogger(matplotlib.__name__).setLevel(logging.ERROR)
    warnings.simplefilter("ignore")


def _write(name: str, kind: str, recordings: list[Recording], rate: bool, lines: bool) -> None:
    _import_matplotlib()
    from . import _figure, _output

    def make() -> bytes:
        if len(recordings) == 2:
            figure = _figure.compare_figure(recordings[0], recordings[1], rate)
        else:
            figure = _figure.figure(recordings[0], lines)
        return _output.page(figure, recordings, rate) if kind == "html" else _output.picture(figure, kind)
    _output.replace(name, make)


def _plot(args: list[str]) -> None:
    options, names = _parse("plot", args, "o:", ["output=", "compare", "lines", "total", "rate"])
    if "-h" in options or "--help" in options:
        sys.stdout.write(PLOT_HELP)
        return
    rate, two = _rate("plot", options), "--compare" in options
    if not two and len(names) != 1:
        _usage("plot", "plot takes one recording, or two with --compare")
    if rate is not None and not two:
        _usage("plot", "--rate and --total are for --compare")
    if two and "--lines" in options:
        _usage("plot", "--lines and --compare exclude each other")
    recordings = list(_read_two("plot", names)) if two else [read(names[0])]
    given = options.get("-o", options.get("--output"))
    name = _default_output(names) if given is None else given
    from ._output import format_of
    kind = format_of(name)
    if kind is None:
        _usage("plot", f"{printable(name)}: pictures are .png, .svg or .html")
    if two and rate is None:
        rate = by_rate(recordings[0], recordings[1])
    _write(name, kind, recordings, bool(rate), "--lines" in options)
    if name == "-":
        return
    if two:
        _say(table(recordings[0], recordings[1], rate))
    if given is None:
        print(printable(name))


COMMANDS: dict[str, Callable[[list[str]], None]] = {"plot": _plot, "compare": _compare}


def main(args: list[str] | None = None, command: str = "plot") -> int:
    """Runs the command; what fails is told in one line on stderr. Return: the exit status."""
    try:
        COMMANDS[command](sys.argv[1:] if args is None else args)
        sys.stdout.flush()
        return 0
    except _Failure as failure:
        status, text = failure.status, str(failure)
    except RecordingError as error:
        status, text = 1, str(error)
    except ValueError as error:
        status, text = 1, str(error)
    except BrokenPipeError:
        # Nobody reads it; nor shall Python try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        status, text = 1, f"{printable(str(error.filename))}: {error.strerror}" if error.filename else str(error)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        # None is expected; a line says more to whoever has a strange file than a traceback.
        status, text = 1, printable(f"{type(error).__name__}: {error}")
    print(f"pmudev: {text}", file=sys.stderr)
    return status
