# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # tests/vm/boot has the variables
# SPDX-License-Identifier: GPL-2.0
#
# For tests/vm/boot: which QEMU a machine needs, and its arguments.

# What stock QEMU does not have.
PATCHED_MACHINES="wide vhe32 p9 p9-el1 kinds kinds32 skid"

# exact_emulator: the one that counts exactly on arm64: with one CPU, stock QEMU does.
exact_emulator() {
	if [ -n "$COSTS" ] || [[ " $PATCHED_MACHINES " = *" $MACHINE "* ]]; then
		printf 'patched\n'
	elif [ "$SMP" = 1 ] || [ "$ICOUNT" = off ]; then
		printf 'stock\n'
	else
		printf 'patched\n'
	fi
}

# emulator NAME: the path of this QEMU.
emulator() {
	local dir

	case $EMULATOR in
	stock) printf '%s\n' "$1" ;;
	patched)
		# `set -e` does not hold in here.
		dir=$(emulator_dir) || exit
		printf '%s/bin/%s\n' "$dir" "$1"
		;;
	*) die "unknown emulator '$EMULATOR'" ;;
	esac
}

machine_arm64() {
	local cpu virtualization program kind2=pmu-kind2-from=2,pmu-kind2-counters=4 pauth=pauth-impdef=on

	program=$(emulator qemu-system-aarch64)
	[ -z "$FAST" ] || pauth=pauth=off
	case $MACHINE in
	vhe | smt | late | skid) cpu=max,$pauth virtualization=on ;;
	nvhe) cpu=cortex-a72 virtualization=on ;;
	el1) cpu=max,$pauth virtualization=off ;;
	nopmu) cpu=cortex-a72,pmu=off virtualization=off ;;
	wide) cpu=max,$pauth,pmu-thwidth=4,pmu-counters=31 virtualization=on ;;
	vhe32) cpu=neoverse-v1,$pauth,pmu-thwidth=4 virtualization=on ;;
	p9) cpu=max,$pauth,pmu-thwidth=12,pmu-v3p9=on virtualization=on ;;
	p9-el1) cpu=max,$pauth,pmu-thwidth=1,pmu-v3p9=on virtualization=off ;;
	# Lacking: STALL_BACKEND (0x24), CHAIN (0x1e).
	kinds) cpu=max,$pauth,pmu-thwidth=4,$kind2,pmu-kind2-missing=36 virtualization=on ;;
	kinds32) cpu=cortex-a72,$kind2,pmu-kind2-missing=30 virtualization=on ;;
	*) die "unknown arm64 machine '$MACHINE'" ;;
	esac
	# What only the patched emulator has.
	case $MACHINE-$EMULATOR in
	vhe-patched | smt-patched | late-patched) cpu+=,pmu-thwidth=4 ;;
	skid-patched) cpu+=,pmu-thwidth=4,pmu-skid=10000 ;;
	el1-patched) cpu+=,pmu-thwidth=8 ;;
	esac
	case $MACHINE-$SMP-$ICOUNT in
	kinds*-[12]-*) die "machine '$MACHINE' needs --smp 4 (3 at least)" ;;
	smt-[13]-*) die "machine 'smt' needs --smp 4 (2 at least)" ;;
	late-[12]-*) die "machine 'late' needs --smp 4 (3 at least)" ;;
	p9*-off) die "machine '$MACHINE' needs --icount N" ;;
	esac
	QEMU=("$program" -M "virt,gic-version=3,virtualization=$virtualization" -cpu "${CPU:-$cpu}${COSTS:+,pmu-costs=on}")
}

# A CPU that runs in AArch32 here. Older CPUs without PMUv3 have a PMU that perf knows.
machine_arm() {
	local cpu program

	[ "$EMULATOR" = patched ] || die "only the patched emulator has a PMUv3 of 32 bits with all its registers"
	program=$(emulator qemu-system-aarch64)
	case $MACHINE in
	a32) cpu=max,aarch64=off ;;
	nopmu) cpu=cortex-a15 ;;
	*) die "unknown 32-bit arm machine '$MACHINE'" ;;
	esac
	QEMU=("$program" -M "virt,highmem=off" -cpu "${CPU:-$cpu}")
}

# Features of the CPU model that the emulator lacks: it would warn for each CPU.
X86_LACKS="pcid invpcid tsc-deadline hle rtm avx512f avx512dq avx512cd avx512bw avx512vl xsavec"

# The same of the models of AMD.
AMD_G4_LACKS="misalignsse"
AMD_G6_LACKS="$AMD_G4_LACKS fxsr-opt osvw topoext nrip-save xsavec"
AMD_V2_LACKS="$AMD_G6_LACKS pcid invpcid avx512f avx512dq avx512ifma avx512cd avx512bw avx512vl avx512vbmi \
	avx512vbmi2 gfni vpclmulqdq avx512vnni avx512bitalg avx512-vpopcntdq avx512-bf16 perfctr-core clzero ibpb ibrs \
	amd-stibp stibp-always-on amd-ssbd amd-psfd no-nested-data-bp lfence-always-serializing null-sel-clr-base \
	auto-ibrs vnmi xsaves"

