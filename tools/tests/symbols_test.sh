#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the headers declare, what libpmudev.map exports and what the library has are the same; it has
# no variable but one, and calls nothing that a library with threads must not.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

LIB=$MADE/lib
MAP=$TOP/tools/lib/libpmudev.map

# What the headers promise: functions, also those that are inline in C (ffi.c), and variables.
declared() {
	for header in "$TOP"/tools/lib/include/*.h; do
		printf '#include "%s"\n' "$header"
	done >"$TMP/all.c"
	$CC -I"$TOP/tools/lib/include" -I"$TOP/uapi" -DPMUDEV_EXTERN_INLINE -fsyntax-only -aux-info "$TMP/aux" "$TMP/all.c" || return 1
	{
		sed -nE 's/^.*\/include\/pmudev[a-z_]*\.h:[0-9]+:N[CF] \*\/ extern .*\b(pmudev_[a-z0-9_]+) \(.*/\1/p' "$TMP/aux"
		cat "$TOP"/tools/lib/include/*.h | sed -nE 's/^extern .*\b(pmudev_[a-z0-9_]+)\b( __attribute__.*)?;$/\1/p'
	} | sort -u >"$TMP/declared"
	[ -s "$TMP/declared" ]
}

exported_by_map() { sed -nE 's/^\t(.*);$/\1/p' "$MAP" | grep -vx '\*' | sort >"$TMP/map"; }
exported() { nm -D --defined-only --without-symbol-versions "$1" | awk '{ print $3 }' | grep -v '^LIBPMUDEV_' | sort >"$TMP/exported"; }

# Objects in sections that can be written, but for those that are constant once the program is loaded.
variables() {
	objdump -t "$LIB/libpmudev.a" |
		awk '/[ \t](\.(data|bss|tdata|tbss)|\*COM\*)/ && !/\.data\.rel\.ro/ && $NF !~ /^\./ { print $NF }'
}

# Symbols in any of the library's objects that are defined in none.
imports() {
	nm -u "$1" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' | grep -v '^pmudev_' | sort -u
}

# Not thread-safe, changed by the locale, or what a library leaves to its program: output, signals, exit.
UNWANTED='strerror|strtok|strsignal|setlocale|localeconv|localtime|gmtime|asctime|ctime|strtod|strtof|atof'
UNWANTED="$UNWANTED|setenv|putenv|unsetenv|rand|srand|random|getpw.*|getgr.*|readdir64_r|tmpnam|crypt|dlerror"
UNWANTED="$UNWANTED|printf|puts|putchar|fputs|fputc|fwrite|fprintf|vprintf|vfprintf|perror|psignal|syslog"
UNWANTED="$UNWANTED|exit|_exit|abort|__assert_fail|atexit|signal|sigaction|sigprocmask|fork|system|popen|chdir|umask"

unwanted() { imports "$LIB/libpmudev.a" | sed 's/^__\(.*\)_chk$/\1/' | grep -xE "($UNWANTED)"; }

expect "the library is built" make -s -C "$TOP/tools/lib" OUTPUT="$LIB" all
SHARED=$(readlink -f "$LIB/libpmudev.so")
expect "its version is in its name" sh -c "case $SHARED in */libpmudev.so.[0-9]*.[0-9]*.[0-9]*) ;; *) false ;; esac"
expect "its SONAME" sh -c "readelf -d $SHARED | grep -F 'soname: [libpmudev.so.0]'"
expect "the headers' declarations can be listed" declared
exported_by_map
exported "$SHARED"
expect "the map exports what the headers declare" same "$TMP/map" "$TMP/declared"
expect "the library exports what the map does" same "$TMP/exported" "$TMP/map"
expect "each symbol has its version" \
	nothing sh -c "nm -D --defined-only --with-symbol-versions $SHARED | grep ' pmudev_' | grep -v '@@LIBPMUDEV_0\.'"
expect "no object of the static library defines another's name" \
	nothing sh -c "nm -g --defined-only $LIB/libpmudev.a | awk 'NF == 3 { print \$3 }' | grep -v '^pmudev_'"
variables >"$TMP/variables"
grep -vxE "pfm_(once|mutex|ready)" "$TMP/variables" >"$TMP/ours"
echo pmudev_cached_tid >"$TMP/allowed"
expect "no variable but a thread's own id, and what guards libpfm4's" same "$TMP/ours" "$TMP/allowed"
expect "nothing is called that threads or programs would mind" nothing unwanted
expect "text relocations: none" nothing sh -c "readelf -d $SHARED | grep TEXTREL"
expect "the stack is not executable" sh -c "readelf -lW $SHARED | grep GNU_STACK | grep -w RW"
tap_end
