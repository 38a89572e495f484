# SPDX-License-Identifier: MIT
"""The commands' arguments, files and messages."""

import os
import subprocess
import sys

import pytest
from conftest import event

from pmudev.plot import _main

RECORDING = [event("x", 5, 1, 10**9), event("x", 6, 2, 10**9)]


def test_the_default_output_is_a_png_beside_the_recording(pmudev, write, tmp_path):
    path = write("run.json", *RECORDING)
    assert pmudev("plot", path) == (0, f"{tmp_path}/run.png\n", "")
    assert (tmp_path / "run.png").stat().st_size > 1000
    assert sorted(os.listdir(tmp_path)) == ["run.json", "run.png"]


@pytest.mark.parametrize("name, begins", [
    ("a.svg", b"<?xml"), ("a.SVG", b"<?xml"), ("a.png", b"\x89PNG"), ("a", b"\x89PNG"), ("a.html", b"<!DOCTYPE html>")])
def test_a_picture_is_what_its_name_says(pmudev, write, tmp_path, name, begins):
    assert pmudev("plot", "-o", name, write("r.json", *RECORDING)) == (0, "", "")
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_stdin_and_stdout(pmudev, write):
    with open(write("r.json", *RECORDING), "rb") as file:
        status, said, error = pmudev("plot", "-", text=False, stdin=file.read())
    assert (status, said[:4], error) == (0, b"\x89PNG", b"")


def test_comparison_names_its_picture(pmudev, write, tmp_path):
    a, b = write("a.json", *RECORDING), write("b.json", *RECORDING)
    status, said, error = pmudev("plot", "--compare", a, b)
    assert (status, said.splitlines()[-1], error) == (0, "a-b.png", "") and (tmp_path / "a-b.png").exists()


@pytest.mark.parametrize("args, said", [
    (["plot"], "plot takes one recording, or two with --compare; `pmudev plot --help` tells more"),
    (["plot", "a", "b"], "plot takes one recording, or two with --compare; `pmudev plot --help` tells more"),
    (["plot", "--compare", "a"], "two recordings are compared; `pmudev plot --help` tells more"),
    (["compare", "a"], "two recordings are compared; `pmudev compare --help` tells more"),
    (["compare", "-", "-"], "stdin is one recording only; `pmudev compare --help` tells more"),
    (["compare", "--rate", "--total", "a", "b"], "--rate and --total exclude each other; `pmudev compare --help` tells more"),
    (["plot", "--rate", "a"], "--rate and --total are for --compare; `pmudev plot --help` tells more"),
    (["plot", "--compare", "--lines", "a", "b"], "--lines and --compare exclude each other; `pmudev plot --help` tells more"),
    (["plot", "-x"], "unknown option '-x'; `pmudev plot --help` lists them"),
    (["plot", "--frob"], "unknown option '--frob'; `pmudev plot --help` lists them"),
    (["plot", "-o"], "'-o' needs a value; `pmudev plot --help` tells more"),
])
def test_wrong_command_lines_are_status_2(pmudev, args, said):
    assert pmudev(*args) == (2, "", f"pmudev: {said}\n")


def test_what_is_no_picture(pmudev, write):
    status, said, error = pmudev("plot", "-o", "x.jpg", write("r.json", *RECORDING))
    assert (status, said, error) == (2, "", "pmudev: x.jpg: pictures are .png, .svg or .html; `pmudev plot --help` tells more\n")


def test_failures_are_one_line_and_status_1(pmudev, write, tmp_path):
    assert pmudev("plot", "nosuch.json") == (1, "", "pmudev: nosuch.json: No such file or directory\n")
    path = write("bad.json", RECORDING[0], '{"interval": 0.5 "event": "x"}')
    for args in (["plot", path], ["plot", "--compare", path, path], ["compare", path, path]):
        assert pmudev(*args) == (1, "", f"pmudev: {path}:2: not a line of `pmudev stat --json` or `pmudev monitor --json`\n")
    good = write("r.json", *RECORDING)
    status, said, error = pmudev("plot", "-o", "no/such/x.svg", good)
    assert (status, said) == (1, "") and error.endswith("No such file or directory\n") and error.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["bad.json", "r.json"]


