# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# TAP for the tests that are scripts; sourced.
#
#   CC=     the compiler
#   BUILD=  a folder for results
#   MADE=   where the library (MADE/lib) and the command are, or are made once for all tests

set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd)
: "${CC:=gcc}" "${BUILD:=$TOP/build/tools/tests}" "${MADE:=$BUILD/made}"
# A make in another folder is told of it, too.
mkdir -p "$BUILD" "$MADE"
BUILD=$(cd "$BUILD" && pwd)
MADE=$(cd "$MADE" && pwd)
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
export LC_ALL=C
tap_nr=0 tap_failed=0

# expect WHAT COMMAND...: passes if the command succeeds; else shows what it said.
expect() {
	tap_nr=$((tap_nr + 1))
	what=$1
	shift
	if "$@" >"$TMP/out" 2>&1; then
		echo "ok $tap_nr - $what"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_nr - $what"
	sed 's/^/# /' "$TMP/out"
	return 1
}

skip() { # WHAT REASON
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# same GOT WANTED: two files of sorted lines.
same() {
	diff -u --label wanted --label got "$2" "$1"
}

# nothing COMMAND...: it must print nothing.
nothing() {
	! "$@" 2>&1 | grep .
}

tap_end() {
	echo "1..$tap_nr"
	[ "$tap_failed" = 0 ]
}
