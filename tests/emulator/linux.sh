# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # tests/emulator/test has the variables
# SPDX-License-Identifier: GPL-2.0
#
# For tests/emulator/test: Debian's kernels in the patched QEMU: what their perf driver finds, and counts in
# user mode.

# bits N: how many.
bits() {
	local n=$1 count=0

	for (( ; n; n >>= 1)); do
		count=$((count + (n & 1)))
	done
	printf '%d\n' "$count"
}

# expect NAME REGEX FILE: TAP of whether a line is there, and with ! before the file that none is.
expect() {
	local name=$1 regex=$2 not=''

	shift 2
	if [ "$1" = ! ]; then
		not=1
		shift
	fi
	EXPECTED=$((EXPECTED + 1))
	if tr -s ' ' <"$1" | grep -qE "$regex"; then
		[ -z "$not" ] || printf 'not '
	elif [ -z "$not" ]; then
		printf 'not '
	fi
	printf 'ok %d - %s\n' "$EXPECTED" "$name"
}

# counters FILE KERNEL VERSION GP FIXED METRICS: what the driver must say of one kind of CPU. Newer kernels use
# other words.
counters() {
	local file=$1 kernel=$2 gp=$4 fixed=$5 generic='generic registers' purpose='fixed-purpose events' mask='event mask'

	case $kernel in
	6.*) ;;
	*)
		generic='generic counters' purpose='fixed-purpose counters' mask='global_ctrl mask'
		expect "generic bitmap" "^dmesg: \.\.\. generic bitmap: $(printf '%016x' $(((1 << gp) - 1)))$" "$file"
		expect "fixed bitmap" "^dmesg: \.\.\. fixed-purpose bitmap: $(printf '%016x' "$fixed")$" "$file"
		;;
	esac
	expect "version $3" "^dmesg: \.\.\. version: $3$" "$file"
	expect "48 bits" "^dmesg: \.\.\. bit width: 48$" "$file"
	expect "$generic: $gp" "^dmesg: \.\.\. $generic: $gp$" "$file"
	expect "$purpose: $(bits "$fixed")" "^dmesg: \.\.\. $purpose: $(bits "$fixed")$" "$file"
	expect "$mask" "^dmesg: \.\.\. $mask: $(printf '%016x' $(((1 << gp) - 1 | fixed << 32 | $6 << 48)))$" "$file"
}

# kind FILE NAME: the messages about one PMU of a hybrid machine.
kind() { awk -v name="$2" '/PMU driver/ { on = index($0, " " name " PMU driver:") } on' "$1"; }

# found_amd FILE KERNEL WORDS: the same of an AMD CPU; only PerfMonV2 has a number.
found_amd() {
	local file=$1 kernel=$2 words=$3 core='' version=0

	[ "$(option "$words" gp)" = 4 ] || core='Fam17h\+ .*core perfctr, '
	[ "$(option "$words" amd)" = 1 ] || version=2
	expect "AMD PMU driver" "^dmesg: Performance Events: ${core}AMD PMU driver" "$file"
	expect "no unchecked access to an MSR" 'unchecked MSR' ! "$file"
	expect "nothing is broken" 'Broken PMU|^dmesg: WARNING: ' ! "$file"
	counters "$file" "$kernel" "$version" "$(option "$words" gp)" 0 0
	printf '1..%d\n' "$EXPECTED"
}

# found FILE KERNEL WORDS: what the kernel's perf driver must say of this machine, as TAP.
found() {
	local file=$1 kernel=$2 words=$3 version wide=''

	EXPECTED=0
	if [ "$(option "$words" amd)" != 0 ]; then
		found_amd "$@"
		return
	fi
	version=$(option "$words" version)
	if [ "$(option "$words" wide)" = 1 ]; then
		wide='full-width counters, '
	fi
	expect "Intel PMU driver" "^dmesg: Performance Events: .*${wide}Intel PMU driver" "$file"
	expect "no unchecked access to an MSR" 'unchecked MSR' ! "$file"
	expect "nothing is broken" 'Broken PMU|^dmesg: WARNING: ' ! "$file"
	if [ "$(option "$words" atom-from)" = 255 ]; then
		expect "all CPUs are of one kind" 'cpu_core|cpu_atom' ! "$file"
		counters "$file" "$kernel" "$version" "$(option "$words" gp)" "$(option "$words" fixed)" 0
	else
		kind "$file" cpu_core >"$file.core"
		kind "$file" cpu_atom >"$file.atom"
		counters "$file.core" "$kernel" "$version" "$(option "$words" gp)" "$(option "$words" fixed)" 1
		counters "$file.atom" "$kernel" "$version" "$(option "$words" atom-gp)" "$(option "$words" atom-fixed)" 0
	fi
	printf '1..%d\n' "$EXPECTED"
}

