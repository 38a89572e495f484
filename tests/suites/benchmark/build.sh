# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# google/benchmark's tests of its perf counters, with libpfm4.

build_suite() { # ARCH
	local pfm cxx

	need_cxx
	"$PMUDEV_ROOT/scripts/setup" --one libpfm4
	pfm=$PMUDEV_CACHE/libpfm4/$(debian_arch "$1")
	private_apt base
	fetch googletest
	debian_source benchmark
	cxx="$(cross_cxx "$1") -O2 -std=c++17 -DHAVE_LIBPFM -DHAVE_STD_REGEX -DHAVE_STEADY_CLOCK
		-DBENCHMARK_STATIC_DEFINE -DBENCHMARK_VERSION=\"debian\" -I $TMP/benchmark/include -I $pfm/..  -I $pfm -pthread"
	compile_benchmark "$cxx" "$pfm"
}

# compile_benchmark CXX PFM
compile_benchmark() {
	local gtest=$TMP/root/usr/src/googletest file objects=()

	for file in "$TMP"/benchmark/src/*.cc; do
		[[ $file != */benchmark_main.cc ]] || continue
		objects+=("$TMP/$(basename "$file" .cc).o")
		# shellcheck disable=SC2086 # a list of words
		logged $1 -c -o "${objects[-1]}" "$file"
	done
	# shellcheck disable=SC2086
	logged $1 -I "$gtest/googletest/include" -I "$gtest/googletest" -I "$gtest/googlemock/include" -I "$gtest/googlemock" \
		-o "$SUITE/perf_counters_gtest" "$TMP/benchmark/test/perf_counters_gtest.cc" "$gtest/googletest/src/gtest-all.cc" \
		"$gtest/googlemock/src/gmock-all.cc" "$gtest/googlemock/src/gmock_main.cc" "${objects[@]}" "$2/libpfm.a"
	# shellcheck disable=SC2086
	logged $1 -UNDEBUG -o "$SUITE/perf_counters_test" "$TMP/benchmark/test/perf_counters_test.cc" "$TMP/benchmark/test/output_test_helper.cc" \
		"${objects[@]}" "$2/libpfm.a"
}
