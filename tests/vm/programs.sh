# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by tests/vm/run: which program runs on which machine. The file tests/selftests/matrix has a
# line for each program that does not run everywhere for 30 seconds; it says what the words mean.

# PROGRAM_LIST: the programs to choose from. WORDS: each program's words of the matrix. NUMBERS: the checksum of its name.
PROGRAM_LIST=''
declare -A WORDS=() NUMBERS=()
MATRIX=$PMUDEV_ROOT/tests/selftests/matrix

# has_source NAME: whether there is such a program, a C file or a script.
has_source() { [ -e "$SOURCES/$1.c" ] || [ -e "$SOURCES/$1.sh" ]; }

# read_matrix: sets WORDS; a slip in the file must not take a test out silently.
read_matrix() {
	local program words word

	while read -r program words; do
		[ -n "$program" ] || continue
		[ -e "$PMUDEV_ROOT/tests/selftests/$program.c" ] || [ -e "$PMUDEV_ROOT/tests/selftests/$program.sh" ] ||
			die "$MATRIX: no program '$program'"
		[ -z "${WORDS[$program]+there}" ] || die "$MATRIX: two lines for $program"
		for word in $words; do
			[[ $word =~ ^((arch|kernel|machine|also|early|smp|timeout|check|quick)=.+|quick|slow)$ ]] ||
				die "$MATRIX: '$word' is not understood"
		done
		WORDS[$program]=$words
	done < <(sed 's/#.*//' "$MATRIX")
}

# list_programs: sets PROGRAM_LIST: every program, or those of --test.
list_programs() {
	local name

	for name in $TESTS; do
		name=${name%.sh}
		has_source "$name" || die "no test program '$name'$(suggest "$name" "$(source_names)")"
		PROGRAM_LIST+=" $name"
	done
	[ -n "$TESTS" ] || PROGRAM_LIST=$(source_names)
	number_programs
}

# number_programs: sets NUMBERS, by one process for all: one for each would take longer than all else here.
number_programs() {
	local dir number name

	dir=$(mktemp -d)
	for name in $PROGRAM_LIST; do
		echo "$name" >"$dir/$name"
	done
	while read -r number _ name; do
		# shellcheck disable=SC2034 # tests/vm/machines.sh looks at it
		NUMBERS[$name]=$number
	done < <(cd "$dir" && cksum -- *)
	rm -r "$dir"
}

source_names() {
	local f

	for f in "$SOURCES"/*_test.c "$SOURCES"/*_test.sh; do
		if [ -e "$f" ]; then
			f=${f##*/}
			printf '%s\n' "${f%.*}"
		fi
	done | sort
}

# quick_options LIST: only these of a program's tests, as options of the harness.
quick_options() {
	local word=$1

	printf ' -t %s' "${word//,/ -t }"
}

# matches WORD LIST: whether one of a comma-separated list of patterns fits.
matches() {
	local pattern

	for pattern in ${2//,/ }; do
		# shellcheck disable=SC2053 # a pattern
		if [[ $1 = $pattern ]]; then
			return
		fi
	done
	return 1
}

# wanted PROGRAM KERNEL ARCH MACHINE SMP: whether the program runs there; sets WANTED_LIMIT (seconds of the
# machine), WANTED_EARLY and WANTED_OPTIONS (of the program). --test runs a program on particular machines, too, and whatever its tags.
wanted() {
	local word named=$TESTS alone='' quick='' slow='' chosen=''

	WANTED_LIMIT=30 WANTED_EARLY='' WANTED_OPTIONS=''
	[ "$4" != nopmu ] || return 1
	if kernel_is_watched "$2"; then
		WANTED_LIMIT=120
	fi
	for word in ${WORDS[$1]:-}; do
		case $word in
		arch=*)
			matches "$3" "${word#*=}" || return 1
			chosen=1
			;;
		kernel=*)
			matches "$2" "${word#*=}" || return 1
			chosen=1
			;;
		machine=*)
			matches "$4" "${word#*=}" || return 1
			named=$4 chosen=1
			;;
		also=*)
			if matches "$4" "${word#*=}"; then
				named=$4
			fi
			;;
		smp=*)
			# There is one machine for all of them.
			[ "$LEVEL" = quick ] || matches "$5" "${word#*=}" || return 1
			alone=1
			;;
		early=*)
			if matches "$4" "${word#*=}"; then
				WANTED_EARLY=1
			fi
			;;
		check=*)
			[ "$LEVEL" != check ] || [ -n "$TESTS" ] || matches "$2-$4-smp$5" "${word#*=}" || return 1
			chosen=1
			;;
		timeout=*) WANTED_LIMIT=${word#*=} ;;
		quick) quick=1 ;;
		quick=*)
			quick=1
			# Options of the test harness.
			[ "$LEVEL" != quick ] || WANTED_OPTIONS=$(quick_options "${word#*=}")
			;;
		slow) slow=1 ;;
		esac
	done
	WANTED_LIMIT=${LIMIT:-$WANTED_LIMIT}
	if [ -z "$named" ] && { machine_is_particular "$4" || { [ "$LEVEL" = check ] && check_has_particular "$4"; }; }; then
		return 1
	fi
	[ -z "$EACH_ONCE" ] || each_once "$4" "$5" "$named" "$alone" "$1" || return 1
	[ -z "$TESTS" ] || return 0
	case $LEVEL in
	quick) [ -n "$quick" ] ;;
	check) [ -z "$slow" ] && { [ -n "$chosen" ] || check_has_part "$2" "$4" "$5" "$1" "$alone"; } ;;
	slow) [ -n "$slow" ] ;;
	matrix) [ -z "$slow" ] ;;
	esac
}

# programs_naming MACHINE: the programs whose line names that machine.
programs_naming() {
	local program word

	for program in "${!WORDS[@]}"; do
		for word in ${WORDS[$program]}; do
			if [[ $word =~ ^(machine|also)= ]] && matches "$1" "${word#*=}"; then
				printf '%s\n' "$program"
				break
			fi
		done
	done | sort
}

# programs_tagged TAG: the programs whose line has that word, quick or slow.
programs_tagged() {
	local program

	for program in "${!WORDS[@]}"; do
		if [[ " ${WORDS[$program]} " =~ \ $1(=[^ ]*)?\  ]]; then
			printf '%s\n' "$program"
		fi
	done | sort
}

# programs_of KERNEL MACHINE SMP: lines of "PROGRAM LIMIT OPTIONS", first those that come early there.
programs_of() {
	local program arch late=()

	arch=$(kernel_arch "$1")
	for program in $PROGRAM_LIST; do
		if ! wanted "$program" "$1" "$arch" "$2" "$3"; then
			continue
		elif [ -n "$WANTED_EARLY" ]; then
			printf '%s %s\n' "$program" "$WANTED_LIMIT$WANTED_OPTIONS"
		else
			late+=("$program $WANTED_LIMIT$WANTED_OPTIONS")
		fi
	done
	[ ${#late[@]} = 0 ] || printf '%s\n' "${late[@]}"
}
