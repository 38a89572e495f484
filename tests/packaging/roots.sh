# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests/packaging/run: throw-away copies of the Debian 12s that scripts/setup made.

# shellcheck source=tests/packaging/clean.sh
. "$PMUDEV_ROOT/tests/packaging/clean.sh"

WORK=$PMUDEV_BUILD/packaging

# what_lacks: why the tests cannot be run here; nothing if they can.
what_lacks() {
	local kernel root

	why_not_clean
	for root in build install foreign; do
		[ -e "$(clean_dir "$root")/PACKAGES" ] || { echo "no root '$root': scripts/setup packaging"; break; }
	done
	for kernel in $KERNELS; do
		[ -e "$PMUDEV_CACHE/kernels/$kernel/VERSION" ] || echo "no kernel: scripts/setup $kernel"
	done
}

begin_work() {
	mkdir -p "$PMUDEV_BUILD"
	exec 8>"$PMUDEV_BUILD/packaging.lock"
	flock -w 3600 8 || die "another run has been going on for an hour ($PMUDEV_BUILD/packaging.lock)"
	rm -rf --one-file-system "$WORK"
	mkdir -p "$WORK"
	trap end_work EXIT
}

end_work() {
	local dir mounted

	[ -z "$KEEP" ] || return 0
	for dir in "$WORK"/*/root; do
		# One by one: the last is none where all was copied.
		for mounted in "$dir/dev/pts" "$dir/proc" "$dir"; do
			umount "$mounted" 2>/dev/null || true
		done
	done
	# What cannot be deleted is no test that failed.
	rm -rf --one-file-system "$WORK" || true
}

# root NAME: the folder.
root() { printf '%s\n' "$WORK/$1/root"; }

# make_root NAME: what is written goes beside the one of the cache. All is copied where that cannot be,
# or if it is to be there when this program has ended, and its mounts with it.
make_root() {
	local base dir=$WORK/$1

	base=$(clean_dir "$1")/root
	mkdir -p "$dir"/{upper,work,root}
	if [ -n "$KEEP" ] ||
		! mount -t overlay overlay -o "lowerdir=$base,upperdir=$dir/upper,workdir=$dir/work" "$dir/root" 2>/dev/null; then
		cp -a "$base/." "$dir/root/"
	fi
	mount -t proc proc "$dir/root/proc"
	mount -t devpts devpts "$dir/root/dev/pts"
}

# in_root NAME [--userspec=USER] COMMAND...: runs it there.
in_root() {
	local dir user=()

	dir=$(root "$1")
	shift
	case $1 in
	--userspec=*) user=("$1"); shift ;;
	esac
	chroot "${user[@]}" "$dir" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# list_root: every file of the one that packages are installed in, but logs and caches.
list_root() {
	(cd "$(root install)" && find . -regextype egrep -regex './(proc|dev|tmp|var/log|var/cache)' -prune -o -print |
		LC_ALL=C sort)
}

kernel_version() { cat "$(kernel_dir "$1")/VERSION"; }

# The headers of the kernels that the emulated machine boots, as their packages would have put them.
add_kernels() {
	local kernel version dir to

	to=$(root install)
	for kernel in $KERNELS; do
		dir=$(kernel_dir "$kernel")
		version=$(kernel_version "$kernel")
		cp -a "$dir/usr/." "$to/usr/"
		sed -i "s|$dir/usr/src/|/usr/src/|" "$to/usr/src/linux-headers-$version/Makefile"
		mkdir -p "$to/usr/lib/modules/$version"
		ln -s "/usr/src/linux-headers-$version" "$to/usr/lib/modules/$version/build"
		touch "$to/usr/lib/modules/$version"/modules.{builtin,builtin.modinfo,order}
		in_root install depmod "$version"
	done
}
