# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by tests/vm/run: which machines there are, and which of them make the matrix. A machine is a
# line "KERNEL MACHINE SMP"; tests/vm/boot knows what the names mean.

ARM64_MACHINES="vhe nvhe el1"
X86_VERSIONS="2 3 4 5"
X86_COUNTERS="4 8"

# A machine without a PMU only refuses the module: one CPU is enough.
arm64_machines() { # KERNEL
	local machine

	for machine in $ARM64_MACHINES; do
		printf '%s\n' "$1 $machine 4" "$1 $machine 1"
	done
	printf '%s\n' "$1 nopmu 1"
}

# What every pair of (kernel, CPUs, version, full-width writes, counters) is covered by: two rows a
# version that differ in everything else. check_pairs proves it.
x86_pairwise() {
	cat <<-'EOF'
	6.1-amd64 v2-g4 1
	6.12-amd64 v2-g8-w 4
	6.1-amd64 v3-g8-w 1
	6.12-amd64 v3-g4 4
	6.1-amd64 v4-g8 4
	6.12-amd64 v4-g4-w 1
	6.1-amd64 v5-g4-w 4
	6.12-amd64 v5-g8 1
	EOF
}

x86_all() { # KERNEL
	local smp version counters width

	for smp in 4 1; do
		for version in $X86_VERSIONS; do
			for counters in $X86_COUNTERS; do
				for width in '' -w; do
					printf '%s\n' "$1 v$version-g$counters$width $smp"
				done
			done
		done
	done
}

# check_pairs: every two values of different columns that occur in all combinations occur together in
# a row of the pairwise ones.
check_pairs() {
	local lost

	lost=$(awk '
		# KERNEL vN-gM[-w] SMP as five columns
		function columns(line, c, part, machine) {
			split(line, part, " ")
			split(part[2], machine, "-")
			c[1] = part[1]; c[2] = machine[1]; c[3] = machine[2]
			c[4] = machine[3] == "w" ? "w" : "no w"; c[5] = "smp" part[3]
		}
		{
			columns($0, c)
			for (i = 1; i <= 5; i++)
				for (j = i + 1; j <= 5; j++)
					if (FNR == NR)
						covered[c[i], c[j]] = 1
					else if (!((c[i], c[j]) in covered))
						lost[c[i] " with " c[j]] = 1
		}
		END { for (pair in lost) print pair }' <(x86_pairwise) <(x86_all 6.1-amd64; x86_all 6.12-amd64))
	[ -z "$lost" ] || die "the x86 machines of the matrix do not cover: $(paste -sd, <<<"$lost")"
}

# is_part PROGRAM N PART: whether a program is in this one of N parts, by its name: it stays there whatever others come.
is_part() { [ $((NUMBERS[$1] % $2)) = "$3" ]; }

# each_once MACHINE SMP NAMED ALONE PROGRAM: whether a program runs there where each is to run once: on one of the
# first two machines of its architecture with 4 CPUs; with one CPU those whose line says smp=1; and on other machines
# those that name them, of which that of version 2 has one CPU.
each_once() {
	case $1-$2 in
	vhe-4 | v4-g8-w-4) [ -n "$3" ] || is_part "$5" 2 0 ;;
	nvhe-4) [ -n "$3" ] || is_part "$5" 2 1 ;;
	v5-g8-w-4) [ -z "$3" ] && is_part "$5" 2 1 ;;
	vhe-1 | v4-g8-w-1) [ -n "$4" ] ;;
	*-4 | v2-g4-1) [ -n "$3" ] ;;
	*) { [ -n "$3" ] && [ -n "$4" ]; } || machine_is_particular "$1" ;;
	esac
}

# A kernel that was built here: a few machines of Intel's that differ in everything. AMD's are in sections of their
# own (scripts/sections.sh): all together take longer than a section may.
x86_representative() { # KERNEL
	printf '%s\n' "$1 v4-g8-w 4" "$1 v5-g8-w 4" "$1 v4-g8-w 1" "$1 v2-g4 1" "$1 v5-g8-w-hide 4" "$1 hybrid 4" "$1 late 4" "$1 skid 4" "$1 nopmu 1"
}

# The particular machines of arm64; kernels before 6.13 do not hide counters on p9.
arm64_particular() { # KERNEL
	printf '%s\n' "$1 wide 1" "$1 vhe32 1" "$1 p9 4" "$1 p9 1" "$1 p9-el1 1" "$1 kinds 4" "$1 kinds32 4" \
		"$1 smt 4" "$1 late 4" "$1 skid 4"
}

# quick_matrix: what `make quick` boots.
quick_matrix() { printf '%s\n' "6.12-amd64 v4-g8-w 4" "6.12-arm64 vhe 4"; }

# check_matrix: what `make check` boots, the longest first: each program runs on at least one of them, and on both kernels
# and architectures. tests/selftests/coverage proves it.
check_matrix() {
	printf '%s\n' "6.12-amd64 v4-g8-w 4" "6.12-arm64 vhe 4" "6.12-amd64 v4-g8-w 1" "6.12-arm64 nvhe 4" "6.1-amd64 v3-g8-w 1" \
		"6.1-arm64 nvhe 1" "6.12-arm64 vhe 1" "6.12-amd64 amd-v2-g6 1" \
		"6.12-armhf a32 1" "6.12-arm64 p9 1" "6.12-arm64 el1 1" "6.12-amd64 hybrid 4" "6.12-arm64 kinds 4" "6.12-arm64 smt 4" \
		"6.12-arm64 late 4" "6.12-arm64 skid 4" "6.12-amd64 skid 4" "6.12-amd64 skid-amd 4"
}

