# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by every script here. Knows where things are (the repository, the cache, the build
# folder), which compiler a kernel wants, and how to talk to the user.

set -euo pipefail

PMUDEV_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PMUDEV_CACHE=${PMUDEV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pmudev}
PMUDEV_BUILD=${PMUDEV_BUILD:-$PMUDEV_ROOT/build}
export PMUDEV_ROOT PMUDEV_CACHE PMUDEV_BUILD

export STOCK_KERNELS="6.1-arm64 6.12-arm64 6.1-amd64 6.12-amd64 6.12-armhf"
# "newest" is the newest kernel that Debian packages the source of.
export BUILT_KERNELS="newest-plain-arm64 newest-debug-arm64 newest-kcsan-arm64 newest-plain-amd64 newest-debug-amd64 newest-kcsan-amd64
newest-locks-arm64 newest-locks-amd64 7.2-plain-arm64"

note() { printf '%s\n' "$*" >&2; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# among_words WORD LIST: whether the list, separated by blanks, has the word.
among_words() { [[ " ${2//$'\n'/ } " = *" $1 "* ]]; }

# suggest WORD LIST: "; did you mean 'X'?" with the word of the list that takes the fewest edits.
suggest() {
	# shellcheck disable=SC2086 # a list of words
	perl -e '
		sub distance {
			my ($from, $to) = @_;
			my @row = 0 .. length $to;
			for my $i (1 .. length $from) {
				my @last = @row;
				$row[0] = $i;
				for my $j (1 .. length $to) {
					my $cost = substr($from, $i - 1, 1) ne substr($to, $j - 1, 1);
					my ($least) = sort { $a <=> $b } $last[$j] + 1, $row[$j - 1] + 1, $last[$j - 1] + $cost;
					$row[$j] = $least;
				}
			}
			# The same parts in another order are one edit.
			return join("-", sort split /-/, $from) eq join("-", sort split /-/, $to) ? 1 : $row[-1];
		}
		my $word = shift;
		my ($near) = sort { distance($word, $a) <=> distance($word, $b) } @ARGV;
		printf "; did you mean \x27%s\x27?", $near if defined $near and distance($word, $near) <= length($word) / 2' \
		"$1" $2
}

# check_kernel NAME: an unknown one gets a suggestion.
check_kernel() {
	among_words "$1" "$STOCK_KERNELS $BUILT_KERNELS" ||
		die "no kernel '$1'$(suggest "$1" "$STOCK_KERNELS $BUILT_KERNELS")"
}

# kernel_dir NAME: where a kernel of the cache is; fails with advice if it is not there.
kernel_dir() {
	local dir=$PMUDEV_CACHE/kernels/$1

	# Of some there are only the headers, see scripts/compile.
	if [[ $1 = headers/* ]]; then
		printf '%s\n' "$PMUDEV_CACHE/$1"
		return
	fi
	check_kernel "$1"
	[ -e "$dir/VERSION" ] || die "kernel $1 is not in $PMUDEV_CACHE; get it with: scripts/setup $1"
	printf '%s\n' "$dir"
}

# kernel_is_watched NAME: whether checkers that make it slow look at all it does.
kernel_is_watched() { [[ $1 = *-debug-* || $1 = *-kcsan-* ]]; }

# cached_kernels: the names of all kernels that are there.
cached_kernels() {
	local k

	for k in $STOCK_KERNELS $BUILT_KERNELS; do
		if [ -e "$PMUDEV_CACHE/kernels/$k/VERSION" ]; then
			printf '%s\n' "$k"
		fi
	done
}

# emulator_hash: changes with whatever scripts/build-emulator puts into QEMU, and with how it builds that.
emulator_hash() {
	cat "$PMUDEV_ROOT"/tests/emulator/*.patch "$PMUDEV_ROOT"/tests/emulator/*.mak "$PMUDEV_ROOT/scripts/build-emulator" |
		sha256sum | cut -c1-12
}

# kernel_fragments NAME: what scripts/build-kernel makes the configuration of.
kernel_fragments() {
	local flavour=${1#*-} dir=$PMUDEV_ROOT/tests/vm/config

	flavour=${flavour%-*}
	printf '%s\n' "$dir/base.config" "$dir/$(kernel_arch "$1").config"
	if [ -e "$dir/$flavour.config" ]; then
		printf '%s\n' "$dir/$flavour.config"
	fi
}

# kernel_fragments_hash NAME: an edit of them makes another kernel.
kernel_fragments_hash() { kernel_fragments "$1" | xargs cat | sha256sum | cut -c1-12; }

# emulator_dir: where the patched QEMU of this checkout is; fails with advice if it is not there.
emulator_dir() {
	local dir

	# Several versions of the source: the newest.
	dir=$(printf '%s\n' "$PMUDEV_CACHE"/emulator-*-"$(emulator_hash)"/VERSION | sort -V | tail -n 1)
	[ -e "$dir" ] || die "no patched QEMU in $PMUDEV_CACHE; get it with: scripts/setup emulator"
	printf '%s\n' "${dir%/VERSION}"
}

# kernel_arch NAME: 6.1-arm64 -> arm64, 6.1-amd64 -> x86; the kernel's name of the architecture, and ours.
kernel_arch() {
	case $1 in
	*-arm64) printf 'arm64\n' ;;
	*-armhf) printf 'arm\n' ;;
	*-amd64) printf 'x86\n' ;;
	*) die "no architecture in the kernel's name '$1'" ;;
	esac
}

# debian_arch ARCH: Debian's name of it.
debian_arch() {
	case $1 in
	x86) printf 'amd64\n' ;;
	arm) printf 'armhf\n' ;;
	*) printf '%s\n' "$1" ;;
	esac
}

# cross_prefix ARCH: the prefix of the tools that build for ARCH. Debian has the native ones under
# such a name too.
cross_prefix() {
	case $1 in
	arm64) printf 'aarch64-linux-gnu-\n' ;;
	arm) printf 'arm-linux-gnueabihf-\n' ;;
	x86) printf 'x86_64-linux-gnu-\n' ;;
	*) die "no tool chain known for '$1'" ;;
	esac
}

# cross_cc ARCH: a compiler for ARCH. gcc 12 is what the kernels of the matrix are built with.
cross_cc() {
	local prefix

	prefix=$(cross_prefix "$1")
	if have "${prefix}gcc-12"; then
		printf '%s\n' "${prefix}gcc-12"
	else
		printf '%s\n' "${prefix}gcc"
	fi
}

# Another checkout of the same sources finds what this one has compiled. What is not found is compiled
# without preprocessing it first: that took a third of the time.
export CCACHE_BASEDIR=$PMUDEV_ROOT CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1

# with_ccache CC...: the same compiler behind ccache, if that is installed.
with_ccache() {
	if have ccache; then
		printf 'ccache %s\n' "$*"
	else
		printf '%s\n' "$*"
	fi
}

jobs_count() { nproc 2>/dev/null || echo 2; }

# parallel: for make: as many jobs as there are CPUs, unless another make hands them out.
parallel() { [[ ${MAKEFLAGS:-} = *jobserver* ]] || printf -- '-j%s\n' "$(jobs_count)"; }

# put_share ROOT: what the command looks for in share/, beside bin/.
put_share() {
	mkdir -p "$1/share"
	cp -r "$PMUDEV_ROOT/share/pmudev" "$1/share/"
}
