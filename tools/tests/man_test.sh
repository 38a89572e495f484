#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The manual's section 3 against the headers: each function has a page, what a SYNOPSIS declares is
# what the headers declare, and each example compiles and runs.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

MAN=$TOP/man/man3
FLAGS="-Wall -Wextra -Werror -I$TOP/tools/lib/include -I$TOP/uapi"

# The names that a page has, and those that some page tells are not for programs.
page_names() { awk 'FNR == 1 { name = 0 } /^\.Sh/ { name = $2 == "NAME" } name && $1 == ".Nm" { print $2 }' "$MAN"/*.3 | sort; }
not_for_programs() { awk '/^\.Sh/ { notes = $2 == "NOTES" } notes && ($1 == ".Fn" || $1 == ".Va") { print $2 }' "$MAN"/pmudev_page.3; }

without_page() {
	sed -nE 's/^\t(pmudev_.*);$/\1/p' "$TOP/tools/lib/libpmudev.map" >"$TMP/exported"
	[ -s "$TMP/exported" ] || echo "no functions found"
	{ page_names; not_for_programs; } | sort -u >"$TMP/documented"
	sort "$TMP/exported" | comm -23 - "$TMP/documented"
}

# C of a page's SYNOPSIS: .In, .Ft, and .Fn or .Fo .Fa .Fc. What has no type is a macro.
prototypes() { # PAGE
	sed -E 's/^\.Fn ([^ ]+) void$/.Fn \1 "void"/' "$1" | awk '
		/^\.Sh/ { synopsis = $2 == "SYNOPSIS" }
		!synopsis { next }
		function put(name, args) { if (type != "" && name !~ /^[A-Z]/) print type, name "(" args ");"; type = "" }
		{ line = $0; sub(/^\.[A-Z][a-z] /, "", line) }
		/^\.In/ { print "#include <" line ">" }
		/^\.Ft/ { type = line; gsub(/"/, "", type) }
		/^\.Fn/ { name = $2; n = split(line, part, "\""); args = ""
			for (i = 2; i < n; i += 2)
				args = args (args == "" ? "" : ", ") part[i]
			put(name, args) }
		/^\.Fo/ { name = $2; args = "" }
		/^\.Fa/ { gsub(/"/, "", line); args = args (args == "" ? "" : ", ") line }
		/^\.Fc/ { put(name, args) }'
}

# A page's prototypes are those of the headers; one that they do not have would not be used.
declares() { # PAGE
	prototypes "$1" >"$TMP/prototypes.c"
	# shellcheck disable=SC2086 # a list of words
	$CC $FLAGS -std=gnu11 -Wno-unused -c -o "$TMP/prototypes.o" "$TMP/prototypes.c" || return 1
	sed -nE 's/^.*[ *](pmudev_[a-z_]+)\(.*/\1/p' "$TMP/prototypes.c" | while read -r function; do
		grep -qE "\b$function\(" "$TOP"/tools/lib/include/*.h || echo "no $function in the headers"
	done >"$TMP/strangers"
	cat "$TMP/strangers"
	[ ! -s "$TMP/strangers" ] && grep -q '^#include' "$TMP/prototypes.c"
}

# Every name of a page that the SYNOPSIS could declare is there, and the other way round.
complete() { # PAGE
	awk '/^\.Sh/ { name = $2 == "NAME" } name && $1 == ".Nm" { print $2 }' "$1" | sort >"$TMP/names"
	awk '/^\.Sh/ { s = $2 == "SYNOPSIS" } s && ($1 == ".Fn" || $1 == ".Fo") { print $2 }' "$1" | sort >"$TMP/declared"
	title=$(basename "$1" .3)
	grep -vx "$title" "$TMP/names" >"$TMP/names2"
	grep -vx "$title" "$TMP/declared" >"$TMP/declared2"
	same "$TMP/names2" "$TMP/declared2"
}

# The program between .Bd and .Ed of the EXAMPLES.
example() { # PAGE
	awk '/^\.Sh/ { e = $2 == "EXAMPLES" } /^\.Ed/ { on = 0 } e && on { print } e && /^\.Bd/ { on = 1 }' "$1" |
		sed 's/\\e/\\/g; s/\\-/-/g; s/^\\&//'
}

compiles() { # PAGE
	example "$1" >"$TMP/example.c"
	# shellcheck disable=SC2086 # a list of words
	$CC $FLAGS -O2 -std=gnu11 -o "$TMP/example" "$TMP/example.c" "$MADE/lib/libpmudev.so" -Wl,-rpath,"$MADE/lib"
}

# Where there is no module it says so, unless it needs none.
runs() {
	[ ! -e /dev/pmudev ] || return 0
	"$TMP/example" >"$TMP/said" 2>&1 && return 0
	cat "$TMP/said"
	grep -q 'there is no /dev/pmudev: load the module' "$TMP/said"
}

expect "every exported function has a page" nothing without_page
expect "the library is built" make -s -C "$TOP/tools/lib" OUTPUT="$MADE/lib" all
for page in "$MAN"/*.3; do
	name=$(basename "$page" .3)
	if [ "$name" != libpmudev ]; then
		expect "$name(3): its prototypes are the headers'" declares "$page"
		expect "$name(3): its names are its prototypes'" complete "$page"
	fi
	if [ -n "$(example "$page")" ]; then
		expect "$name(3): its example compiles" compiles "$page"
		expect "$name(3):   and runs" runs
	fi
done
tap_end
