# SPDX-License-Identifier: MIT
"""A plugin of pytest that writes TAP: pytest -p no:terminal -p tests.tap."""

import time

_seen = 0


def pytest_configure(config):
    # Parts of pytest ask for the plugin that is switched off.
    config.option.verbose = 0


def pytest_collection_finish(session):
    print(f"# tests are collected {time.monotonic():.1f} s after the boot")
    print("TAP version 13")
    print(f"1..{len(session.items)}", flush=True)


def pytest_sessionfinish():
    print(f"# {time.monotonic():.1f} s after the boot", flush=True)


def pytest_collectreport(report):
    if report.failed:
        print("\n".join(f"# {line}" for line in str(report.longrepr).splitlines()), flush=True)


def _line(report, good, note=""):
    global _seen
    _seen += 1
    name = report.nodeid.split("/")[-1].replace("::", ".").replace(".py", "")
    print(f"{'ok' if good else 'not ok'} {_seen} - {name}{note}", flush=True)
    print(f"# {report.when} took {report.duration:.2f} s", flush=True)
    if not good:
        print("\n".join(f"# {line}" for line in str(report.longrepr).splitlines()), flush=True)


def pytest_runtest_logreport(report):
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        _line(report, True, f" # SKIP {reason}")
    elif report.when == "call" or report.failed:
        _line(report, report.passed)
