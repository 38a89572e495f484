# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of the pmudev command in bash. Made by scripts/completions of the manual.

# The options of each command.
_pmudev_options() { # COMMAND
	case $1 in
	info) echo "-j --json --color -h --help" ;;
	list) echo "-v --long -j --json -h --help" ;;
	explain) echo "-e --event -M --metrics -d --detailed --all-user --all-kernel -C --cpu -a --all-cpus -t --tid -p --pid -G --cgroup --for-each-cgroup --multiplex -j --json -h --help" ;;
	doctor) echo "-j --json --no-measure --color -h --help" ;;
	stat) echo "-e --event -M --metrics -d --detailed -p --pid -t --tid -C --cpu -a --all-cpus -G --cgroup --for-each-cgroup -i --no-inherit --all-user --all-kernel --multiplex --scale --no-scale -n --null -I --interval-print --interval-count --summary -r --repeat --table --repeatability -D --delay --control --timeout --pre --post -S --sync -A --no-aggr --no-merge --per-core --per-cluster --per-die --per-socket --per-node --per-thread --hybrid-merge -j --json --json-output --csv -x --field-separator --no-csv-summary --openmetrics --metric-only --no-metric-only -o --output --append --log-fd --quiet -B --big-num --no-big-num --interval-clear -v --verbose --color -h --help" ;;
	run) echo "--instructions --limit --then --skid -j --json -o --output -h --help" ;;
	exec) echo "--strict --explain -h --help" ;;
	record) echo "-e --event -c --count -p --pid -i --no-inherit -o --output -j --json -m --mmap-bytes --lossless --no-ptrace -h --help" ;;
	report) echo "--by -n --rows -j --json -h --help" ;;
	top) echo "-p --pid -C --cpu -a --all-cpus -i --interval -n --intervals -s --sort -r --reverse -e --event -M --metrics -b --batch -j --json -h --help" ;;
	monitor) echo "-C -c --cpu -a --all-cpus -i --interval -n --intervals --lines -e --event --plain -j --json --csv --color -h --help" ;;
	verify-counters) echo "-C -c --cpu -a --all-cpus -i --interval -n --intervals --lines -e --event --plain -j --json --csv --color -h --help" ;;
	exporter) echo "-l --listen -C --cpu -a --all-cpus -e --event -h --help" ;;
	bench) echo "-C --cpu -j --json --color -h --help" ;;
	convert-metrics) echo "-o --output -v --verbose -h --help" ;;
	plot) echo "-o --output --compare --lines --total --rate -h --help" ;;
	compare) echo "--total --rate -j --json -h --help" ;;
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

# What an option takes, or what stands behind the options.
_pmudev_value() { # COMMAND WORD OPTION
	local word=$2

	case $1:$3 in
	explain:-e | explain:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	explain:-M | explain:--metrics) mapfile -t COMPREPLY < <(_pmudev_metrics "$word") ;;
	explain:-C | explain:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	explain:-t | explain:--tid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	explain:-p | explain:--pid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	stat:-e | stat:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	stat:-M | stat:--metrics) mapfile -t COMPREPLY < <(_pmudev_metrics "$word") ;;
	stat:-p | stat:--pid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	stat:-t | stat:--tid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	stat:-C | stat:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	stat:-o | stat:--output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	run:--then) mapfile -t COMPREPLY < <(compgen -W "kill continue stop" -- "$word") ;;
	run:-o | run:--output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	record:-e | record:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	record:-p | record:--pid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	record:-o | record:--output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	report:--by) mapfile -t COMPREPLY < <(compgen -W "symbol file line thread" -- "$word") ;;
	top:-p | top:--pid) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_numbers)" -- "$word") ;;
	top:-C | top:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	top:-e | top:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	top:-M | top:--metrics) mapfile -t COMPREPLY < <(_pmudev_metrics "$word") ;;
	monitor:-C | monitor:-c | monitor:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	monitor:-e | monitor:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	verify-counters:-C | verify-counters:-c | verify-counters:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	verify-counters:-e | verify-counters:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	exporter:-C | exporter:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	exporter:-e | exporter:--event) mapfile -t COMPREPLY < <(_pmudev_events "$word") ;;
	bench:-C | bench:--cpu) mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_cpus)" -- "$word") ;;
	convert-metrics:-o | convert-metrics:--output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	plot:-o | plot:--output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	*) return 1 ;;
	esac
}

_pmudev_argument() { # COMMAND WORD
	local word=$2

	case $1 in
	list) mapfile -t COMPREPLY < <(compgen -W metrics -- "$word"; _pmudev_events "$word") ;;
	stat) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
	run) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
	exec) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
	record) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
	report) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	convert-metrics) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	plot) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	compare) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	help) mapfile -t COMPREPLY < <(compgen -W "info list explain doctor stat run exec record report top monitor verify-counters exporter bench convert-metrics plot compare" -- "$word") ;;
	esac
}

_pmudev() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "info list explain doctor stat run exec record report top monitor verify-counters exporter bench convert-metrics plot compare help --help --version" -- "$word")
	elif _pmudev_value "$command" "$word" "$before"; then
		return
	elif [[ $word = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_pmudev_options "$command")" -- "$word")
	else
		_pmudev_argument "$command" "$word"
	fi
}

complete -F _pmudev pmudev
