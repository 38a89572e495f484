# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/setup: kernels, their headers and sources.

# kernel_set REGEX ARCH: the newest "VERSION HEADERS COMMON KBUILD" whose packages are all there.
kernel_set() {
	local image headers depends common kbuild

	for image in $(newest "$1"); do
		headers=linux-headers-${image#linux-image-}
		# awk reads to the end: a reader that leaves early kills the writer, and that counts as failure.
		depends=$(apt-cache show "$headers:$2" 2>/dev/null | awk '/^Depends:/ && !n++') || continue
		common=$(grep -oE 'linux-headers-[^ ,]+-common' <<<"$depends") || continue
		kbuild=$(grep -oE 'linux-kbuild-[^ ,]+' <<<"$depends") || continue
		apt-cache show "$common" "$kbuild" >/dev/null 2>&1 || continue
		printf '%s %s %s %s\n' "${image#linux-image-}" "$headers" "$common" "$kbuild"
		return
	done
	return 1
}

REQUIRED="KPROBES KRETPROBES PERF_EVENTS HOTPLUG_CPU DEBUG_FS DEVTMPFS BLK_DEV_INITRD"

check_config() { # FILE NAME
	local option own

	case $(kernel_arch "$2") in
	arm64) own="PREEMPT_NOTIFIERS COMPAT ARM_PMU HW_PERF_EVENTS KVM SERIAL_AMBA_PL011_CONSOLE" ;;
	arm) own="ARM_ARCH_TIMER HW_PERF_EVENTS SERIAL_AMBA_PL011_CONSOLE" ;;
	x86) own="PREEMPT_NOTIFIERS COMPAT CPU_SUP_INTEL IA32_EMULATION X86_LOCAL_APIC SERIAL_8250_CONSOLE" ;;
	esac
	for option in $REQUIRED $own; do
		grep -q "^CONFIG_$option=y" "$1" || die "kernel $2 lacks CONFIG_$option"
	done
}

# Stock kernels. The cloud flavour differs from the full one in drivers only, and is a third as big.
setup_kernel() { # NAME REGEX
	local name=$1 arch version headers common kbuild dest=$PMUDEV_CACHE/kernels/$1

	if [ -e "$dest/VERSION" ]; then
		setup_modules "$name"
		return
	fi
	arch=$(debian_arch "$(kernel_arch "$name")")
	private_apt "$(profile_of "$arch")"
	read -r version headers common kbuild <<<"$(kernel_set "$2" "$arch")"
	[ -n "$version" ] || die "no complete set of packages (image, headers, kbuild) for kernel $name"
	note "setup: kernel $name is $version"
	fresh_tmp
	fetch "linux-image-$version:$arch" "$headers:$arch" "$common" "$kbuild:$(dpkg --print-architecture)"
	check_config "$TMP/root/boot/config-$version" "$name"
	keep_modules "$name" "$TMP/out/modules"
	mv "$TMP/root/usr" "$TMP/out/usr"
	rm -rf "$TMP/out/usr/share"
	# The headers' Makefile includes the common one by its installed path.
	sed -i "s|/usr/src/|$dest/usr/src/|" "$TMP/out/usr/src/$headers/Makefile"
	ln -s "usr/src/$headers" "$TMP/out/build"
	mv "$TMP/root/boot/vmlinuz-$version" "$TMP/out/Image"
	mv "$TMP/root/boot/config-$version" "$TMP/out/config"
	if [ "$arch" = arm64 ]; then
		unpack_image "$TMP/out/Image"
	fi
	echo "$version" >"$TMP/out/VERSION"
	publish "kernels/$name"
}

# Those of the kernel's modules that tests load: KVM, and what reads MSRs. Their list lies beside them.
KEPT_MODULES="kvm kvm-amd irqbypass msr"

keep_modules() { # NAME DIR
	local module

	mkdir -p "$2"
	[ "$(kernel_arch "$1")" = x86 ] || return 0
	for module in $KEPT_MODULES; do
		find "$TMP/root" -name "$module.ko*" -exec mv -t "$2" {} +
	done
	find "$2" -name '*.xz' -exec xz -d {} +
	# Without the list they are looked for again.
	for module in $KEPT_MODULES; do
		[ -e "$2/$module.ko" ] || return 0
	done
	echo "$KEPT_MODULES" >"$2/list"
}

# For a kernel that was fetched when none or others were kept. Of just that version, or what there is.
setup_modules() { # NAME
	local dest=kernels/$1/modules package

	[ "$(kernel_arch "$1")" = x86 ] || return 0
	[ "$(cat "$PMUDEV_CACHE/$dest/list" 2>/dev/null)" != "$KEPT_MODULES" ] || return 0
	private_apt base
	fresh_tmp
	mkdir "$TMP/root" "$TMP/out"
	package=linux-image-$(cat "$PMUDEV_CACHE/kernels/$1/VERSION")
	if apt-cache show "$package" >/dev/null 2>&1; then
		fetch "$package:$(debian_arch "$(kernel_arch "$1")")"
	elif [ -d "$PMUDEV_CACHE/$dest" ]; then
		cp -r "$PMUDEV_CACHE/$dest/." "$TMP/out"
	fi
	keep_modules "$1" "$TMP/out"
	publish "$dest"
}

# QEMU wants a plain arm64 Image ("ARMd" at byte 56).
unpack_image() {
	if [ "$(head -c2 "$1" | od -An -tx1 | tr -d ' \n')" = 1f8b ]; then
		mv "$1" "$1.gz"
		gzip -d "$1.gz"
	fi
	[ "$(dd if="$1" bs=1 skip=56 count=4 2>/dev/null)" = "ARMd" ] ||
		die "$1 is not a plain arm64 kernel image"
}

