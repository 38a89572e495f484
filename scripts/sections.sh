# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by scripts/check-all: the sections of `make check-all`. Each runs alone, gets what it needs, and
# prints one sum or several. section_NAME runs it, section_about tells what it is, section_covers which sources
# it depends on.

# shellcheck disable=SC2317 # the sections are called by name

export SECTIONS="check slow matrix-arm64 matrix-amd64 x86-6.1-smp1 x86-6.1-smp4 x86-6.12-smp1 x86-6.12-smp4 newest compile packaging emulator debug-arm64 debug-amd64 debug-amd
kcsan-arm64 kcsan-amd64 kcsan-amd fuzz kexec bench locks suites papi bugs"

# x86_kernel NAME: 6.1 of x86-6.1-smp4
x86_kernel() {
	local kernel=${1#x86-}

	printf '%s' "${kernel%-smp*}"
}

section_about() {
	case $1 in
	check) echo "what \`make check\` runs" ;;
	slow) echo "the programs that take long, on the machines of the sections matrix-* and of \`make check\`" ;;
	matrix-arm64) echo "every other program on every arm64 machine, kernels 6.1 and 6.12" ;;
	matrix-amd64) echo "the same on every pair of Intel's properties, and on AMD's machines" ;;
	x86-*) echo "every program on the combinations of Intel's properties that matrix-amd64 leaves out, kernel $(x86_kernel "$1"), CPUs: ${1##*smp}" ;;
	newest) echo "the newest kernel that Debian packages, and 7.2, built from source" ;;
	compile) echo "kernels of which Debian has headers: other series, PREEMPT_RT" ;;
	packaging) echo "the Debian packages, DKMS, installation, RPM and Arch packages, in clean roots" ;;
	emulator) echo "the patched QEMU's own tests" ;;
	debug-amd) echo "KASAN, lockdep, kmemleak, UBSAN on AMD's machines" ;;
	debug-*) echo "KASAN, lockdep, kmemleak, UBSAN on ${1#*-}, and whether they see a bug" ;;
	kcsan-amd) echo "data races on AMD's machines" ;;
	kcsan-*) echo "data races on ${1#*-}, and whether KCSAN sees one" ;;
	fuzz) echo "the fuzzer, 10 minutes for each architecture, and libFuzzer on src/pure" ;;
	kexec) echo "another kernel is executed while pmudev counts, and finds the PMU untouched" ;;
	bench) echo "\`make bench\`: costs next to perf's, held to bars" ;;
	locks) echo "the module's locks: how often they are taken, how long they are held, who waits" ;;
	suites) echo "other projects' test programs that use perf, with perf and with \`pmudev exec\`" ;;
	papi) echo "PAPI's own test programs, with perf, with \`pmudev exec\`, and with the component of integrations/papi" ;;
	bugs) echo "deliberate bugs, which \`make quick\` and \`make check\` must see (tests/bugs)" ;;
	esac
}

# section_covers NAME: paths as git takes them: folders, for a pattern of the shell has no file that is gone. `scripts/setup` is
# not among them: what is in the cache stays.
section_covers() {
	local module="src include uapi Kbuild scripts/build-module scripts/lib.sh scripts/sections.sh"
	local machine="tests/vm tests/emulator scripts/build-emulator"
	local command="tools/lib tools/pmudev tools/perf tests/perf tests/root.mk share"
	# What tests/vm/build.sh puts into machines. The programs run what the pages show.
	local programs="$command tests/selftests tests/modules tests/python tests/rust bindings examples README.md docs tools/tests/names.h"

	# shellcheck disable=SC2086 # lists of words
	case $1 in
	check) echo . ;;
	bugs) printf '%s\n' . ':!docs' ':!CHANGELOG.md' ;;
	slow | matrix-* | x86-*) printf '%s\n' $module $machine $programs ;;
	newest) printf '%s\n' $module $machine $programs scripts/build-kernel scripts/check scripts/checkers ;;
	compile) printf '%s\n' $module scripts/compile ;;
	packaging) printf '%s\n' $module $machine debian packaging dkms.conf Makefile COPYING README.md docs tools man share examples bindings \
		tests/packaging scripts/build-deb scripts/build-archive scripts/sources.sh ;;
	emulator) printf '%s\n' tests/emulator scripts/build-emulator tests/vm/config scripts/build-kernel scripts/lib.sh scripts/sections.sh ;;
	debug-* | kcsan-*) printf '%s\n' $module $machine $programs tests/checker scripts/build-kernel ;;
	fuzz) printf '%s\n' $module $machine tests/selftests tests/modules tests/coverage tests/unit tools/lib scripts/build-kernel ;;
	kexec) printf '%s\n' $module $machine $command tests/kexec ;;
	bench) printf '%s\n' $module $machine tests/bench tests/selftests tests/modules tools/lib share/pmudev/latencies.txt ;;
	locks) printf '%s\n' $module $machine tests/bench tests/selftests tests/modules tools/lib scripts/build-kernel ;;
	papi) printf '%s\n' $module $machine $command tests/suites integrations ;;
	suites) printf '%s\n' $module $machine $command tests/suites ;;
	esac
}

NEWEST=newest-plain-arm64,newest-plain-amd64,7.2-plain-arm64
WATCHED="--strict --each-once --kernel"