# amd_cpu: the CPU of one of AMD's machines: kernels judge the PMU by its family, too. They do not look at
# CPUID.15H.
amd_cpu() {
	local cpu lacks

	case $MACHINE in
	amd-g4) cpu=Opteron_G3,pmu-gp=4 lacks=$AMD_G4_LACKS ;;
	amd-g6) cpu=EPYC,pmu-gp=6 lacks=$AMD_G6_LACKS ;;
	amd-v2-g6) cpu=EPYC-Genoa,pmu-gp=6,pmu-amd-version=2 lacks=$AMD_V2_LACKS ;;
	skid-amd) cpu=EPYC,pmu-gp=6,pmu-skid=10000 lacks=$AMD_G6_LACKS ;;
	skid-amd-v2) cpu=EPYC-Genoa,pmu-gp=6,pmu-amd-version=2,pmu-skid=10000 lacks=$AMD_V2_LACKS ;;
	*) die "unknown x86 machine '$MACHINE'" ;;
	esac
	# shellcheck disable=SC2086 # a list of words
	printf '%s' "$cpu,pmu=on,svm=on,npt=on$(printf ',-%s' $lacks)"
}

# intel_cpu: the model is one that every kernel's perf driver knows; its PMU is what the machine's name
# says. CPUID goes down to 15H, from which kernels learn the clocks' frequencies.
intel_cpu() {
	local cpu=Skylake-Server,min-level=0x15 like=$MACHINE

	case $MACHINE in
	late | skid) like=v4-g8-w ;;
	esac
	if [ "$MACHINE" = hybrid ]; then
		# An Alder Lake, of which kernels know that it has two kinds; CPUID.23H says what each has.
		cpu+=,model=151,stepping=2,pmu=on,pmu-version=5,pmu-gp=8,pmu-fixed=15,+pdcm,+full-width-write
		cpu+=,pmu-ext-leaf=on,pmu-atom-from=2,pmu-atom-gp=6,pmu-atom-fixed=7
	elif [[ $like =~ ^v([2-6])-g([1-8])(-w(-hide)?)?$ ]]; then
		cpu+=,pmu=on,pmu-version=${BASH_REMATCH[1]},pmu-gp=${BASH_REMATCH[2]}
		cpu+=${BASH_REMATCH[3]:+,+pdcm,+full-width-write}${BASH_REMATCH[4]:+,pmu-rdpmc-user-disable=on}
		case ${BASH_REMATCH[1]} in
		# Without the events of the last level cache.
		2) cpu+=,pmu-missing=0x18 ;;
		# Without the fixed counter 1.
		[56]) cpu+=,pmu-fixed=5 ;;
		esac
		[ "$MACHINE" != skid ] || cpu+=,pmu-skid=10000
	elif [ "$MACHINE" != nopmu ]; then
		die "unknown x86 machine '$MACHINE'"
	fi
	# shellcheck disable=SC2086 # a list of words
	printf '%s' "$cpu$(printf ',-%s' $X86_LACKS)"
}

# MSRs that do not exist raise #GP.
machine_x86() {
	local cpu program

	case $MACHINE in
	amd-* | skid-amd*) cpu=$(amd_cpu) ;;
	*) cpu=$(intel_cpu) ;;
	esac
	[ "$EMULATOR" = patched ] || die "only the patched emulator has an x86 PMU"
	program=$(emulator qemu-system-x86_64)
	[ "$MACHINE" = nopmu ] || [ "$ICOUNT" != off ] || die "the emulated x86 PMU counts with --icount N only"
	[ "$MACHINE" != hybrid ] || [ "$SMP" = 4 ] || die "the machine 'hybrid' has 4 CPUs"
	# Without PCI hotplug there is much less of ACPI's tables to interpret.
	QEMU=("$program" -M pc -cpu "${CPU:-$cpu,pmu-strict-msr=on}${COSTS:+,pmu-costs=on}" -global PIIX4_PM.acpi-root-pci-hotplug=off
		-global PIIX4_PM.acpi-pci-hotplug-with-bridge-support=off)
}

machine() {
	local threads=

	[ -z "$COSTS" ] || { [ "$EMULATOR" = patched ] && [ "$ARCH" != arm ]; } ||
		die "--costs needs the patched emulator and a machine of 64 bits"
	case $ARCH in
	arm64) machine_arm64 ;;
	arm) machine_arm ;;
	x86) machine_x86 ;;
	esac
	[ "$MACHINE" != smt ] || threads=,threads=2
	QEMU+=(-smp "$SMP$threads" -m "$MEM" -nodefaults -nographic -no-reboot)
	if [ -n "$PLUGIN" ]; then
		QEMU+=(-plugin "$PLUGIN")
	fi
	if [ -n "$MEMORY" ]; then
		QEMU+=(-object "memory-backend-file,id=ram,size=${MEM}M,mem-path=$MEMORY,share=on" -machine memory-backend=ram)
	fi
	if [ "$ICOUNT" != off ]; then
		QEMU+=(-icount "shift=$ICOUNT,sleep=$([ "$MODE" = shell ] && echo on || echo off)")
	fi
}

# exact: whether each CPU's instructions are counted exactly. Stock QEMU counts all CPUs' in each counter.
exact() { [ "$ICOUNT" != off ] && { [ "$SMP" = 1 ] || [ "$EMULATOR" = patched ]; }; }
