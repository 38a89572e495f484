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

# recipe: changes with this file. Libraries that it compiles are made again then.
recipe() { sha256sum <"$PMUDEV_ROOT/scripts/components/libraries.sh" | cut -c1-12; }

# made LIBRARY: whether it is there, and made in this way.
made() { [ "$(cat "$PMUDEV_CACHE/$1/RECIPE" 2>/dev/null)" = "$(recipe)" ]; }

# static_library ARCH FILE FLAGS SOURCE...: compiled in the current folder. Libraries of which Debian packages no static one,
# or one that wants too much, are built of its sources without their configure: that takes a minute for each
# architecture, most of it about what these few files do not ask. What they do ask is answered here.
static_library() {
	local arch=$1 file=$2 flags=$3 objects=$TMP/$1-objects

	shift 3
	mkdir -p "$objects"
	if ! printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c \
		"$(cross_cc "$arch") -O2 $flags -c {} -o $objects/\$(basename {} .c).o" >"$TMP/log" 2>&1 ||
		! "$(cross_prefix "$arch")ar" rcs "$file" "$objects"/*.o >>"$TMP/log" 2>&1; then
		tail -n 40 "$TMP/log" >&2
		die "$(basename "$file") does not compile for $arch"
	fi
}

# libmicrohttpd for `pmudev exporter` in the machines: static, of Debian's source. The package's static library
# wants GnuTLS, of which there is no static one.
MICROHTTPD_FILES="connection daemon internal memorypool mhd_compat mhd_itc mhd_mono_clock mhd_send mhd_sockets mhd_str mhd_threads
reason_phrase response sysfdsetsize"
MICROHTTPD_HAVE="ACCEPT4 ARPA_INET_H CALLOC CLOCK_GETTIME C_ALIGNOF ENDIAN_H EPOLL_CREATE1 FCNTL_H GETSOCKNAME GETTIMEOFDAY
GMTIME_R INET6 INTTYPES_H LIMITS_H LINUX_SENDFILE LISTEN_SHUTDOWN LSEEK64 MESSAGES NETDB_H NETINET_IN_H NETINET_TCP_H
NET_IF_H POLL POLL_H PREAD PREAD64 PTHREAD_H PTHREAD_SETNAME_NP_GNU PTHREAD_SIGMASK RANDOM SEARCH_H SENDFILE64 SENDMSG
SIGNAL_H SNPRINTF SOCK_NONBLOCK STDALIGN_H STDBOOL_H STDDEF_H STDLIB_H STRING_H SYSCONF SYS_IOCTL_H SYS_MMAN_H SYS_MSG_H
SYS_PARAM_H SYS_SELECT_H SYS_SOCKET_H SYS_STAT_H SYS_TIME_H SYS_TYPES_H TIMESPEC_GET TIME_H UNISTD_H WRITEV"

microhttpd_config() { # VERSION
	# shellcheck disable=SC2086 # a list of words
	printf '#define HAVE_%s 1\n' $MICROHTTPD_HAVE
	cat <<-EOF
	#define VERSION "$1"
	#define PACKAGE_VERSION "$1"
	#define LINUX 1
	#define NDEBUG 1
	#define EPOLL_SUPPORT 1
	#define INLINE_FUNC 1
	#define MHD_HAVE___BUILTIN_BSWAP32 1
	#define MHD_HAVE___BUILTIN_BSWAP64 1
	#define MHD_USE_GETSOCKNAME 1
	#define MHD_USE_POSIX_THREADS 1
	#define _MHD_ITC_EVENTFD 1
	#define _MHD_EXTERN extern
	#define _MHD_NORETURN _Noreturn
	#define _MHD_static_inline static inline __attribute__((always_inline))
	#define SIZEOF_SIZE_T 8
	#define SIZEOF_STRUCT_TIMEVAL_TV_SEC 8
	#define SIZEOF_UINT64_T 8
	#define SIZEOF_UNSIGNED_INT 4
	#define SIZEOF_UNSIGNED_LONG_LONG 8
	EOF
}

setup_libmicrohttpd() {
	local arch dest version source=libmicrohttpd

	! made $source || return 0
	setup_tools
	lock
	fresh_tmp
	debian_source $source bookworm
	version=$(debian_version $source)
	microhttpd_config "${version%-*}" >"$TMP/$source/src/microhttpd/MHD_config.h"
	for arch in arm64 x86; do
		dest=$TMP/out/$(debian_arch "$arch")
		mkdir -p "$dest"
		# shellcheck disable=SC2046,SC2086 # lists of words
		(cd "$TMP/$source/src/microhttpd" && static_library "$arch" "$dest/libmicrohttpd.a" \
			"-fno-strict-aliasing -D_GNU_SOURCE -I. -I../include" $(printf '%s.c ' $MICROHTTPD_FILES))
		cp "$TMP/$source/src/include/microhttpd.h" "$dest/"
	done
	echo "$version" >"$TMP/out/VERSION"
	recipe >"$TMP/out/RECIPE"
	publish $source
}

# libsmartcols for the tables of the command of the machines: static, of Debian's source, whose package has the
# shared one only.
SMARTCOLS_FILES="libsmartcols/src/*.c lib/buffer.c lib/color-names.c lib/jsonwrt.c lib/mbsalign.c lib/strutils.c
lib/ttyutils.c"
SMARTCOLS_HAVE="ERR ERRX ERR_H LANGINFO_ALTMON LANGINFO_H LOCALE_H MEMPCPY NANOSLEEP OPEN_MEMSTREAM
PROGRAM_INVOCATION_SHORT_NAME STRNDUP STRNLEN SYS_IOCTL_H SYS_SYSMACROS_H WARN WARNX WIDECHAR"

setup_libsmartcols() {
	local arch dest source=util-linux version

	! made libsmartcols || return 0
	setup_tools
	lock
	fresh_tmp
	debian_source $source bookworm
	version=$(debian_version $source)
	for arch in arm64 x86 arm; do
		dest=$TMP/out/$(debian_arch "$arch")
		mkdir -p "$dest/libsmartcols"
		sed "s/@LIBSMARTCOLS_VERSION@/${version%-*}/" "$TMP/$source/libsmartcols/src/libsmartcols.h.in" \
			>"$dest/libsmartcols/libsmartcols.h"
		# shellcheck disable=SC2046,SC2086 # lists of words
		(cd "$TMP/$source" && static_library "$arch" "$dest/libsmartcols.a" "-D_GNU_SOURCE \
			$(printf -- '-DHAVE_%s ' $SMARTCOLS_HAVE) -I$dest/libsmartcols -Iinclude" $SMARTCOLS_FILES)
	done
	echo "$version" >"$TMP/out/VERSION"
	recipe >"$TMP/out/RECIPE"
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
