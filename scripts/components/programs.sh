# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/setup: programs of the emulated machines and of tests, and the emulator.

setup_busybox() { # ARCH
	[ ! -x "$PMUDEV_CACHE/busybox-$1/busybox" ] || return 0
	private_apt "$(profile_of "$1")"
	fresh_tmp
	fetch "busybox-static:$1"
	mkdir "$TMP/out"
	if [ -e "$TMP/root/bin/busybox" ]; then
		mv "$TMP/root/bin/busybox" "$TMP/out/busybox"
	else
		mv "$TMP/root/usr/bin/busybox" "$TMP/out/busybox"
	fi
	publish "busybox-$1"
}

# Python and pytest for the machines of tests/bindings: compiled, because an emulated machine takes long for that, and
# without what needs further libraries (its hashes have code of their own).
PYTHON_PACKAGES="python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 zlib1g libffi8"
PYTHON_MODULES="python3-pytest python3-pluggy python3-iniconfig python3-packaging python3-attr
python3-pytest-benchmark python3-cpuinfo python3-py"
PYTHON_UNUSED="idlelib lib2to3 ensurepip pydoc_data tkinter turtledemo sqlite3 distutils wsgiref dbm test"

setup_python() { # ARCH
	local stdlib file

	[ ! -x "$PMUDEV_CACHE/python-$1/usr/bin/python3" ] || return 0
	setup_tools
	private_apt "$(profile_of "$1")"
	fresh_tmp
	# shellcheck disable=SC2086,SC2046 # lists of words
	fetch $(printf "%s:$1 " $PYTHON_PACKAGES) $PYTHON_MODULES
	stdlib=$TMP/out/usr/lib/python3.11
	mkdir -p "$TMP/out/usr/bin" "$TMP/out/usr/lib/python3" "$TMP/out/lib"
	mv "$TMP/root/usr/bin/python3.11" "$TMP/out/usr/bin/python3"
	mv "$TMP/root/usr/lib/python3.11" "$TMP/out/usr/lib/"
	mv "$TMP/root/usr/lib/python3/dist-packages" "$TMP/out/usr/lib/python3/"
	find "$TMP/root" -name '*.so.?' -exec cp -L {} "$TMP/out/lib/" \;
	for file in $PYTHON_UNUSED; do
		rm -rf "${stdlib:?}/$file"
	done
	for file in "$stdlib"/lib-dynload/*; do
		readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | while read -r library; do
			[ -e "$TMP/out/lib/$library" ] || [[ $library =~ ^(libc|libm|ld-linux.*)\.so ]] || rm -f "$file"
		done
	done
	if [ "$(python3 -c 'import sys; print(sys.version_info[:2])')" = '(3, 11)' ]; then
		python3 -m compileall -q -b "$TMP/out/usr/lib"
		find "$TMP/out/usr/lib" -name '*.py' -delete
	fi
	# make sees by it that there is another one.
	touch "$TMP/out/usr/bin/python3"
	publish "python-$1"
}

# Debian's cargo and Rust, which compile for the machines of rust_test on both architectures; bin/cargo is how it is
# called. Nothing is installed, and libraries of the system are the system's.
setup_rust() {
	local host names name dir

	[ ! -x "$PMUDEV_CACHE/rust/bin/cargo" ] || return 0
	setup_tools
	private_apt base
	fresh_tmp
	host=$(dpkg --print-architecture)
	names=$(apt-get -s install --no-install-recommends cargo rustc libstd-rust-dev:amd64 libstd-rust-dev:arm64 |
		sed -nE 's/^Inst ([^ :]+)(:[^ ]+)? \(([^ ]+) .*\[([a-z0-9]+)\]\).*/\1:\4=\3/p' |
		grep -E "^(cargo|rustc|lib.*|zlib1g):$host=|^libstd-rust[^:]*:" | grep -vE '^(libc6|libgcc-s1|libcrypt1)[:-]')
	[ -n "$names" ] || die "no packages cargo, rustc, libstd-rust-dev on the mirror"
	note "setup: Rust: $(xargs <<<"$names")"
	# shellcheck disable=SC2086 # a list of words
	fetch $names
	dir=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	if [ -d "$TMP/root/${dir#usr/}" ]; then
		cp -a "$TMP/root/${dir#usr/}/." "$TMP/root/$dir/"
	fi
	mkdir -p "$TMP/out/usr/bin" "$TMP/out/usr/lib" "$TMP/out/bin"
	mv "$TMP"/root/usr/bin/{cargo,rustc} "$TMP/out/usr/bin/"
	mv "$TMP/root/usr/lib/rustlib" "$TMP/out/usr/lib/"
	# The standard library of both, and what the two programs are linked with.
	(cd "$TMP/root" && find usr/lib -name 'libstd-*.so' -exec cp --parents {} "$TMP/out" \;)
	for name in $(LD_LIBRARY_PATH="$TMP/root/$dir" ldd "$TMP"/out/usr/bin/* | grep -oE "$TMP/root/[^ ]+" | sort -u); do
		cp -L "$name" "$TMP/out/$dir/"
	done
	for name in cargo rustc; do
		cat >"$TMP/out/bin/$name" <<-EOF
		#!/bin/sh
		# $name of Debian's packages
		here=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")
		export LD_LIBRARY_PATH="\$here/$dir\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" RUSTC="\$here/bin/rustc"
		exec "\$here/usr/bin/$name" "\$@"
		EOF
		chmod 755 "$TMP/out/bin/$name"
	done
	publish rust
}

# The package would also start a server. Tests start one of their own.
setup_promtool() {
	[ ! -e "$PMUDEV_CACHE/promtool/prometheus" ] || return 0
	private_apt base
	fresh_tmp
	fetch prometheus
	mkdir -p "$TMP/out"
	mv "$TMP/root/usr/bin/promtool" "$TMP/root/usr/bin/prometheus" "$TMP/out/"
	publish promtool
}

# A few files of the kernel's source: its test harness and its style checker.
HARNESS="tools/testing/selftests/kselftest.h tools/testing/selftests/kselftest_harness.h
scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch"

setup_kselftest() {
	local f

	[ ! -e "$PMUDEV_CACHE/kselftest/kselftest_harness.h" ] || return 0
	# shellcheck disable=SC2086 # a list of words
	of_newest_source "test harness and style checker" $HARNESS
	for f in $HARNESS; do
		mv "$TMP/root/$NEWEST_SOURCE/$f" "$TMP/out/"
	done
	publish kselftest
}

EMULATOR_TOOLS="gcc make libc6-dev ninja-build python3 python3-venv python3-setuptools python3-wheel pkg-config
libglib2.0-dev libfdt-dev zlib1g-dev dpkg-dev git ccache xz-utils"

# What scripts/build-emulator builds from: QEMU's source package, a meson that is new enough for it
# (Debian 12's is not), and the PC's BIOS.
setup_source_qemu() {
	local version

	# shellcheck disable=SC2086 # a list of words
	install_packages $EMULATOR_TOOLS
	[ ! -e "$PMUDEV_CACHE/source/qemu/VERSION" ] || return 0
	private_apt base
	fresh_tmp
	# Backports are taken only when asked for by name.
	fetch meson/bookworm-backports seabios
	mkdir "$TMP/out"
	cp -r "$TMP/root/usr/lib/python3/dist-packages" "$TMP/out/meson"
	cp "$TMP/root/usr/share/seabios/bios-256k.bin" "$TMP/out/"

	private_apt trixie
	version=$(apt-cache showsrc --only-source qemu | sed -nE 's/^Version: (1:10\.0\..*)/\1/p' | sort -Vr | awk 'NR == 1')
	[ -n "$version" ] || die "no source package of QEMU 10.0 in trixie on the mirror"
	note "setup: source of QEMU $version"
	(cd "$TMP/out" && apt-get -qq source --download-only --only-source "qemu=$version") ||
		die "could not download the source of qemu $version"
	tr -d : <<<"${version#*:}" >"$TMP/out/VERSION"
	publish source/qemu
}

setup_emulator() {
	# It fetches what it builds from.
	"$PMUDEV_ROOT/scripts/build-emulator"
}
