# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by scripts/setup: makes the suites of tests/suites/NAME from Debian's packages. NAME/build.sh has
# the function build_suite ARCH (arm64 or x86). It works in the folder $TMP, may use what is here and
# `fetch`, `private_apt` and `install_packages` of scripts/components/apt.sh, and puts programs and data into $SUITE,
# which is /suite in the machine. The libraries that they need are added after it.

# suites: the names of all.
suites() {
	local dir

	for dir in "$PMUDEV_ROOT"/tests/suites/*/build.sh; do
		basename "$(dirname "$dir")"
	done
}

# suite_components: as scripts/setup names them.
suite_components() {
	local name

	for name in $(suites); do
		printf 'suite-%s-arm64 suite-%s-amd64\n' "$name" "$name"
	done
}

# suite_hash NAME: changes with how it is made.
suite_hash() { cat "$PMUDEV_ROOT/tests/suites/build.sh" "$PMUDEV_ROOT/tests/suites/$1/build.sh" | sha256sum | cut -c1-12; }

# suite_dir NAME ARCH: in the cache.
suite_dir() { printf '%s/suites/%s-%s\n' "$PMUDEV_CACHE" "$1" "$(debian_arch "$2")"; }

# suite_ready NAME ARCH: whether it is there, as it is made today.
suite_ready() { [ "$(cat "$(suite_dir "$@")/HASH" 2>/dev/null)" = "$(suite_hash "$1")" ]; }

# cross_cxx ARCH: the C++ compiler that goes with cross_cc.
cross_cxx() {
	local cc

	cc=$(cross_cc "$1")
	printf '%s\n' "${cc/%gcc-12/g++-12}" | sed 's/gcc$/g++/'
}

# need_cxx: C++ compilers of both architectures.
need_cxx() {
	case $(dpkg --print-architecture) in
	arm64) install_packages g++ g++-x86-64-linux-gnu ;;
	amd64) install_packages g++ g++-aarch64-linux-gnu ;;
	*) install_packages g++-aarch64-linux-gnu g++-x86-64-linux-gnu ;;
	esac
}

# kernel_source PATH...: these of the kernel's source, in the folder $TMP/linux.
kernel_source() {
	local source

	private_apt base
	source=$(newest '^linux-source-6\.[0-9]+$' | awk 'NR == 1')
	[ -n "$source" ] || die "no linux-source package"
	note "setup: $SUITE_NAME from $source"
	fetch "$source"
	mkdir "$TMP/linux"
	tar -C "$TMP/linux" --strip-components=1 -xf "$TMP/root/usr/src/$source.tar.xz" "${@/#/$source/}" ||
		die "$source lacks one of: $*"
}

# logged COMMAND...: quiet; what it said is shown if it fails.
logged() {
	"$@" >"$TMP/log" 2>&1 || {
		tail -n 40 "$TMP/log" >&2
		die "$SUITE_NAME: failed: $*"
	}
}

# needed FILE...: the shared libraries that they name.
needed() { readelf -d "$@" 2>/dev/null | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort -u; }

# find_library NAME ARCH: among what was fetched, or the compiler's.
find_library() {
	local path

	path=$(find "$TMP/root" -name "$1" 2>/dev/null | awk 'NR == 1')
	if [ -z "$path" ]; then
		path=$("$(cross_cc "$2")" -print-file-name="$1")
	fi
	[ -e "$path" ] || die "$SUITE_NAME needs $1, which is nowhere"
	readlink -f "$path"
}

# add_libraries ARCH: those that the suite's files need, and those that these need. The C library is
# tests/perf's.
add_libraries() {
	local name added=1 files

	mkdir -p "$TMP/out/root/lib"
	while [ -n "$added" ]; do
		added=''
		mapfile -t files < <(find "$TMP/out/root" -type f)
		for name in $(needed "${files[@]}"); do
			if [[ $name = ld-linux* || $name = libc.so.6 ]] || [ -e "$TMP/out/root/lib/$name" ]; then
				continue
			fi
			cp "$(find_library "$name" "$1")" "$TMP/out/root/lib/$name"
			added=1
		done
	done
}

# strip_programs ARCH: they have to fit into the memory of a machine twice.
strip_programs() {
	local file

	find "$TMP/out/root" -type f -size +64k | while read -r file; do
		"$(cross_prefix "$1")strip" --strip-debug "$file" 2>/dev/null || true
	done
}

setup_suite() { # NAME-DEBIAN_ARCH
	local arch

	SUITE_NAME=${1%-*}
	arch=$(kernel_arch "$1")
	! suite_ready "$SUITE_NAME" "$arch" || return 0
	setup_tools
	lock
	fresh_tmp
	SUITE=$TMP/out/root/suite
	mkdir -p "$SUITE"
	# shellcheck source=/dev/null
	. "$PMUDEV_ROOT/tests/suites/$SUITE_NAME/build.sh"
	build_suite "$arch"
	add_libraries "$arch"
	strip_programs "$arch"
	suite_hash "$SUITE_NAME" >"$TMP/out/HASH"
	publish "suites/$1"
}
