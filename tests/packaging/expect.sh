# shellcheck shell=sh disable=SC2034 # a test exits with $failed
# SPDX-License-Identifier: GPL-2.0
#
# For the tests in an emulated machine: one line of TAP for each command.

nr=0 failed=0

expect() { # WHAT COMMAND...
	nr=$((nr + 1))
	what=$1
	shift
	if "$@" >/tmp/said 2>&1; then
		echo "ok $nr - $what"
	else
		failed=1
		echo "not ok $nr - $what"
	fi
	sed 's/^/# /' /tmp/said
}
