#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `pmudev plot` and `pmudev compare`: what starts them, and their Python by pytest (plot/). Debian's Python has the
# packages that this needs.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

PYTHON=/usr/bin/python3
PMUDEV=$MADE/pmudev
export PMUDEV PYTHONDONTWRITEBYTECODE=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1

if ! make -s -C "$TOP/tools/pmudev" OUTPUT="$MADE" >"$TMP/made" 2>&1; then
	sed 's/^/# /' "$TMP/made"
	expect "the command is built" false
elif "$PYTHON" -c 'import matplotlib, pytest' 2>/dev/null; then
	cd "$TOP/tools/tests/plot" || exit
	PYTHONPATH=$TOP/bindings/python "$PYTHON" -m pytest -o addopts= -p no:cacheprovider -p no:terminal -s -p tests.tap .
	exit
else
	skip "plots" "no matplotlib or pytest for $PYTHON (packages python3-matplotlib, python3-pytest); scripts/setup tools"
fi
tap_end
