#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each header compiles alone and twice, without a word, in the languages and for the compilers that
# its users have.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

WARNINGS="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Werror"
# clang says so of the flexible array of a record in C++, although __extension__ stands before it.
WARNINGS="$WARNINGS -Wno-c99-extensions"

# One translation unit for each header; and what macros and inline functions become when used.
compile() { # COMPILER LANGUAGE STANDARD
	for header in "$TOP"/tools/lib/include/*.h "$TOP"/uapi/linux/pmudev.h; do
		name=${header#"$TOP"/tools/lib/include/}
		name=${name#"$TOP"/uapi/}
		printf '#include <%s>\n#include <%s>\n%s\n' "$name" "$name" "$4" >"$TMP/alone.$2"
		# shellcheck disable=SC2086 # lists of words
		$1 -std="$3" $WARNINGS -I"$TOP/tools/lib/include" -I"$TOP/uapi" -O2 -S -o /dev/null "$TMP/alone.$2" ||
			return 1
	done
}

# The inline reads where they are used, with numbers that the compiler knows and one that it does not.
compile_reads() { # COMPILER LANGUAGE STANDARD
	cat >"$TMP/reads.$2" <<'EOF'
#include <pmudev.h>

int reads(struct pmudev *set, unsigned int n, uint64_t *v, struct pmudev_times *t);
int reads(struct pmudev *set, unsigned int n, uint64_t *v, struct pmudev_times *t)
{
	uint64_t two[2];

	return pmudev_read_count(set, 3, v) | pmudev_read_count(set, n, v) | pmudev_read_counts(set, two, 2) |
	       pmudev_read_counts(set, v, 8) | pmudev_read_counts(set, v, 9) | pmudev_read_counts(set, v, n) |
	       pmudev_read_counts_times(set, two, 1, t) | pmudev_read_counts_times(set, v, n, t) |
	       pmudev_page_counts(set->page, two, 2, 0);
}
EOF
	for level in 0 2 3 s; do
		# shellcheck disable=SC2086 # lists of words
		$1 -std="$3" $WARNINGS -I"$TOP/tools/lib/include" -I"$TOP/uapi" -O$level -S -o /dev/null "$TMP/reads.$2" ||
			return 1
	done
}

try() { # COMPILER LANGUAGE STANDARD...
	compiler=$1 language=$2
	shift 2
	for standard in "$@"; do
		if ! command -v "${compiler%% *}" >/dev/null; then
			skip "$compiler, $standard" "no $compiler"
			continue
		fi
		expect "$compiler, $standard" compile "$compiler" "$language" "$standard" 'int nothing_else;'
		expect "$compiler, $standard, reads" compile_reads "$compiler" "$language" "$standard"
	done
}

try gcc c c99 c11 c17 gnu11
try clang c c99 c17
try g++ cc c++11 c++17 c++20
try clang++ cc c++17
try "clang --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include" c c11
try "clang --target=arm-linux-gnueabihf -isystem /usr/arm-linux-gnueabihf/include" c c11
try aarch64-linux-gnu-gcc c c99
try arm-linux-gnueabihf-gcc c c99
try i686-linux-gnu-gcc c c99
tap_end
