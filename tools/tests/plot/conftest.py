# SPDX-License-Identifier: MIT
import json
import os
import subprocess

import pytest

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def rows(*given):
    """Lines of a recording: dicts, or text as it is."""
    return [line if isinstance(line, str) else json.dumps(line) for line in given]


def event(name, value, end=None, running=None, **more):
    row = {} if end is None else {"interval": end}
    row.update(event=name, **{"counter-value": value})
    if running is not None:
        row["event-runtime"] = running
    row.update(more)
    return row


@pytest.fixture
def data():
    """data(NAME): the path of a recording that scripts/pictures has made in a machine."""
    return lambda name: os.path.join(DATA, f"{name}.json")


@pytest.fixture
def write(tmp_path):
    """write(NAME, row...): a file's path."""
    def make(name, *given):
        path = tmp_path / name
        path.write_text("".join(line + "\n" for line in rows(*given)))
        return str(path)
    return make


@pytest.fixture
def pmudev(tmp_path):
    """pmudev(ARG...): runs the command in tmp_path; its status, stdout and stderr."""
    def run(*args, env=None, text=True, stdin=None):
        done = subprocess.run([os.environ["PMUDEV"], *args], cwd=tmp_path, env={**os.environ, "PYTHONPATH": "", **(env or {})},
                              input=stdin, capture_output=True, text=text, timeout=120)
        return done.returncode, done.stdout, done.stderr
    return run