# The headers of all other kernels that Debian packages for a stable release or the next, for
# scripts/compile: of each series and flavour the newest.
setup_headers() {
	local arch package series seen=''

	private_apt newer
	for arch in arm64 amd64; do
		for package in $(newest "^linux-headers-[0-9.]+(\\+deb[0-9]+)?-(cloud|rt)-$arch$"); do
			series=$(sed -E 's/linux-headers-([0-9]+\.[0-9]+)[^-]*-/\1-/' <<<"$package")
			! among_words "$series" "$seen" || continue
			seen+=" $series"
			setup_headers_of "$series" "$package" "$arch"
		done
	done
}

# Its tools were linked with a newer C library than the stable release has: that comes along.
setup_headers_of() { # NAME PACKAGE ARCH
	local dest=$PMUDEV_CACHE/headers/$1 depends common kbuild tool

	[ ! -e "$dest/VERSION" ] || return 0
	depends=$(apt-cache show "$2:$3" | awk '/^Depends:/ && !n++')
	common=$(grep -oE 'linux-headers-[^ ,]+-common(-rt)?' <<<"$depends")
	kbuild=$(grep -oE 'linux-kbuild-[^ ,]+' <<<"$depends")
	note "setup: headers $1: $2"
	fresh_tmp
	fetch "$2:$3" "$common" "$kbuild:$(dpkg --print-architecture)" libc6 libelf1t64 zlib1g libzstd1
	mkdir "$TMP/out"
	mv "$TMP/root/usr" "$TMP/out/usr"
	for tool in "$TMP/root/lib" "$TMP/root/lib64"; do
		[ ! -e "$tool" ] || cp -a "$tool" "$TMP/out/"
	done
	rm -rf "$TMP/out/usr/share"
	grep -rlI "/usr/src/" "$TMP/out/usr/src/$2" --include=Makefile | xargs -r sed -i "s|/usr/src/|$dest/usr/src/|"
	find -L "$TMP/out/usr/lib/$kbuild" -type f -perm /111 | while read -r tool; do
		wrap_tool "$tool" "$dest"
	done
	ln -s "usr/src/$2" "$TMP/out/build"
	echo "${2#linux-headers-}" >"$TMP/out/VERSION"
	publish "headers/$1"
}

# wrap_tool FILE DEST: an ELF program is started by the C library that came along.
wrap_tool() {
	[ "$(head -c4 "$1" | tail -c3)" = ELF ] || return 0
	mv "$1" "$1.elf"
	cat >"$1" <<-EOF
	#!/bin/sh
	exec $(echo "$2"/usr/lib/*/ld-linux*.so.*) --library-path "$2/usr/lib/$(gcc -dumpmachine)" "\$(readlink -f "\$0").elf" "\$@"
	EOF
	chmod 755 "$1"
	# Debian's modpost and objtool start NAME.real-TARGET, by their own name, which now has .elf in it.
	[[ $1 != *.real-* ]] || ln -s "${1##*/}" "${1%.real-*}.elf.real-${1##*.real-}"
}

setup_built() { # NAME
	local dir=$PMUDEV_CACHE/kernels/$1

	if [ -e "$dir/VERSION" ] && [ "$(cat "$dir/FRAGMENTS" 2>/dev/null)" = "$(kernel_fragments_hash "$1")" ]; then
		return 0
	fi
	setup_source "${1%%-*}"
	# A build takes long: others may fetch meanwhile.
	exec 9>&-
	unset PMUDEV_SETUP_LOCKED
	"$PMUDEV_ROOT/scripts/build-kernel" "$1"
}

# of_newest_source USE PATH...: these of the newest stable release's source, in $TMP/root; the package's name is NEWEST_SOURCE.
of_newest_source() {
	local use=$1

	shift
	private_apt base
	NEWEST_SOURCE=$(newest '^linux-source-6\.[0-9]+$' | awk 'NR == 1')
	[ -n "$NEWEST_SOURCE" ] || die "no linux-source package for $use"
	note "setup: $use from $NEWEST_SOURCE"
	fresh_tmp
	fetch "$NEWEST_SOURCE"
	tar -C "$TMP/root" -xf "$TMP/root/usr/src/$NEWEST_SOURCE.tar.xz" "${@/#/$NEWEST_SOURCE/}" || die "$NEWEST_SOURCE lacks one of: $*"
	mkdir "$TMP/out"
}

# The source package's tarball, for scripts/build-kernel; "newest" is the highest version that there is.
setup_source() { # VERSION
	local package version

	[ ! -e "$PMUDEV_CACHE/source/linux-$1/VERSION" ] || return 0
	private_apt newer
	package=linux-source-$1
	if [ "$1" = newest ]; then
		package=$(newest '^linux-source-[0-9]+\.[0-9]+$' | awk 'NR == 1')
	fi
	# Backports are taken only when asked for by version.
	version=$(apt-cache madison "$package" | awk -F' *[|] *' '{ print $2 }' | sort -Vr | awk 'NR == 1')
	[ -n "$version" ] || die "no package $package on the mirror"
	note "setup: source of Linux $version"
	fresh_tmp
	fetch "$package=$version"
	mkdir "$TMP/out"
	mv "$TMP/root/usr/src/$package.tar.xz" "$TMP/out/linux-source.tar.xz"
	echo "$version" >"$TMP/out/VERSION"
	publish "source/linux-$1"
}