# section_runs NAME: the options of tests/vm/run with which it runs the test programs, a run a line; nothing if it has other means.
# tests/selftests/coverage reads it, too.
section_runs() {
	case $1 in
	slow) echo "--level slow" ;;
	matrix-arm64) echo "--level matrix --kernel 6.1-arm64,6.12-arm64,6.12-armhf" ;;
	matrix-amd64) echo "--level matrix --kernel 6.1-amd64,6.12-amd64" ;;
	x86-*) echo "--all --without-matrix --kernel $(x86_kernel "$1")-amd64 --smp ${1##*smp}" ;;
	newest) echo "--kernel $NEWEST" ;;
	debug-amd | kcsan-amd) echo "$WATCHED newest-${1%-*}-amd64 --machine amd-v2-g6,amd-g4,skid-amd --smp 4" ;;
	debug-*) echo "$WATCHED newest-$1" ;;
	# It takes two CPUs for a race.
	kcsan-*) echo "$WATCHED newest-$1 --smp 4" ;;
	esac
}

# run_machines NAME: the runs of section_runs.
run_machines() {
	local runs options

	runs=$(section_runs "$1")
	[ -n "$runs" ] || die "section $1 has no runs"
	while read -r options; do
		# shellcheck disable=SC2086 # a list of words
		tests/vm/run $options </dev/null
	done <<<"$runs"
}

section_check() { scripts/check-all check; }

section_slow() {
	scripts/setup
	run_machines slow
}

# matrix NAME
matrix() {
	scripts/setup
	scripts/setup rust
	run_machines "$1"
}

section_matrix_arm64() { matrix matrix-arm64; }
section_matrix_amd64() { matrix matrix-amd64; }

# x86_rest NAME: what the matrix leaves out.
x86_rest() {
	scripts/setup tools kselftest libraries python-amd64 rust "$(x86_kernel "$1")-amd64" busybox-amd64 emulator
	run_machines "$1"
}

section_x86_6.1_smp1() { x86_rest x86-6.1-smp1; }
section_x86_6.1_smp4() { x86_rest x86-6.1-smp4; }
section_x86_6.12_smp1() { x86_rest x86-6.12-smp1; }
section_x86_6.12_smp4() { x86_rest x86-6.12-smp4; }

# versions KERNEL...: which those are that are built from source: the newest when it was fetched.
versions() {
	local kernel

	for kernel; do
		printf '%s is Linux %s\n' "$kernel" "$(cat "$PMUDEV_CACHE/kernels/$kernel/VERSION")"
	done
}

section_newest() {
	# shellcheck disable=SC2086 # a list of words
	scripts/setup tools kselftest libraries python-arm64 python-amd64 rust busybox-arm64 busybox-amd64 emulator ${NEWEST//,/ }
	# shellcheck disable=SC2086 # a list of words
	scripts/check modules ${NEWEST//,/ }
	versions ${NEWEST//,/ }
	run_machines newest
}

section_compile() { scripts/compile; }

section_packaging() {
	scripts/setup tools 6.1-amd64 6.12-amd64 busybox-amd64 emulator packaging
	tests/packaging/run
}

section_kexec() {
	scripts/setup tools libraries 6.12-amd64 busybox-amd64 emulator
	tests/kexec/run
}

section_emulator() {
	scripts/setup tools "6.1-arm64" "6.12-arm64" "6.1-amd64" "6.12-amd64" busybox-arm64 busybox-amd64 emulator \
		newest-plain-arm64 newest-plain-amd64
	tests/emulator/test
}

# watched FLAVOUR ARCH: whether that kernel sees bugs, and the programs on it.
watched() {
	scripts/setup tools kselftest libraries "python-$2" rust "busybox-$2" emulator "newest-$1-$2"
	tests/checker/run "newest-$1-$2"
	run_machines "$1-$2"
}

section_debug_arm64() { watched debug arm64; }
section_debug_amd64() { watched debug amd64; }
section_kcsan_arm64() { watched kcsan arm64; }
section_kcsan_amd64() { watched kcsan amd64; }

# watched_amd FLAVOUR: the same kernel on AMD's machines. All x86 machines take longer than a section may.
watched_amd() {
	scripts/setup tools busybox-amd64 libraries kselftest emulator "newest-$1-amd64"
	run_machines "$1-amd"
}

section_debug_amd() { watched_amd debug; }
section_kcsan_amd() { watched_amd kcsan; }

section_fuzz() {
	tests/vm/fuzz --minutes 10 --arch arm64
	tests/vm/fuzz --minutes 10 --arch x86
	make -s fuzz-pure FUZZ_SECONDS=60
}

section_bench() {
	scripts/setup tools kselftest libraries libperf 6.12-arm64 6.12-amd64 busybox-arm64 busybox-amd64 emulator
	tests/bench/run
	echo "1 passed, 0 failed, 0 skipped"
}

section_locks() {
	scripts/setup tools kselftest libraries busybox-arm64 busybox-amd64 emulator newest-locks-arm64 newest-locks-amd64
	tests/bench/run newest-locks-arm64 newest-locks-amd64
	echo "1 passed, 0 failed, 0 skipped"
}

section_suites() { tests/suites/run --without papi; }
section_papi() { tests/suites/run --smp 1 papi; }

section_bugs() {
	scripts/setup
	tests/bugs/run
}
