# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# PAPI's ctests and validation_tests, linked with a shared libpapi: that of perf is in /suite, and
# tests/suites/papi/component makes another one of `tree`, which is configured without perf.

# papi_machine ARCH: what PAPI calls it, and its CPUs.
papi_machine() {
	case $1 in
	arm64) printf 'aarch64 arm\n' ;;
	x86) printf 'x86_64 x86\n' ;;
	esac
}

# papi_configure ARCH TREE ARGS...: nothing of the machine that builds is looked at.
papi_configure() {
	local arch=$1 tree=$2 name cpu prefix

	shift 2
	read -r name cpu <<<"$(papi_machine "$arch")"
	prefix=$(cross_prefix "$arch")
	(
		cd "$tree/src" || exit
		logged ./configure --host="${prefix%-}" --with-arch="$name" --with-CPU="$cpu" --with-ffsll --with-tls=__thread \
			--with-virtualtimer=clock_thread_cputime_id --with-walltimer=clock_realtime \
			--with-static-lib=no --with-shared-lib=yes --with-shlib-tools \
			ac_cv_file__proc_sys_kernel_perf_event_paranoid=no CC="$(cross_cc "$arch")" AR="${prefix}ar" F77=no MPICC= "$@"
	)
}

# papi_make ARCH TREE ARGS...: without Fortran.
papi_make() {
	logged make -C "$2/src" "$(parallel)" CC="$(with_ccache "$(cross_cc "$1")")" F77= "${@:3}"
}

papi_programs() { # TREE
	find "$1/src/ctests" "$1/src/validation_tests" -type f -perm -u+x | while read -r file; do
		if [ "$(head -c4 "$file" | tail -c3)" = ELF ]; then
			printf '%s\n' "$file"
		fi
	done
}

# papi_libpfm4 ARCH DIR: Debian's, shared as Debian's PAPI has it, for not each static one fits into a shared library.
papi_libpfm4() {
	private_apt base
	fetch "libpfm4:$(debian_arch "$1")" "libpfm4-dev:$(debian_arch "$1")"
	mkdir -p "$2/lib" "$2/include"
	cp "$(find_library libpfm.so.4 "$1")" "$2/lib/libpfm.so.4"
	ln -s libpfm.so.4 "$2/lib/libpfm.so"
	cp -r "$TMP/root/usr/include/perfmon" "$2/include/"
}

build_suite() { # ARCH
	local tree=$TMP/papi pfm=$TMP/out/pfm file list

	papi_libpfm4 "$1" "$pfm"
	debian_source papi bookworm
	cp -r "$tree" "$TMP/out/tree"
	papi_configure "$1" "$TMP/out/tree" --with-components=pmudev
	papi_configure "$1" "$tree" --with-perf-events --with-pfm-incdir="$pfm/include" --with-pfm-libdir="$pfm/lib"
	papi_make "$1" "$tree" shared
	papi_make "$1" "$tree" -C testlib
	papi_make "$1" "$tree" -C validation_tests LDFLAGS="-Wl,-rpath-link,$pfm/lib"
	papi_make "$1" "$tree" -C ctests default LDFLAGS="-Wl,-rpath-link,$pfm/lib"
	mkdir -p "$TMP/out/root/lib"
	cp "$tree/src/libpapi.so.7.0" "$TMP/out/root/lib/"
	# One test loads the library by this name.
	ln -s libpapi.so.7.0 "$TMP/out/root/lib/libpapi.so"
	mapfile -t list < <(papi_programs "$tree")
	[ ${#list[@]} -gt 100 ] || die "PAPI has only ${#list[@]} test programs for $1"
	cp "${list[@]}" "$SUITE/"
	for file in "${list[@]}"; do
		"$(cross_prefix "$1")strip" "$SUITE/${file##*/}"
	done
}