# hides KERNEL LIST: 1 if this kernel hides counters from user mode: it and the CPU know how.
hides() {
	case $1-$(option "$2" hide) in
	newest-*-1) printf '1\n' ;;
	*) printf '0\n' ;;
	esac
}

# found_arm64 FILE KERNEL WORDS: the same for arm64's, with the mask of counters that newer kernels print.
found_arm64() {
	local file=$1 kernel=$2 words=$3 name counters mask icntr

	icntr=$(arm64_icntr "$kernel" "$words")
	while read -r name counters; do
		mask=" \\($icntr,$(printf '%08x' $(((1 << counters) - 1 | 1 << 31)))\\)"
		[ "$kernel" != 6.1-arm64 ] || mask=
		name="hw perfevents: enabled with $name PMU driver, $((counters + 1 + icntr))$mask counters available"
		if grep -qE "^dmesg: $name" "$file"; then
			printf 'ok - dmesg: %s\n' "$name"
		else
			printf 'not ok - dmesg: %s\n' "$name"
		fi
	done < <(
		printf 'armv8_pmuv3 %s\n' "$(option "$words" counters)"
		if [ "$(option "$words" kind2)" -lt "$(option "$words" cpus)" ]; then
			printf 'armv8_cortex_a35 %s\n' "$(option "$words" kind2_counters)"
		fi
	)
	printf '1..%d\n' "$((1 + ($(option "$words" kind2) < $(option "$words" cpus))))"
}

# arm64_icntr KERNEL WORDS: whether this kernel uses the instruction counter, 1 or 0.
arm64_icntr() {
	if [ "$1" = 6.1-arm64 ]; then
		echo 0
	else
		option "$2" v3p9
	fi
}