# check_has_particular MACHINE: whether `make check` runs only those programs there that name it, though
# the machine is not a particular one.
check_has_particular() { [[ $1 = el1 ]]; }

# check_has_part KERNEL MACHINE SMP PROGRAM ALONE: whether `make check` runs a program there that is about neither
# architecture. It runs on the two machines with 6.12 and 4 CPUs, on one of the others of Intel and arm64 with 6.12,
# on one of the two with 6.1, and half of them run on AMD's. Those whose line says smp= (ALONE) may not run where there
# are 4 CPUs: they run on one architecture with 6.12 and on the other with 6.1. The sections "matrix-*" have all.
check_has_part() {
	local turns=$((${5:-0} ? 2 : 3))

	case $1-$2-$3 in
	6.1-amd64-v3-g8-w-1 | 6.12-amd64-amd-v2-g6-1) is_part "$4" 2 0 ;;
	6.1-arm64-nvhe-1) is_part "$4" 2 1 ;;
	6.12-arm64-vhe-1) is_part "$4" "$turns" 0 ;;
	6.12-amd64-v4-g8-w-1) is_part "$4" "$turns" 1 ;;
	6.12-arm64-nvhe-4) is_part "$4" "$turns" 2 ;;
	esac
}

# default_matrix: what the sections "matrix-*" of `make check-all` boot.
default_matrix() {
	arm64_machines 6.12-arm64
	arm64_machines 6.1-arm64
	x86_pairwise
	printf '%s\n' "6.1-amd64 nopmu 1" "6.12-amd64 nopmu 1"
	arm64_particular 6.12-arm64
	arm_machines 6.12-armhf
	printf '%s\n' "6.1-arm64 kinds32 4" "6.12-amd64 v5-g8-w-hide 4" "6.12-amd64 hybrid 4" "6.1-amd64 hybrid 4" \
		"6.1-arm64 late 4" "6.1-amd64 late 4" "6.12-amd64 late 4" \
		"6.1-arm64 skid 4" "6.1-amd64 skid 4" "6.12-amd64 skid 4"
	amd_machines 6.1-amd64
	amd_machines 6.12-amd64
}

# Those of AMD.
amd_machines() { # KERNEL
	printf '%s\n' "$1 amd-v2-g6 4" "$1 amd-v2-g6 1" "$1 amd-g6 4" "$1 amd-g6 1" "$1 amd-g4 4" "$1 amd-g4 1" \
		"$1 skid-amd 4" "$1 skid-amd-v2 4"
}

# The machines of 32 bits.
arm_machines() { # KERNEL
	printf '%s\n' "$1 a32 1" "$1 nopmu 1"
}

# full_matrix: with every x86 machine, not only the pairwise ones.
full_matrix() {
	default_matrix | grep -v -- "-amd64 v[0-9]-g[0-9]\(-w\)\? "
	x86_all 6.1-amd64
	x86_all 6.12-amd64
}

# built_matrix KERNEL: what is booted of a kernel that was built here: plain ones on a few machines that
# differ in everything, those that watch the module on all.
built_matrix() {
	case $1 in
	7.2-* | amd-*) printf '%s\n' "$1 vhe 4" ;;
	*-plain-arm64) printf '%s\n' "$1 vhe 4" "$1 nvhe 1" "$1 p9 4" "$1 late 4" "$1 skid 4" ;;
	*-plain-amd64) printf '%s\n' "$1 v4-g8-w 4" "$1 v5-g8-w-hide 4" "$1 late 4" "$1 skid 4" \
		"$1 amd-v2-g6 4" "$1 amd-g4 1" "$1 skid-amd 4" ;;
	*-arm64)
		arm64_machines "$1"
		arm64_particular "$1"
		;;
	*-amd64) x86_representative "$1" ;;
	esac
}

# machine_is MACHINE ARCH: whether it is one of that architecture.
machine_is() {
	case $1 in
	nopmu) ;;
	late | skid) [ "$2" = x86 ] || [ "$2" = arm64 ] ;;
	v[0-9]* | amd-* | skid-amd* | hybrid) [ "$2" = x86 ] ;;
	a32) [ "$2" = arm ] ;;
	*) [ "$2" = arm64 ] ;;
	esac
}

# machine_is_particular MACHINE: whether only the tests run there that name it: it is like another one
# but for what they are about.
machine_is_particular() {
	case $1 in
	a32 | hybrid | kinds* | smt | late | skid* | wide | vhe32 | p9* | *-hide) ;;
	*) return 1 ;;
	esac
}

# machine_is_fast KERNEL MACHINE: whether it runs without what takes the emulator long (tests/vm/boot). Others have
# that, so that each architecture is tested with it, too.
machine_is_fast() {
	case $1-$2 in
	6.1-* | *-p9* | *-kinds* | *-v2-* | *-v5-*) return 1 ;;
	esac
}

# machine_fits MACHINE SMP: whether this machine exists with this number of CPUs.
machine_fits() {
	case $1 in
	nopmu) [ "$2" = 1 ] ;;
	hybrid | kinds* | smt | late | skid*) [ "$2" = 4 ] ;;
	esac
}
