# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The tests of the kernel's libperf, each a program of its own: its function is main().

build_suite() { # ARCH
	local name tools=$TMP/linux/tools

	mkdir "$TMP/build"
	kernel_source tools/lib tools/include tools/build tools/scripts tools/arch
	logged make -C "$tools/lib/perf" ARCH="$1" CROSS_COMPILE="$(cross_prefix "$1")" CC="$(cross_cc "$1")" \
		EXTRA_CFLAGS=-O2 O="$TMP/build"
	for name in cpumap threadmap evlist evsel; do
		printf 'int tests_failed, tests_verbose;\n' >"$TMP/flags.c"
		# The includes are those of the library's Makefile, in its order: structures must be the same. Loops that wait are
		# not optimized away.
		logged "$(cross_cc "$1")" -g -D_GNU_SOURCE "-Dtest_$name=main" -I "$tools/lib/perf/include" -I "$tools/lib" \
			-I "$tools/include" -I "$tools/arch/$1/include" -I "$tools/arch/$1/include/uapi" -I "$tools/include/uapi" \
			-o "$SUITE/test-$name" "$tools/lib/perf/tests/test-$name.c" "$TMP/flags.c" "$TMP/build/libperf.a" "$TMP/build/libapi.a"
	done
}
