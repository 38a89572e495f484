# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/setup: libraries that the command and the test programs are linked with.

# libpfm4 for programs of each architecture that the tests build, 32-bit ones included: the static
# library and its headers, in a folder each.
setup_libpfm4() {
	local arch

	for arch in arm64 amd64 armhf i386; do
		[ ! -e "$PMUDEV_CACHE/libpfm4/$arch/libpfm.a" ] || continue
		private_apt "$(profile_of "$arch")"
		fresh_tmp
		fetch "libpfm4-dev:$arch"
		mkdir "$TMP/out"
		mv "$TMP"/root/usr/lib/*/libpfm.a "$TMP/root/usr/include/perfmon" "$TMP/out/"
		publish "libpfm4/$arch"
	done
}

# libmicrohttpd for `pmudev exporter` in the machines: static, of Debian's source. The package's static library
# wants GnuTLS, of which there is no static one.
MICROHTTPD_WITHOUT="https doc examples curl shared postprocessor bauth dauth httpupgrade"

setup_libmicrohttpd() {
	local arch dest source

	[ ! -e "$PMUDEV_CACHE/libmicrohttpd/VERSION" ] || return 0
	setup_tools
	private_apt sources
	fresh_tmp
	(cd "$TMP" && apt-get -qq source --only-source libmicrohttpd) >"$TMP/log" 2>&1 || {
		cat "$TMP/log" >&2
		die "could not get the source of libmicrohttpd"
	}
	source=$(echo "$TMP"/libmicrohttpd-*)
	note "setup: libmicrohttpd of $(cd "$TMP" && echo libmicrohttpd_*.dsc)"
	for arch in arm64 x86; do
		dest=$TMP/out/$(debian_arch "$arch")
		mkdir -p "$TMP/$arch" "$dest"
		# shellcheck disable=SC2046,SC2086 # lists of words
		(cd "$TMP/$arch" && "$source/configure" -q --host="$(cross_prefix "$arch" | sed 's/-$//')" \
			CC="$(cross_cc "$arch")" CFLAGS=-O2 $(printf -- '--disable-%s ' $MICROHTTPD_WITHOUT) &&
			make -s -C src/microhttpd libmicrohttpd.la) >"$TMP/log" 2>&1 || {
			tail -n 40 "$TMP/log" >&2
			die "libmicrohttpd does not compile for $arch"
		}
		cp "$TMP/$arch/src/microhttpd/.libs/libmicrohttpd.a" "$source/src/include/microhttpd.h" "$dest/"
	done
	(cd "$TMP" && echo libmicrohttpd_*.dsc) >"$TMP/out/VERSION"
	publish libmicrohttpd
}

# ncurses for the command of the machines, and how it writes to the terminals that the tests have.
setup_ncurses() {
	local arch

	for arch in arm64 amd64; do
		[ ! -e "$PMUDEV_CACHE/ncurses/$arch/libncursesw.a" ] || continue
		private_apt base
		fresh_tmp
		fetch "libncurses-dev:$arch"
		mkdir "$TMP/out"
		mv "$TMP"/root/usr/lib/*/libncursesw.a "$TMP"/root/usr/lib/*/libtinfo.a "$TMP/root/usr/include" "$TMP/out/"
		publish "ncurses/$arch"
	done
	[ ! -e "$PMUDEV_CACHE/ncurses/terminfo/x/xterm" ] || return 0
	private_apt base
	fresh_tmp
	fetch ncurses-base
	mkdir -p "$TMP"/out/{l,v,x}
	mv "$TMP/root/lib/terminfo/l/linux" "$TMP/out/l/"
	mv "$TMP/root/lib/terminfo/v/vt100" "$TMP/out/v/"
	mv "$TMP/root/lib/terminfo/x/xterm" "$TMP/out/x/"
	publish ncurses/terminfo
}

# The kernel's libperf, static, with which tests/bench/read_perf.c compares. It needs libapi.
LIBPERF_SOURCE="tools/lib tools/include tools/build tools/scripts tools/arch"

setup_libperf() {
	local arch machine

	[ ! -e "$PMUDEV_CACHE/libperf/VERSION" ] || return 0
	setup_tools
	# shellcheck disable=SC2086 # a list of words
	of_newest_source libperf $LIBPERF_SOURCE
	for arch in arm64 x86; do
		machine=$(cross_prefix "$arch")
		machine=$TMP/out/${machine%%-*}
		mkdir "$machine" "$TMP/$arch"
		make -s -C "$TMP/root/$NEWEST_SOURCE/tools/lib/perf" ARCH="$arch" CROSS_COMPILE="$(cross_prefix "$arch")" \
			CC="$(cross_cc "$arch")" EXTRA_CFLAGS=-O2 O="$TMP/$arch" >"$TMP/log" 2>&1 || {
			cat "$TMP/log" >&2
			die "libperf does not compile for $arch"
		}
		cp "$TMP/$arch/libperf.a" "$TMP/$arch/libapi.a" "$machine/"
	done
	cp -r "$TMP/root/$NEWEST_SOURCE/tools/lib/perf/include" "$TMP/out/include"
	echo "$NEWEST_SOURCE" >"$TMP/out/VERSION"
	publish libperf
}

# What the command and the test programs of other machines are linked with. One list, so that nobody
# who builds them lacks one.
setup_libraries() {
	local library

	for library in libpfm4 libmicrohttpd ncurses; do
		"$0" --one "$library"
	done
}
