# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests/packaging/run: an emulated machine whose module, command, library, Python, udev and its rule,
# systemd and the exporter with its units are those of the root where the packages were installed.

BOOTED="/usr/bin/pmudev /root/program /lib/systemd/systemd-udevd /bin/udevadm /lib/systemd/systemd-sysctl
/bin/systemd-sysusers /usr/bin/python3
/usr/lib/pmudev/pmudev-exporter /lib/systemd/systemd /lib/systemd/systemd-shutdown /lib/systemd/systemd-journald
/bin/systemctl /bin/journalctl /usr/bin/unshare"
# Of systemd, what the exporter's units need.
UNITS="sysinit.target basic.target sockets.target shutdown.target systemd-journald.service systemd-journald.socket
systemd-journald-dev-log.socket pmudev-exporter.socket pmudev-exporter.service"

# The program and the shared libraries that it names.
copy_program() { # FROM TO PROGRAM
	local file

	for file in "$3" $(in_root install ldd "$3" | grep -oE '/[^ ]+'); do
		mkdir -p "$2$(dirname "$file")"
		cp "$1$(in_root install readlink -f "$file")" "$2$file"
	done
}

# Python's own modules, and pmudev.
copy_python() { # FROM TO
	local name file

	name=python$(in_root install python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	mkdir -p "$2/usr/lib/python3/dist-packages"
	cp -r "$1/usr/lib/$name" "$2/usr/lib/"
	cp -r "$1/usr/lib/python3/dist-packages/pmudev" "$2/usr/lib/python3/dist-packages/"
	for file in "$1/usr/lib/$name"/lib-dynload/_ctypes.*; do
		copy_program "$1" "$2" "${file#"$1"}"
	done
}

machine_root() { # KERNEL FOLDER
	local from program unit

	from=$(root install)
	mkdir -p "$2"/{tests,etc/systemd/system,lib/udev/rules.d,lib/systemd/system,usr/lib/sysusers.d,run}
	for program in $BOOTED; do
		copy_program "$from" "$2" "$program"
	done
	copy_python "$from" "$2"
	cp "$from$(dkms_module "$1")" "$2/pmudev.ko"
	cp "$from"/usr/lib/udev/rules.d/60-pmudev.rules "$2/lib/udev/rules.d/"
	cp "$from"/usr/lib/sysusers.d/pmudev.conf "$2/usr/lib/sysusers.d/"
	cp "$from"/var/lib/dpkg/info/pmudev.postinst "$2/postinst"
	cp -r "$from/etc/sysctl.d" "$2/etc/"
	cp "$from"/etc/{passwd,group} "$2/etc/"
	sed -i 's/^pmudev:.*/&member/' "$2/etc/group"
	printf '%s\n' 'member:x:1000:1000::/:/bin/sh' 'stranger:x:1001:1001::/:/bin/sh' >>"$2/etc/passwd"
	for unit in $UNITS; do
		cp "$from/lib/systemd/system/$unit" "$2/lib/systemd/system/"
	done
	cp "$PMUDEV_ROOT"/tests/packaging/{expect,package_test,systemd_test}.sh "$2/tests/"
	printf '%s\n' "package_test.sh 120" "systemd_test.sh 300" >"$2/tests/list"
}

# boots KERNEL: loads the module (/pmudev.ko), runs the tests, unloads the module.
boots() {
	local dir=$WORK/machine-$1 log=$WORK/$1.log step

	machine_root "$1" "$dir"
	"$PMUDEV_ROOT/tests/vm/boot" --kernel "$1" --root "$dir" --log "$log" --nonce packaging
	cat "$log"
	for step in insmod package_test.sh systemd_test.sh rmmod; do
		grep -E "^@packaging end $step 0( |\$)" "$log"
	done
	! grep -E '^@packaging log .* bad' "$log"
}

machine_tests() {
	local kernel

	for kernel in $KERNELS; do
		if [ "$ARCH" = amd64 ] && ! (emulator_dir) >/dev/null 2>&1; then
			skip "the module in a machine with $kernel" "no patched QEMU: scripts/setup emulator"
			continue
		fi
		expect "the module, the rule and the command in a machine with $(kernel_version "$kernel")" boots "$kernel"
	done
}
