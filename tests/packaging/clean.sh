# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/setup, which makes them, and tests/packaging/run: three Debian 12s of this machine's
# architecture, in folders of the cache. One has what builds packages, one what builds those of others
# (RPM, Arch), and one what a machine has that modules can be built on, and in its apt's cache what the
# packages want beyond that. None of it changes once it is there: other packages make another folder.

# clean_packages NAME: what it has, a comma, and what its apt's cache has.
clean_packages() {
	case $1 in
	build) echo "build-essential debhelper dh-dkms dh-python python3 libpfm4-dev libdw-dev libmicrohttpd-dev libncurses-dev libsmartcols-dev lintian," ;;
	foreign) echo "gcc make libc6-dev pkg-config python3 libpfm4-dev libdw-dev libmicrohttpd-dev libncurses-dev libsmartcols-dev cpio file rpm rpmlint makepkg" \
		"libarchive-tools fakeroot zstd," ;;
	install) echo "gcc gcc-12 libc6-dev make dpkg-dev pkg-config man-db kmod udev systemd libelf1 openssl," \
		"dkms libpfm4-dev libdw1 libmicrohttpd12 libncursesw6 python3" ;;
	esac
}

# clean_name NAME: its name in the cache.
clean_name() { printf 'roots/%s-%s\n' "$1" "$(clean_packages "$1" | sha256sum | cut -c1-12)"; }

# The folder itself; what makes it complete is the file PACKAGES.
clean_dir() { printf '%s/%s\n' "$PMUDEV_CACHE" "$(clean_name "$1")"; }

# why_not_clean: why such folders can neither be made nor used here; nothing if they can.
why_not_clean() {
	if [ "$(id -u)" != 0 ]; then
		echo "only root can make clean roots"
	elif ! unshare --mount --net --pid --fork --mount-proc true 2>/dev/null; then
		echo "root has no right to mount here"
	elif ! makes_devices; then
		echo "root has no right to make device nodes here"
	fi
}

# Made and open: a container may be refused either.
makes_devices() {
	local dir status=0

	mkdir -p "$PMUDEV_CACHE"
	dir=$(mktemp -d "$PMUDEV_CACHE/tmp.XXXXXX") || return
	{ mknod "$dir/null" c 1 3 && : <"$dir/null"; } 2>/dev/null || status=1
	rm -rf "$dir"
	return $status
}
