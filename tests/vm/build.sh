# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by tests/vm/run and tests/vm/shell: builds what a machine is given, and lays it out.

# What a subshell sets is for what it calls.
# shellcheck disable=SC2153

# programs ARCH: the folder of the test programs.
programs() { printf '%s/tests-%s\n' "$PMUDEV_BUILD" "$1"; }

# make_programs ARCH TARGETS: one build at a time in a folder, for several runs may share a checkout.
make_programs() {
	local dir

	dir=$(programs "$1")
	mkdir -p "$dir"
	# shellcheck disable=SC2046 # an option or none
	flock "$dir.lock" make -s -C "$PMUDEV_ROOT/tests/selftests" OUTPUT="$dir" \
		CROSS_COMPILE="$(cross_prefix "$1")" CC="$(with_ccache "$(cross_cc "$1")")" $(parallel) "${@:2}"
}

# Without -g: what machines get is stripped.
STRIPPED=CFLAGS=-O2

# make_command ARCH: the pmudev command, without shared libraries.
make_command() {
	local dir

	dir=$(programs "$1")
	# shellcheck disable=SC2046 # an option or none
	flock "$dir.lock" make -s -C "$PMUDEV_ROOT/tools/pmudev" OUTPUT="$dir/tools" \
		CROSS_COMPILE="$(cross_prefix "$1")" CC="$(with_ccache "$(cross_cc "$1")")" "$STRIPPED" LDFLAGS=-static $(parallel)
}

# make_root ARCH NAME: what tests/NAME lays over a machine's root: programs with the shared libraries they need.
make_root() {
	local dir

	dir=$(programs "$1")
	# shellcheck disable=SC2046 # an option or none
	flock "$dir.lock" make -s -C "$PMUDEV_ROOT/tests/$2" OUTPUT="$dir/$2" \
		CROSS_COMPILE="$(cross_prefix "$1")" CC="$(with_ccache "$(cross_cc "$1")")" "$STRIPPED" $(parallel)
}

# make_perf ARCH: programs that use perf; of 32-bit arm there are none.
make_perf() { [ "$1" = arm ] || make_root "$1" perf; }

# make_python ARCH: Python, its package pmudev and their tests, for machines that run python_test. Without Python not
# an older one, either.
make_python() {
	if [ -e "$PMUDEV_CACHE/python-$(debian_arch "$1")/usr/bin/python3" ]; then
		make_root "$1" python
	else
		rm -rf "$(programs "$1")/python"
	fi
}

# multicall: the name of the program that has all tests, or those of `make quick`.
multicall() { printf 'selftests%s\n' "$([ "$LEVEL" != quick ] || echo -quick)"; }

# names_for ARCH: for the Makefile: the tests that it is to have; without a word all.
names_for() {
	if [ "$LEVEL" = quick ]; then
		printf 'MULTICALL_NAMES=%s\n' "$(programs_tagged quick | xargs)"
	elif [ "$1" = arm ]; then
		printf 'MULTICALL_NAMES=%s\n' "$(programs_naming a32 | xargs)"
	fi
}