initramfs() { # ARCH
	local dir=$OUT/initramfs

	rm -rf "$dir"
	mkdir -p "$dir/bin" "$dir/dev" "$dir/proc" "$dir/sys"
	cp "$PMUDEV_CACHE/busybox-$(debian_arch "$1")/busybox" "$dir/bin/"
	install -m 755 "$HERE/linux/init" "$dir/init"
	"$(cross_cc "$1")" -O2 -Wall -Wextra -Werror -static -o "$dir/bin/perf_test" "$HERE/linux/$1"/*.c
	(cd "$dir" && find . | cpio -o -H newc --quiet) >"$OUT/initramfs.cpio"
}

# linux_ready ARCH: makes the initramfs, if what it needs is there.
linux_ready() {
	local busybox

	busybox=busybox-$(debian_arch "$1")
	if [ ! -e "$PMUDEV_CACHE/$busybox/busybox" ]; then
		skip "linux: no busybox; scripts/setup $busybox gets it"
		return 1
	fi
	initramfs "$1"
}

# guest_modules NAME: guest.cpio is the initramfs with this kernel's KVM for AMD, if that was kept.
guest_modules() {
	local dir=$OUT/modules from=$PMUDEV_CACHE/kernels/$1/modules

	rm -rf "$dir"
	mkdir -p "$dir/modules"
	if ! cp "$from"/{irqbypass,kvm,kvm-amd}.ko "$dir/modules/" 2>/dev/null; then
		skip "linux $1: guests: KVM's modules were not kept"
		return 1
	fi
	(cd "$dir" && find . | cpio -o -H newc --quiet) | cat "$OUT/initramfs.cpio" - >"$OUT/guest.cpio"
}

# has_kernel NAME
has_kernel() {
	if [ ! -e "$PMUDEV_CACHE/kernels/$1/Image" ]; then
		skip "linux $1: no such kernel; scripts/setup $1 gets it"
		return 1
	fi
}

test_linux_x86() {
	local kernel cpus words name args initramfs

	linux_ready x86 || return 0
	while read -r kernel cpus words; do
		has_kernel "$kernel" || continue
		args="console=ttyS0 nmi_watchdog=0 panic=-1 quiet pmu_cpus=$cpus"
		args+=" pmu_ext=$(has_ext "$words") pmu_hidden=$(hides "$kernel" "$words")"
		for name in core llc-ref llc-miss branch-miss gp fixed atom-from atom-gp atom-fixed amd; do
			args+=" pmu_${name//-/_}=$(option "$words" $name)"
		done
		initramfs=initramfs.cpio
		if [ "$(option "$words" amd)" != 0 ] && guest_modules "$kernel"; then
			initramfs=guest.cpio
			args+=" pmu_guest=1"
		fi
		guest 300 "$OUT/linux.tap" qemu-system-x86_64 -M pc -m 512 -icount shift=0,sleep=off -smp "$cpus" \
			-cpu "$(x86_cpu "$words"),min-level=0x15" -serial stdio \
			-kernel "$PMUDEV_CACHE/kernels/$kernel/Image" -initrd "$OUT/$initramfs" -append "$args"
		found "$OUT/linux.tap" "$kernel" "$words" >"$OUT/found.tap"
		judge "linux $kernel: dmesg: $words" "$OUT/found.tap"
		judge "linux $kernel: perf, $cpus CPUs" "$OUT/linux.tap"
	done <<-EOF
	6.1-amd64 1 version=2 gp=4 strict=1 core=1
	6.1-amd64 2 version=4 gp=4 wide=1 strict=1
	6.12-amd64 1 version=5 gp=8 fixed=11 wide=1 strict=1 core=3 llc-ref=7 llc-miss=21 branch-miss=3
	6.12-amd64 4 version=3 gp=8 llc-miss=0
	6.1-amd64 1 version=5 gp=8 fixed=5 wide=1 strict=1 hide=1
	6.12-amd64 2 version=5 gp=8 wide=1 strict=1 hide=1
	newest-plain-amd64 1 version=5 gp=8 fixed=5 wide=1 strict=1 hide=1
	6.1-amd64 4 version=5 gp=8 fixed=15 wide=1 strict=1 atom-from=2 ext=1
	6.12-amd64 3 version=5 gp=8 fixed=15 wide=1 strict=1 atom-from=2
	newest-plain-amd64 4 version=5 gp=8 fixed=15 wide=1 strict=1 atom-from=2 ext=1
	6.1-amd64 1 amd=1 gp=4 strict=1
	6.12-amd64 4 amd=1 gp=4 strict=1
	6.1-amd64 4 amd=1 gp=6 strict=1
	6.12-amd64 2 amd=1 gp=6 strict=1 core=3 llc-ref=7 llc-miss=21 branch-miss=3
	6.1-amd64 2 amd=2 gp=6 strict=1
	6.12-amd64 4 amd=2 gp=6 strict=1
	newest-plain-amd64 1 amd=2 gp=6 strict=1
	EOF
}

# cpu: the model; el2=1: the kernel starts at EL2.
test_linux_arm64() {
	local kernel cpu words name args

	linux_ready arm64 || return 0
	while read -r kernel cpu words; do
		has_kernel "$kernel" || continue
		args="console=ttyAMA0 panic=-1 quiet pmu_icntr=$(arm64_icntr "$kernel" "$words")"
		for name in cpus counters kind2 kind2_counters; do
			args+=" pmu_$name=$(option "$words" $name)"
		done
		guest 300 "$OUT/linux.tap" qemu-system-aarch64 -m 512 -icount shift=0,sleep=off \
			-M "virt,gic-version=3,virtualization=$([[ " $words " = *' el2=1 '* ]] && echo on || echo off)" \
			-smp "$(option "$words" cpus)" -cpu "$(arm64_cpu "$cpu" "$words")" -serial stdio \
			-kernel "$PMUDEV_CACHE/kernels/$kernel/Image" -initrd "$OUT/initramfs.cpio" -append "$args"
		found_arm64 "$OUT/linux.tap" "$kernel" "$words" >"$OUT/found.tap"
		judge "linux $kernel: dmesg: $cpu $words" "$OUT/found.tap"
		judge "linux $kernel: perf: $cpu $words" "$OUT/linux.tap"
	done <<-EOF
	6.1-arm64 cortex-a72 el2=1
	6.12-arm64 cortex-a72 counters=31
	6.1-arm64 max,pauth-impdef=on v3p9=1
	6.12-arm64 max,pauth-impdef=on el2=1 v3p9=1
	6.12-arm64 max,pauth-impdef=on v3p9=1 counters=31
	6.12-arm64 max,pauth-impdef=on el2=1 cpus=4 kind2=2 kind2_counters=3
	6.1-arm64 cortex-a72 el2=1 cpus=4 kind2=2 kind2_missing=36
	newest-plain-arm64 max,pauth-impdef=on el2=1 v3p9=1
	newest-plain-arm64 cortex-a72 el2=1 cpus=4 kind2=2 kind2_missing=36
	EOF
}

test_linux() {
	test_linux_x86
	test_linux_arm64
}
