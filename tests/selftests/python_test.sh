#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The tests of bindings/python, by pytest, in a machine that has a Python (tests/python).

if [ ! -x /usr/bin/python3 ]; then
	echo "1..0 # SKIP there is no Python here; scripts/setup python-arm64 python-amd64"
	exit
fi
# The same hashes in each run; no other plugins, and nothing is written.
export PYTHONHASHSEED=0 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1
cd /usr/share/pmudev-python || exit
exec python3 -m pytest -o faulthandler_timeout=20 -p no:cacheprovider -p no:terminal -s -p pytest_benchmark.plugin \
	-p tests.tap tests examples
