# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests/packaging/run: RPM packages and those of Arch, built by Debian's rpmbuild and makepkg, which know neither
# Fedora's nor Arch's packages: what they need is not asked for. No such package is installed.

ARCHIVE=/build/pmudev/build/pmudev-$VERSION.tar.gz
RPMS="pmudev pmudev-libs pmudev-devel pmudev-static pmudev-dkms python3-pmudev"

in_foreign() { in_root foreign --userspec=nobody env HOME=/build "$@"; }

prepare_archive() {
	copy_sources "$(root foreign)/build/pmudev"
	chown -R nobody "$(root foreign)/build"
	in_foreign make -C /build/pmudev archive
}

# Of two runs the same.
same_archive() {
	in_foreign sha256sum "$ARCHIVE" >"$WORK/sum"
	in_foreign make -C /build/pmudev archive
	in_foreign sha256sum "$ARCHIVE" | diff "$WORK/sum" -
}

# --- RPM ----------------------------------------------------------------------------------------

parse_spec() { in_foreign rpmspec -q --qf '%{name} %{version}\n' /build/pmudev/packaging/rpm/pmudev.spec; }

spec_has_all() {
	# shellcheck disable=SC2086 # a list
	diff <(printf "%s $VERSION\n" $RPMS | sort) <(parse_spec | sort)
}

# The build needs no package that is called so here.
build_rpms() { in_foreign rpmbuild -tb --nodeps --define '_topdir /build/rpm' "$ARCHIVE"; }

rpms() { (cd "$(root foreign)" && find build/rpm/RPMS -name '*.rpm' -printf '/%p\n' | LC_ALL=C sort); }

lint_rpms() {
	# shellcheck disable=SC2046 # names without blanks
	in_foreign rpmlint --config /build/pmudev/packaging/rpm/rpmlint.toml /build/pmudev/packaging/rpm/pmudev.spec $(rpms)
}

unpack_rpms() {
	local rpm

	in_foreign mkdir -p /build/unpacked
	for rpm in $(rpms); do
		in_foreign sh -euc "cd /build/unpacked && rpm2cpio '$rpm' | cpio -id --quiet"
	done
}

# The folder where it is told to be: of this rpmbuild, and of Fedora.
rpm_library() { in_foreign rpm --eval '%{_libdir}'; }

rpm_command_runs() {
	unpack_rpms
	says "pmudev $VERSION " in_foreign env "LD_LIBRARY_PATH=/build/unpacked$(rpm_library)" \
		/build/unpacked/usr/bin/pmudev --version
}

# Nothing that Debian's packages have is missing, and the module's source is whole.
rpm_holds() {
	local dir file

	dir=$(root foreign)/build/unpacked
	for file in etc/sysctl.d/pmudev.conf etc/modprobe.d/pmudev.conf usr/lib/udev/rules.d/60-pmudev.rules \
		usr/lib/sysusers.d/pmudev.conf usr/lib/modules-load.d/pmudev.conf usr/include/pmudev/linux/pmudev.h \
		usr/lib/pmudev/libpmudev-perf.so "usr/src/pmudev-$VERSION/dkms.conf"; do
		test -e "$dir/$file"
	done
	# Fedora's rpmbuild compresses it, Debian's does not.
	test -e "$dir/usr/share/man/man1/pmudev.1" || test -e "$dir/usr/share/man/man1/pmudev.1.gz"
	diff -r "$PMUDEV_ROOT/src" "$dir/usr/src/pmudev-$VERSION/src"
}

rpm_scripts() {
	local rpm

	for rpm in $(rpms); do
		in_foreign rpm -qp --qf '%{PREIN}\n%{POSTIN}\n%{PREUN}\n%{POSTUN}\n' "$rpm" | sed '/^(none)$/d' >"$WORK/scripts"
		cat "$WORK/scripts"
		sh -n "$WORK/scripts"
	done
}

# --- Arch ---------------------------------------------------------------------------------------

# makepkg wants a pacman, but calls none where it does not look for other packages.
build_arch() {
	in_foreign mkdir -p /build/arch
	# shellcheck disable=SC2016 # expanded there
	in_foreign sh -c 'cp /build/pmudev/packaging/arch/* "$1" /build/arch/' sh "$ARCHIVE"
	in_foreign sh -euc 'cd /build/arch && PACMAN=true PKGEXT=.pkg.tar.zst makepkg --nodeps --log'
}

# arch_file PACKAGE FILE: is in it.
arch_file() {
	# shellcheck disable=SC2016 # expanded there
	in_foreign sh -euc 'bsdtar -tf /build/arch/"$1"-[0-9]*.pkg.tar.zst' sh "$1" | tee "$WORK/list" | grep -x "$2"
}

arch_holds() {
	arch_file pmudev usr/bin/pmudev
	arch_file pmudev usr/lib/udev/rules.d/60-pmudev.rules
	arch_file pmudev .INSTALL
	arch_file pmudev usr/share/man/man1/pmudev.1.gz
	arch_file libpmudev usr/lib/libpmudev.so.0
	arch_file libpmudev usr/include/pmudev/pmudev.h
	arch_file pmudev-dkms "usr/src/pmudev-$VERSION/dkms.conf"
	arch_file python-pmudev 'usr/lib/python3\.[0-9]*/site-packages/pmudev/__init__.py'
}

foreign_tests() {
	make_root foreign
	expect "make archive" prepare_archive
	expect "  the same again" same_archive
	expect "the RPM spec has each package" spec_has_all
	expect "rpmbuild builds them" build_rpms
	expect "rpmlint finds nothing" lint_rpms
	expect "  the command starts" rpm_command_runs
	expect "  the files are where Fedora has them" rpm_holds
	expect "  their scripts are ones" rpm_scripts
	expect "makepkg builds the packages of Arch" build_arch
	expect "  the files are where Arch has them" arch_holds
}