def test_an_old_picture_stays_if_there_is_no_new_one(pmudev, write, tmp_path):
    (tmp_path / "old.svg").write_text("old")
    os.symlink("/dev/null", tmp_path / "null")
    assert pmudev("plot", "-o", "old.svg", write("r.json", event("t", 1.0, 1, 1, unit="msec")))[0] == 1
    assert (tmp_path / "old.svg").read_text() == "old"
    assert pmudev("plot", "-o", "null", write("r.json", *RECORDING))[0] == 0
    assert os.path.islink(tmp_path / "null") and sorted(os.listdir(tmp_path)) == ["null", "old.svg", "r.json"]


def test_a_reader_that_leaves_is_no_traceback(write):
    path = write("r.json", *[event(f"event-{n}", 5) for n in range(20_000)])
    with subprocess.Popen([os.environ["PMUDEV"], "compare", path, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout.readline().startswith(b"A: ")
        child.stdout.close()
        assert child.stderr.read() == b"" and child.wait() == 1


def test_letters_that_no_font_has_are_no_message(pmudev, write):
    assert pmudev("plot", "-o", "x.png", write("r.json", *[{**row, "event": "\u3042\u0915"} for row in RECORDING])) == (0, "", "")


def test_help(pmudev):
    for command in ("plot", "compare"):
        status, said, error = pmudev(command, "--help")
        assert (status, error) == (0, "") and said.startswith(f"usage: pmudev {command} ")


def test_python_is_missing(pmudev):
    assert pmudev("plot", "x", env={"PMUDEV_PYTHON": "/no/such"}) == (
        1, "", "pmudev: /no/such: No such file or directory; `pmudev plot` needs Python 3; PMUDEV_PYTHON names one elsewhere\n")


def test_the_package_is_missing(tmp_path):
    # Where it is installed there is none beside the command.
    with open(os.environ["PMUDEV"], "rb") as file:
        (tmp_path / "pmudev").write_bytes(file.read())
    (tmp_path / "pmudev").chmod(0o755)
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([tmp_path / "pmudev", "plot", "x"], cwd=tmp_path, env={**bare, "PMUDEV_PYTHON": sys.executable},
                          capture_output=True, text=True)
    if done.stderr.startswith("pmudev: x: "):
        pytest.skip("python3-pmudev is installed")
    assert (done.returncode, done.stdout, done.stderr) == (
        1, "", "pmudev: No module named 'pmudev': `make deb` builds the package python3-pmudev; or name the folder bindings/python "
        "of the sources in PYTHONPATH\n")


def test_nothing_is_loaded_from_the_current_folder(pmudev, write, tmp_path):
    for name in ("json.py", "matplotlib.py", "pmudev.py", "getopt.py"):
        (tmp_path / name).write_text("raise SystemExit('loaded')")
    assert pmudev("plot", "-o", "x.svg", write("r.json", *RECORDING)) == (0, "", "")


def test_as_a_module(write, tmp_path):
    done = subprocess.run([sys.executable, "-m", "pmudev.plot", "-o", tmp_path / "x.svg", write("r.json", *RECORDING)],
                          env={**os.environ, "PMUDEV_LIBRARY": "/no/such"}, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and (tmp_path / "x.svg").exists()


def test_no_matplotlibrc_of_the_current_folder(pmudev, write, tmp_path):
    (tmp_path / "matplotlibrc").write_text("no.such.key: 1\n")
    assert pmudev("plot", "-o", "x.svg", write("r.json", *RECORDING)) == (0, "", "")
    assert (tmp_path / "x.svg").exists()


def test_notes_that_are_none(pmudev, write):
    path = write("r.json", *RECORDING, {"target": "command", "notes": 5})
    assert pmudev("plot", "-o", "x.html", path) == (0, "", "")


def test_what_nobody_expected_is_one_line(monkeypatch, capsys):
    def fail(args):
        raise KeyError("a\nb")
    monkeypatch.setitem(_main.COMMANDS, "plot", fail)
    assert _main.main(["x"]) == 1
    assert capsys.readouterr() == ("", "pmudev: KeyError: 'a\\nb'\n")
