# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests/packaging/run: what DKMS makes of the module, and what it refuses to.

dkms_module() { # KERNEL: its path in the root
	printf '/lib/modules/%s/updates/dkms/pmudev.ko\n' "$(kernel_version "$1")"
}

# has FIELD VALUE: in what modinfo printed.
has() { sed -n "s/^$1: *//p" "$WORK/modinfo" | grep -xF "$2"; }

# Built for that kernel, of that version, signed with DKMS's key.
dkms_built() { # KERNEL VERSION
	local kernel

	kernel=$(kernel_version "$1")
	in_root install dkms status "pmudev/$2" -k "$kernel" | grep -F ': installed'
	in_root install modinfo -k "$kernel" pmudev | tee "$WORK/modinfo"
	has filename "$(dkms_module "$1")"
	has version "$2"
	sed -n 's/^vermagic: *//p' "$WORK/modinfo" | grep -F "$kernel "
	has signer 'DKMS module signing key'
}

# dkms_excludes KERNEL: it is not even tried.
dkms_excludes() {
	local status=0

	in_root install dkms build "pmudev/$VERSION" -k "$1" 2>&1 | tee "$WORK/dkms" || status=$?
	[ "$status" = 77 ] && grep -F "BUILD_EXCLUSIVE directive which does not match" "$WORK/dkms"
}

# All that is missing is the kernel.
dkms_would_build() { # KERNEL...
	local kernel

	for kernel in "$@"; do
		echo "$kernel:"
		says "headers for kernel $kernel cannot be found" in_root install dkms build "pmudev/$VERSION" -k "$kernel"
	done
}

# dkms_without OPTION: what it makes of a kernel without, whose headers are a .config and no more.
dkms_without() {
	local dir

	dir=$(root install)/root/headers
	mkdir -p "$dir"
	in_root install cat "/usr/src/linux-headers-$(kernel_version "6.12-$ARCH")/.config" | grep -v "^$1=" >"$dir/.config"
	in_root install dkms build "pmudev/$VERSION" -k 6.12.0-lacking --kernelsourcedir /root/headers 2>&1 || true
	rm -r "$dir"
}

# What the module needs, and what it can do without: then all that is missing is the rest of the headers.
dkms_wants() { says "BUILD_EXCLUSIVE directive which does not match" dkms_without "$1"; }
dkms_takes() { says "headers for kernel 6.12.0-lacking cannot be found" dkms_without "$1"; }

# In a root that is not of the running kernel an upgrade builds for the newest; for others, the boot does.
dkms_upgraded() {
	local older newer

	read -r older newer <<<"$KERNELS"
	dkms_built "$newer" "$NEXT"
	in_root install dkms autoinstall -k "$(kernel_version "$older")"
	dkms_built "$older" "$NEXT"
	! in_root install dkms status | grep -vF "pmudev/$NEXT,"
}

prepare_by_hand() { copy_sources "$(root install)/root/pmudev"; }

# As docs/install.md has it: built, installed, removed.
dkms_by_hand() {
	local newer

	newer=${KERNELS#* }
	in_root install make -C /root/pmudev dkms
	# As after an update: what the sources have no more is gone.
	in_root install touch "/usr/src/pmudev-$VERSION/src/gone.c"
	in_root install make -C /root/pmudev dkms
	in_root install test ! -e "/usr/src/pmudev-$VERSION/src/gone.c"
	in_root install dkms install "pmudev/$VERSION" -k "$(kernel_version "$newer")"
	dkms_built "$newer" "$VERSION"
	in_root install dkms remove "pmudev/$VERSION" --all
	in_root install rm -r "/usr/src/pmudev-$VERSION"
}

dkms_tests() {
	local kernel

	for kernel in $KERNELS; do
		expect "dkms built the module for $(kernel_version "$kernel")" dkms_built "$kernel" "$VERSION"
	done
	for kernel in 5.15.0-91-generic 6.0.19-1 7.4.0-1 8.0.0; do
		expect "dkms refuses $kernel" dkms_excludes "$kernel"
	done
	expect "dkms takes 6.1, 6.19, 7.0 and 7.3" dkms_would_build 6.1.0-1-amd64 6.19.3-arch1-1 7.0.0 7.3.4+deb13-amd64
	for kernel in CONFIG_PERF_EVENTS CONFIG_KPROBES; do
		expect "dkms refuses a kernel without $kernel" dkms_wants "$kernel"
	done
	expect "dkms takes a kernel without CONFIG_PREEMPT_NOTIFIERS" dkms_takes CONFIG_PREEMPT_NOTIFIERS
}
