#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make install` into an empty folder, a program built with nothing but what pkg-config says, and
# `make uninstall`, which leaves nothing.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

ROOT=$TMP/root
EXAMPLE=$TOP/examples/self_monitor.c

make_tools() { # TARGET VARIABLE=...
	make -s -C "$TOP/tools" OUTPUT="$MADE" DESTDIR="$ROOT" "$@"
}

pkg() {
	PKG_CONFIG_LIBDIR=$ROOT$LIBDIR/pkgconfig PKG_CONFIG_SYSROOT_DIR=$ROOT pkg-config "$@"
}

# build NAME FLAGS...: the README's program, by what pkg-config prints.
build() {
	program=$TMP/$1
	shift
	# shellcheck disable=SC2046,SC2086 # lists of words
	$CC -Wall -Wextra -Werror -o "$program" "$EXAMPLE" $(pkg --cflags --libs libpmudev) "$@"
}

# Whether it ran as far as the missing device and says so.
runs() {
	if [ -e /dev/pmudev ]; then
		"$@"
		return
	fi
	! "$@" >"$TMP/said" 2>&1 && cat "$TMP/said" && grep -q 'there is no /dev/pmudev: load the module' "$TMP/said"
}

files() { (cd "$ROOT" && find . ! -type d | sed 's|^\.||' | sort); }

installed_in() { # BINDIR LIBDIR INCLUDEDIR MANDIR COMPLETIONSDIR: what is nowhere else
	files | grep -v -e "^$1/pmudev\$" -e "^${1%/*}/lib/pmudev/\(libpmudev-perf\.so\|pmudev-exporter\)\$" -e "^${1%/*}/share/pmudev/grafana/pmudev\.json\$" -e "^${1%/*}/share/pmudev/groups/[a-z0-9]*/[a-z0-9]*\.txt\$" -e "^${1%/*}/share/pmudev/latencies\.txt\$" \
		-e "^$2/libpmudev\.\(a\|so\|so\.0\|so\.0\.1\.0\)\$" \
		-e "^$2/pkgconfig/libpmudev\.pc\$" -e "^$3/pmudev/pmudev[a-z_]*\.h\$" \
		-e "^$3/pmudev/linux/pmudev\.h\$" -e "^$4/man[134578]/[a-z_]*\(pmudev\|PMUDEV\)[a-zA-Z_.-]*\.[1-8]\$" -e "^$5/pmudev\$" -e "/share/zsh/[a-z-]*/_pmudev\$" -e "/share/fish/vendor_completions.d/pmudev.fish\$"
}

# One round with the folders given: install, use, uninstall.
try() { # NAME VARIABLE=...
	name=$1
	shift
	expect "$name: make install" make_tools install "$@"
	expect "$name: nothing elsewhere" nothing installed_in "$BIN" "$LIBDIR" "$INCLUDE" "$MAN" "$COMPLETIONS"
	expect "$name: no path of the build or of DESTDIR in libpmudev.pc" \
		nothing grep -e "$ROOT" -e "$TOP" "$ROOT$LIBDIR/pkgconfig/libpmudev.pc"
	expect "$name: a program with the shared library" build shared
	expect "$name:   it needs libpmudev.so.0" sh -c "readelf -d $TMP/shared | grep -F '[libpmudev.so.0]'"
	expect "$name:   it runs" runs env LD_LIBRARY_PATH="$ROOT$LIBDIR" "$TMP/shared"
	# shellcheck disable=SC2046 # a list of words
	expect "$name: a program with the static library" build static -static $(pkg --static --libs libpmudev)
	expect "$name:   it runs" runs "$TMP/static"
	expect "$name: the command runs" runs "$ROOT$BIN/pmudev" info
	expect "$name: the groups of metrics are where the command looks" \
		test -e "$ROOT$BIN/../share/pmudev/groups/arm64/ipc.txt"
	expect "$name:   and the latencies of bench" test -e "$ROOT$BIN/../share/pmudev/latencies.txt"
	expect "$name: make uninstall" make_tools uninstall "$@"
	expect "$name: it left nothing" nothing files
	expect "$name:   nor a folder that was only the library's" test ! -e "$ROOT$INCLUDE/pmudev"
	expect "$name:   or only the command's" test ! -e "$ROOT$BIN/../share/pmudev" -a ! -e "$ROOT$BIN/../lib/pmudev"
	rm -rf "$ROOT"
}

BIN=/usr/local/bin LIBDIR=/usr/local/lib INCLUDE=/usr/local/include MAN=/usr/local/share/man
COMPLETIONS=/usr/local/share/bash-completion/completions
try default

BIN=/usr/bin LIBDIR=/usr/lib/some-linux-gnu INCLUDE=/usr/include MAN=/opt/man COMPLETIONS=/opt/completions
try distribution PREFIX=/usr LIBDIR="$LIBDIR" MANDIR="$MAN" COMPLETIONSDIR="$COMPLETIONS"

# The command with the shared library, as distributions want it.
rm -rf "$BUILD/installed-shared"
expect "SHARED=1: make install" make -s -C "$TOP/tools" OUTPUT="$BUILD/installed-shared" DESTDIR="$ROOT" SHARED=1 install
expect "SHARED=1: the command needs libpmudev.so.0" \
	sh -c "readelf -d $ROOT/usr/local/bin/pmudev | grep -F '[libpmudev.so.0]'"
expect "SHARED=1: it runs" runs env LD_LIBRARY_PATH="$ROOT/usr/local/lib" "$ROOT/usr/local/bin/pmudev" info
tap_end
