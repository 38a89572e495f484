#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What other languages need: each inline function of the headers that programs call is a function of the shared
# library too, and it works when the library is loaded by name.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

LIB=$MADE/lib
INCLUDE="-I$TOP/tools/lib/include -I$TOP/uapi"

# Parts of other inline functions, not for programs.
PARTS="pmudev_head pmudev_head_is pmudev_page_get pmudev_page_has_times pmudev_page_is pmudev_page_times pmudev_reader_get pmudev_reader_join
pmudev_reader_rest pmudev_slot_count pmudev_word_is"

# The functions that the headers define, by what the compiler says of them.
inlines() {
	for header in "$TOP"/tools/lib/include/*.h; do
		printf '#include "%s"\n' "$header"
	done >"$TMP/all.c"
	# shellcheck disable=SC2086 # a list of words
	$CC $INCLUDE -fsyntax-only -aux-info "$TMP/aux" "$TMP/all.c" || return 1
	sed -nE 's/^.*\/include\/pmudev[a-z_]*\.h:[0-9]+:NF \*\/ static .*\b(pmudev_[a-z0-9_]+) \(.*/\1/p' "$TMP/aux" |
		sort -u >"$TMP/inlines"
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $PARTS | sort >"$TMP/parts"
	comm -23 "$TMP/inlines" "$TMP/parts" >"$TMP/wanted"
	# One that everybody knows, so that an empty list does not pass.
	grep -qx pmudev_read_count "$TMP/wanted"
}

loads() {
	# shellcheck disable=SC2086 # a list of words
	$CC $INCLUDE -Wall -Wextra -Werror -O2 -std=gnu11 -o "$TMP/ffi" "$TOP/tools/tests/ffi.c" -ldl
}

# Whether the program says of a function that is not there that it is not.
finds_a_missing_one() {
	! "$TMP/ffi" "$LIB/libpmudev.so" pmudev_close pmudev_no_such_function >"$TMP/said" &&
		[ "$(cat "$TMP/said")" = pmudev_no_such_function ]
}

expect "the library is built" make -s -C "$TOP/tools/lib" OUTPUT="$LIB" all
expect "the headers' inline functions can be listed" inlines
expect "a program that links nothing of the library" loads
# shellcheck disable=SC2046 # a list of words
expect "the library has each of them, and they work" "$TMP/ffi" "$LIB/libpmudev.so" $(cat "$TMP/wanted")
expect "a missing function is noticed" finds_a_missing_one
expect "a part of others is not exported" nothing sh -c \
	"nm -D --defined-only --without-symbol-versions $LIB/libpmudev.so | awk '{ print \$3 }' | sort | comm -12 - $TMP/parts"
tap_end
