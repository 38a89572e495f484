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
	local arch dest

	[ ! -e "$PMUDEV_CACHE/libmicrohttpd/VERSION" ] || return 0
	setup_tools
	lock
	fresh_tmp
	debian_source libmicrohttpd bookworm
	for arch in arm64 x86; do
		dest=$TMP/out/$(debian_arch "$arch")
		mkdir -p "$TMP/$arch" "$dest"
		# shellcheck disable=SC2046,SC2086 # lists of words
		(cd "$TMP/$arch" && "$TMP/libmicrohttpd/configure" -q --host="$(cross_prefix "$arch" | sed 's/-$//')" \
			CC="$(cross_cc "$arch")" CFLAGS=-O2 $(printf -- '--disable-%s ' $MICROHTTPD_WITHOUT) &&
			make -s -C src/microhttpd libmicrohttpd.la) >"$TMP/log" 2>&1 || {
			tail -n 40 "$TMP/log" >&2
			die "libmicrohttpd does not compile for $arch"
		}
		cp "$TMP/$arch/src/microhttpd/.libs/libmicrohttpd.a" "$TMP/libmicrohttpd/src/include/microhttpd.h" "$dest/"
	done
	debian_version libmicrohttpd >"$TMP/out/VERSION"
	publish libmicrohttpd
}

# libsmartcols for the tables of the command of the machines: static, of Debian's source, whose package has the
# shared one only. Its configure asks about all of util-linux and takes a minute for each architecture; what these
# few files want to know of it is here.
SMARTCOLS_FILES="libsmartcols/src/*.c lib/buffer.c lib/color-names.c lib/jsonwrt.c lib/mbsalign.c lib/strutils.c
lib/ttyutils.c"
SMARTCOLS_HAVE="ERR ERRX ERR_H LANGINFO_ALTMON LANGINFO_H LOCALE_H MEMPCPY NANOSLEEP OPEN_MEMSTREAM
PROGRAM_INVOCATION_SHORT_NAME STRNDUP STRNLEN SYS_IOCTL_H SYS_SYSMACROS_H WARN WARNX WIDECHAR"

setup_libsmartcols() {
	local arch dest source=util-linux version

	[ ! -e "$PMUDEV_CACHE/libsmartcols/VERSION" ] || return 0
	setup_tools
	lock
	fresh_tmp
	debian_source $source bookworm
	version=$(debian_version $source)
	for arch in arm64 x86 arm; do
		dest=$TMP/out/$(debian_arch "$arch")
		mkdir -p "$TMP/$arch" "$dest/libsmartcols"
		sed "s/@LIBSMARTCOLS_VERSION@/${version%-*}/" "$TMP/$source/libsmartcols/src/libsmartcols.h.in" \
			>"$dest/libsmartcols/libsmartcols.h"
		# shellcheck disable=SC2046,SC2086 # lists of words
		(cd "$TMP/$source" && printf '%s\n' $SMARTCOLS_FILES | xargs -P "$(nproc)" -I{} sh -c \
			"$(cross_cc "$arch") -O2 -D_GNU_SOURCE $(printf -- '-DHAVE_%s ' $SMARTCOLS_HAVE) \
			-I$dest/libsmartcols -Iinclude -c {} -o $TMP/$arch/\$(basename {} .c).o" &&
			"$(cross_prefix "$arch")ar" rcs "$dest/libsmartcols.a" "$TMP/$arch"/*.o) >"$TMP/log" 2>&1 || {
			tail -n 40 "$TMP/log" >&2
			die "libsmartcols does not compile for $arch"
		}
	done
	echo "$version" >"$TMP/out/VERSION"
	publish libsmartcols
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

	for library in libpfm4 libmicrohttpd libsmartcols ncurses; do
		"$0" --one "$library"
	done
}
