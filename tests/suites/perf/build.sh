# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# perf itself, as Debian packages it for the kernel 6.12: `perf test` has tests that open events.

# perf_packages DEBIAN_ARCH: "NAME:ARCH=VERSION" of perf and the libraries that it depends on.
perf_packages() {
	local version

	version=$(apt-cache madison "linux-perf:$1" | awk -F' *[|] *' '$2 ~ /^6\.12\./ { print $2 }' | sort -Vr | awk 'NR == 1')
	[ -n "$version" ] || die "no package linux-perf 6.12 for $1 on the mirror"
	apt-get -s install --no-install-recommends "linux-perf:$1=$version" |
		sed -nE 's/^Inst ([^ :]+)(:[^ ]+)? \(([^ ]+) .*\[([a-z0-9]+)\]\).*/\1:\4=\3/p' |
		grep -E "^(linux-perf|lib.*|zlib1g):$1="
}

build_suite() { # ARCH
	local arch names

	arch=$(debian_arch "$1")
	private_apt base
	names=$(perf_packages "$arch")
	note "setup: perf: $(xargs <<<"$names")"
	# shellcheck disable=SC2086 # a list of words
	fetch $names
	cp "$TMP/root/usr/bin/perf" "$SUITE/perf"
	# They are scripts for any shell.
	cp "$TMP/root/usr/lib/perf-core/tests/shell/"stat{,+shadow_stat,+csv_summary}.sh "$SUITE/"
}