# build_programs ARCH: all of them, or with --test only those.
build_programs() {
	local test dir names targets=()

	dir=$(programs "$1")
	for test in $TESTS; do
		test=${test%.sh}
		if [ -e "$SOURCES/$test.c" ]; then
			targets+=("$dir/$test")
		fi
	done
	if [ -e "$SOURCES/Makefile" ] && { [ -z "$TESTS" ] || [ ${#targets[@]} -gt 0 ]; }; then
		names=$(names_for "$1")
		make_programs "$1" MULTICALL="$(multicall)" ${names:+"$names"} "${targets[@]:-machine}" || die "a test program does not compile for $1"
	fi
	make_command "$1" || die "the command does not compile for $1"
	make_perf "$1" || die "the library for programs that use perf does not compile for $1"
	if [ "$LEVEL" != quick ] && among_words python_test "$PROGRAM_LIST"; then
		make_python "$1" || die "what the tests of the Python package need does not compile for $1"
	fi
	if [ "$LEVEL" != quick ] && among_words rust_test "$PROGRAM_LIST"; then
		make_root "$1" rust || die "the test program of the Rust crate does not compile for $1"
	fi
}

build_modules() {
	local kernel

	for kernel in $KERNELS; do
		kernel_dir "$kernel" >/dev/null
		{
			"$PMUDEV_ROOT/scripts/build-module" "$kernel" ${VARIANT:+"--$VARIANT"} &&
				"$PMUDEV_ROOT/scripts/build-module" "$kernel" --tests
		} >"$RESULTS/build-$kernel" 2>&1 || {
			cat "$RESULTS/build-$kernel" >&2
			die "the module, or one of tests/modules, does not compile for $kernel"
		}
	done
}

# put_program ARCH FROM TO: without symbols, for all of them have to fit into the memory of a machine twice.
put_program() { "$(cross_prefix "$1")strip" -o "$3" "$2"; }

NAMES32=$(sed -n 's/^NAMES32 := //p' "$PMUDEV_ROOT/tests/selftests/Makefile")

# is_32bit PROGRAM: its tests are a 32-bit program.
is_32bit() { among_words "$1" "$NAMES32"; }

# put_test ARCH PROGRAM DIR: a link to the program that has all tests; where those of --test were built
# alone (ALONE), a program of its own.
put_test() {
	local from name=${2%.sh}

	from=$(programs "$1")
	if [ -x "$SOURCES/$name.sh" ]; then
		cp "$SOURCES/$name.sh" "$3/$2"
	elif [ -n "$ALONE" ] || is_32bit "$name"; then
		put_program "$1" "$from/$name" "$3/$name"
	else
		[ -e "$3/selftests" ] || put_program "$1" "$from/$(multicall)" "$3/selftests"
		ln "$3/selftests" "$3/$name"
	fi
}

# stage CONFIG KERNEL MACHINE SMP: the folder that is laid over the initramfs.
stage() {
	local dir=$RESULTS/root-$1 programs program limit arch name

	arch=$(kernel_arch "$2")
	programs=$(programs "$arch")
	mkdir -p "$dir/tests" "$dir/modules" "$dir/bin"
	cp "$PMUDEV_BUILD/$2/${VARIANT:-module}/pmudev.ko" "$dir/pmudev.ko"
	# The kernel's own first: those of tests/modules may be newer.
	cp "$(kernel_dir "$2")"/modules/*.ko "$PMUDEV_BUILD/$2/test-modules"/*.ko "$dir/modules/" 2>/dev/null || true
	while read -r program limit; do
		put_test "$arch" "$program" "$dir/tests"
		printf '%s %s\n' "$program" "$limit"
	done < <(programs_of "$2" "$3" "$4") >"$dir/tests/list"
	put_program "$arch" "$programs/tools/pmudev" "$dir/bin/pmudev"
	put_share "$dir"
	if [ -d "$PMUDEV_CACHE/ncurses/terminfo" ]; then
		mkdir -p "$dir/usr/share"
		cp -r "$PMUDEV_CACHE/ncurses/terminfo" "$dir/usr/share"
	fi
	if [ -d "$programs/perf/root" ]; then
		cp -r "$programs/perf/root/." "$dir"
	fi
	# Only where they are needed: they are as large as all else.
	for name in python rust; do
		if [ -d "$programs/$name/root" ] && grep -q "^${name}_test" "$dir/tests/list"; then
			cp -r "$programs/$name/root/." "$dir"
		fi
	done
	if [ -d "$programs/examples" ]; then
		mkdir "$dir/tests/examples"
		cp "$programs"/examples/* "$dir/tests/examples/"
	fi
	printf '%s\n' "$dir"
}
