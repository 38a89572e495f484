#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The library in several threads at once, under ThreadSanitizer where that works.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

LIB=$TOP/tools/lib

# build SANITIZER: the library's files with it, but those that fake.h includes.
build() {
	# shellcheck disable=SC2086 # lists of words
	$CC -O2 -g -std=gnu11 -Wall -Wextra -Werror -pthread $1 -I"$LIB/include" -I"$TOP/uapi" -o "$TMP/threads" \
		"$TOP/tools/tests/threads.c" "$LIB/explain.c" "$LIB/reason.c" "$LIB/scale.c"
}

# It wants its memory at known places, which newer kernels spread too widely for it.
unspread() {
	setarch "$(uname -m)" -R "$@"
}

sanitizer_works() {
	echo 'int main(void) { return 0; }' >"$TMP/nothing.c"
	$CC -fsanitize=thread -o "$TMP/nothing" "$TMP/nothing.c" && unspread "$TMP/nothing"
}

# The program's own TAP is shown if something is wrong.
run() {
	"$@" "$TMP/threads" && return
	echo "it ended with status $?"
	return 1
}

if sanitizer_works >/dev/null 2>&1; then
	expect "it compiles with ThreadSanitizer" build -fsanitize=thread
	expect "sets shared by threads, and sets of their own" run unspread
else
	skip "with ThreadSanitizer" "$CC has none that runs here"
	expect "it compiles" build ''
	expect "sets shared by threads, and sets of their own" run env
fi
tap_end
