# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of the pmudev command in bash.

# The options of each command, as its --help has them.
_pmudev_options() { # COMMAND
	case $1 in
	info) echo "--json --color --help" ;;
	list) echo "-v --long --json --help metrics" ;;
	explain) echo "-e -C -t -p --multiplex --help" ;;
	stat) pmudev stat --help 2>/dev/null | grep -oE '(^|[ (,;])--?[A-Za-z][a-z-]*' | tr -d ' (,;' | sort -u | xargs ;;
	record) echo "-e -c -p -i --no-inherit -o -j --json -m --lossless --no-ptrace --help" ;;
	report) echo "--by -n -j --json --help" ;;
	doctor) echo "--json --no-measure --color --help" ;;
	exec) echo "--strict --explain --help" ;;
	run) echo "--instructions --limit --then --skid -j --json -o --help" ;;
	monitor | verify-counters) echo "-C -a -i -n -e --plain --json --csv --color --help" ;;
	bench) echo "-C --json --color --help" ;;
	convert-metrics) echo "-o --output -v --verbose --help" ;;
	plot) echo "-o --script --help" ;;
	esac
}

# The names of events: the last of a list, behind a comma or a brace.
_pmudev_events() {
	local list=$1 before=''

	if [[ $list = *[,'{']* ]]; then
		before=${list%"${list##*[,\{]}"}
	fi
	compgen -P "$before" -W "$(pmudev list 2>/dev/null | awk '
		/^  [A-Z ]+  / { events = /EVENT/; next }
		/^  [A-Za-z]/ && events { print $1 }')" -- "${list#"$before"}"
}

# The names of metrics and of their groups: the last of a list.
_pmudev_metrics() {
	local list=$1 before=''

	if [[ $list = *,* ]]; then
		before=${list%"${list##*,}"}
	fi
	compgen -P "$before" -W "$(pmudev list metrics 2>/dev/null | awk '/^[^ ]+:/ { sub(/:.*/, ""); print } /^  / { print $1 }')" -- "${list#"$before"}"
}

_pmudev_numbers() { # of processes
	local dir

	for dir in /proc/[0-9]*; do
		echo "${dir#/proc/}"
	done
}

_pmudev_cpus() {
	local i

	for ((i = 0; i < $(getconf _NPROCESSORS_CONF 2>/dev/null || echo 1); i++)); do
		echo "$i"
	done
}

_pmudev() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "info list explain stat doctor run exec record report monitor verify-counters bench convert-metrics plot help --help --version" -- "$word")
		return
	fi
	case $command:$before in
	help:help) mapfile -t COMPREPLY < <(compgen -W "info list explain stat doctor run exec record report monitor verify-counters bench convert-metrics plot" -- "$word") ;;
	*:-e | *:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	*:-M | *:--metrics) mapfile -t COMPREPLY < <(_pmudev_metrics "$word") ;;
	*:-p | *:--pid | *:-t | *:--tid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	*:-C | *:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	*:-o | *:--output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	report:--by) mapfile -t COMPREPLY < <(compgen -W "symbol file line thread" -- "$word") ;;
	run:--then) mapfile -t COMPREPLY < <(compgen -W "kill continue stop" -- "$word") ;;
	list:list) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	*)
		if [[ $word = -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_options "$command")" -- "$word")
		elif [ "$command" = plot ] || [ "$command" = convert-metrics ] || [ "$command" = report ]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		elif [[ " stat run exec record " = *" $command "* ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
		fi
		;;
	esac
}

complete -F _pmudev pmudev
