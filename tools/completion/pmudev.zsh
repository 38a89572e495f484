#compdef pmudev
# SPDX-License-Identifier: GPL-2.0
# Made by scripts/completions of the manual.

_pmudev_events() {
	local -a events

	events=(${(f)"$(pmudev list 2>/dev/null | awk '/^  [A-Z ]+  / { on = /EVENT/; next } /^  [A-Za-z]/ && on { print $1 }')"})
	_values -s , event $events
}

_pmudev_metrics() {
	local -a metrics

	metrics=(${(f)"$(pmudev list metrics 2>/dev/null | awk '/^[^ ]+:/ { sub(/:.*/, ""); print } /^  / { print $1 }')"})
	_values -s , metric $metrics
}

_pmudev_cpus() {
	_values -s , CPU {0..$(($(getconf _NPROCESSORS_CONF) - 1))}
}

_pmudev_commands() {
	local -a commands

	commands=(
		'info:Shows the CPU'\''s counters, their users and what is enabled'
		'list:Lists what can be counted'
		'explain:Shows which counters events would get, or who holds them'
		'doctor:Tells whether the machine can count, and measures whether its counts ...'
		'stat:Counts events of a program, a process, a thread or CPUs'
		'run:Runs a program for exactly so many instructions'
		'exec:Runs a program that uses perf_event_open(2), with pmudev in perf'\''s ...'
		'record:Writes down where a program was, each so many events'
		'report:Counts what record wrote by function, line, file or thread'
		'top:Shows what processes or CPUs count, sorted, on a screen'
		'monitor:Shows what CPUs count, every second'
		'verify-counters:Counts events twice, to see whether two counters agree'
		'exporter:Serves what CPUs count to Prometheus'
		'bench:Measures what counting costs'
		'convert-metrics:Makes performance groups of perf'\''s metrics'
		'plot:Draws a recording, or what changed between two'
		'compare:Compares two recordings'
		'help:describes a command'
	)
	_describe command commands
}

if ((CURRENT == 2)); then
	_pmudev_commands
else
	local command=$words[2]

	shift words
	((CURRENT--))
	case $command in
	info)
		_arguments -s -S \
			'-j[The same as one object]' \
			'--json[The same as one object]' \
			'--color=-[auto (on a terminal without a non-empty NO_COLOR), always or never]:value:(auto always never)' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	list)
		_arguments -s -S \
			'-v[All of libpfm4'\''s names, one unit mask per line, with its code]' \
			'--long[All of libpfm4'\''s names, one unit mask per line, with its code]' \
			'-j[One object per line, with what -v shows]' \
			'--json[One object per line, with what -v shows]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument:_pmudev_events'
		;;
	explain)
		_arguments -s -S \
			'-e[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'--event[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'-M[The events of these metrics]:value:_pmudev_metrics' \
			'--metrics[The events of these metrics]:value:_pmudev_metrics' \
			'-d[More events, as pmudev-stat(1) counts them]' \
			'--detailed[More events, as pmudev-stat(1) counts them]' \
			'--all-user[Events without modifiers of a level are of user mode, or of the kernel]' \
			'--all-kernel[Events without modifiers of a level are of user mode, or of the kernel]' \
			'-C[On these CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'--cpu[On these CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'-a[On all CPUs]' \
			'--all-cpus[On all CPUs]' \
			'-t[On each of these threads, together with the sets that count it already]:value:_pids' \
			'--tid[On each of these threads, together with the sets that count it already]:value:_pids' \
			'-p[On all threads of each of these processes]:value:_pids' \
			'--pid[On all threads of each of these processes]:value:_pids' \
			'-G[Of a cgroup (v2) on the CPUs of -C, or on all]:value: ' \
			'--cgroup[Of a cgroup (v2) on the CPUs of -C, or on all]:value: ' \
			'--for-each-cgroup[Of each of these cgroups]:value: ' \
			'--multiplex[With all events and groups multiplexed]' \
			'-j[One object per line for CPUs with the same answer, with target (only ...]' \
			'--json[One object per line for CPUs with the same answer, with target (only ...]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	doctor)
		_arguments -s -S \
			'-j[One object per line for each check, with check, verdict, text and ...]' \
			'--json[One object per line for each check, with check, verdict, text and ...]' \
			'--no-measure[Count nothing]' \
			'--color=-[auto, always or never]:value:(auto always never)' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	stat)
		_arguments -s -S \
			'-e[Events, as in pmudev-events(7), and the software events below]:value:_pmudev_events' \
			'--event[Events, as in pmudev-events(7), and the software events below]:value:_pmudev_events' \
			'-M[Metrics such as IPC,branch-miss-rate, or groups of them, as pmudev ...]:value:_pmudev_metrics' \
			'--metrics[Metrics such as IPC,branch-miss-rate, or groups of them, as pmudev ...]:value:_pmudev_metrics' \
			'-d[Also count branches, accesses to the first level data cache (perf'\''s ...]' \
			'--detailed[Also count branches, accesses to the first level data cache (perf'\''s ...]' \
			'-p[Processes, such as 12,34]:value:_pids' \
			'--pid[Processes, such as 12,34]:value:_pids' \
			'-t[Threads, with their new threads and children]:value:_pids' \
			'--tid[Threads, with their new threads and children]:value:_pids' \
			'-C[CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'--cpu[CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'-a[All online CPUs]' \
			'--all-cpus[All online CPUs]' \
			'-G[The threads of a cgroup, and of those below it, while they run on ...]:value: ' \
			'--cgroup[The threads of a cgroup, and of those below it, while they run on ...]:value: ' \
			'--for-each-cgroup[Several such cgroups, such as system.slice,user.slice]:value: ' \
			'-i[Without children]' \
			'--no-inherit[Without children]' \
			'--all-user[Count user mode, or the kernel, for events that do not say which]' \
			'--all-kernel[Count user mode, or the kernel, for events that do not say which]' \
			'--multiplex[If there are not enough counters, events and groups share them over ...]' \
			'--scale[With --no-scale, counts of --multiplex are shown as they were ...]' \
			'--no-scale[With --no-scale, counts of --multiplex are shown as they were ...]' \
			'-n[Count nothing]' \
			'--null[Count nothing]' \
			'-I[Show the counts of each interval]:value: ' \
			'--interval-print[Show the counts of each interval]:value: ' \
			'--interval-count[Stop counting after this many intervals]:value: ' \
			'--summary[Show the sums after the intervals]' \
			'-r[Run command this often, and show the rounded means with their ...]:value: ' \
			'--repeat[Run command this often, and show the rounded means with their ...]:value: ' \
			'--table[With -r]' \
			'--repeatability[With -r]' \
			'-D[Start counting this long after launch]:value: ' \
			'--delay[Start counting this long after launch]:value: ' \
			'--control[Read lines from descriptor ctl, or from the FIFO of this name]:value: ' \
			'--timeout[Count for this long, then send SIGTERM to command]:value: ' \
			'--pre[Run this line of the shell before and after each run of command, ...]:value: ' \
			'--post[Run this line of the shell before and after each run of command, ...]:value: ' \
			'-S[Call sync(2) before each run]' \
			'--sync[Call sync(2) before each run]' \
			'-A[With -C or -a]' \
			'--no-aggr[With -C or -a]' \
			'--no-merge[With -C or -a]' \
			'--per-core[The same for the sum of each of these, with its name S0-D0-C1]' \
			'--per-cluster[The same for the sum of each of these, with its name S0-D0-C1]' \
			'--per-die[The same for the sum of each of these, with its name S0-D0-C1]' \
			'--per-socket[The same for the sum of each of these, with its name S0-D0-C1]' \
			'--per-node[The same for the sum of each of these, with its name S0-D0-C1]' \
			'--per-thread[With -p or -t]' \
			'--hybrid-merge[Changes nothing]' \
			'-j[JSON Lines, see below]' \
			'--json[JSON Lines, see below]' \
			'--json-output[JSON Lines, see below]' \
			'--csv[A table with a header line, see below]' \
			'-x[The columns of perf'\''s -x, with text between them]:value: ' \
			'--field-separator[The columns of perf'\''s -x, with text between them]:value: ' \
			'--no-csv-summary[With -x and --summary]' \
			'--openmetrics[For the textfile collector of node_exporter, see below]' \
			'--metric-only[Show no counts, but the metrics of two events in one line, without ...]' \
			'--no-metric-only[Show no counts, but the metrics of two events in one line, without ...]' \
			'-o[Write the report to file]:value:_files' \
			'--output[Write the report to file]:value:_files' \
			'--append[Append to file]' \
			'--log-fd[Write the report to this descriptor]:value: ' \
			'--quiet[Write no report]' \
			'-B[Numbers with commas, which is the default, or without]' \
			'--big-num[Numbers with commas, which is the default, or without]' \
			'--no-big-num[Numbers with commas, which is the default, or without]' \
			'--interval-clear[With -I]' \
			'-v[Also show the unscaled counts and the times of each event, on ...]' \
			'--verbose[Also show the unscaled counts and the times of each event, on ...]' \
			'--color=-[auto, on a terminal]:value:(auto always never)' \
			'-h[Help]' \
			'--help[Help]' \
			'*::argument:_normal'
		;;
	run)
		_arguments -s -S \
			'--instructions[How many]:value: ' \
			'--limit=-[An event as pmudev-stat(1) takes it, and how much of it]:value: ' \
			'--then[What happens to the thread then]:value:(kill continue stop)' \
			'--skid[From 0 to 1000000]:value: ' \
			'-j[The report as one object]' \
			'--json[The report as one object]' \
			'-o[Write the report to FILE]:value:_files' \
			'--output[Write the report to FILE]:value:_files' \
			'-h[Help]' \
			'--help[Help]' \
			'*::argument:_normal'
		;;
	exec)
		_arguments -s -S \
			'--strict[Refuse events for which there is no counter]' \
			'--explain[Say on standard error why an event or a ring is refused, or takes ...]' \
			'-h[Help]' \
			'--help[Help]' \
			'*::argument:_normal'
		;;
	record)
		_arguments -s -S \
			'-e[Events as pmudev-stat(1) takes them]:value:_pmudev_events' \
			'--event[Events as pmudev-stat(1) takes them]:value:_pmudev_events' \
			'-c[A sample each N of it (default]:value: ' \
			'--count[A sample each N of it (default]:value: ' \
			'-p[This process instead of a command]:value:_pids' \
			'--pid[This process instead of a command]:value:_pids' \
			'-i[Without the threads and processes that it makes]' \
			'--no-inherit[Without the threads and processes that it makes]' \
			'-o[Write to FILE]:value:_files' \
			'--output[Write to FILE]:value:_files' \
			'-j[One object per line instead of a table, for other programs]' \
			'--json[One object per line instead of a table, for other programs]' \
			'-m[Memory for samples that were not written yet (default]:value: ' \
			'--mmap-bytes[Memory for samples that were not written yet (default]:value: ' \
			'--lossless[While that memory is full, threads that reach a sample wait]' \
			'--no-ptrace[Do not trace COMMAND]' \
			'-h[Help]' \
			'--help[Help]' \
			'*::argument:_normal'
		;;
	report)
		_arguments -s -S \
			'--by[symbol (the default)]:value:(symbol file line thread)' \
			'-n[Show the first N rows (default]:value: ' \
			'--rows[Show the first N rows (default]:value: ' \
			'-j[One object]' \
			'--json[One object]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument:_files'
		;;
	top)
		_arguments -s -S \
			'-p[These processes, such as 12,34]:value:_pids' \
			'--pid[These processes, such as 12,34]:value:_pids' \
			'-C[Begin with CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'--cpu[Begin with CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'-a[Begin with all online CPUs]' \
			'--all-cpus[Begin with all online CPUs]' \
			'-i[Such as 0.2]:value: ' \
			'--interval[Such as 0.2]:value: ' \
			'-n[End after this many]:value: ' \
			'--intervals[End after this many]:value: ' \
			'-s[Sort by the column with this name]:value: ' \
			'--sort[Sort by the column with this name]:value: ' \
			'-r[The smallest first]' \
			'--reverse[The smallest first]' \
			'-e[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'--event[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'-M[Metrics and groups of metrics, as pmudev list metrics shows them]:value:_pmudev_metrics' \
			'--metrics[Metrics and groups of metrics, as pmudev list metrics shows them]:value:_pmudev_metrics' \
			'-b[Text on a terminal too]' \
			'--batch[Text on a terminal too]' \
			'-j[One object per interval, one per line]' \
			'--json[One object per interval, one per line]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	monitor)
		_arguments -s -S \
			'-C[The CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'-c[The CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'--cpu[The CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'-a[All online CPUs]' \
			'--all-cpus[All online CPUs]' \
			'-i[Such as 0.2]:value: ' \
			'--interval[Such as 0.2]:value: ' \
			'-n[End after this many]:value: ' \
			'--intervals[End after this many]:value: ' \
			'--lines[End after this many]:value: ' \
			'-e[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'--event[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'--plain[Lines on a terminal too]' \
			'-j[One object per event, CPU and interval and line, with the keys ...]' \
			'--json[One object per event, CPU and interval and line, with the keys ...]' \
			'--csv[One line per CPU and interval, after a header line]' \
			'--color=-[auto (on a terminal without a non-empty NO_COLOR), always or never]:value:(auto always never)' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	verify-counters)
		_arguments -s -S \
			'-C[Default]:value:_pmudev_cpus' \
			'-c[Default]:value:_pmudev_cpus' \
			'--cpu[Default]:value:_pmudev_cpus' \
			'-a[All online CPUs]' \
			'--all-cpus[All online CPUs]' \
			'-i[Default]:value: ' \
			'--interval[Default]:value: ' \
			'-n[End after this many]:value: ' \
			'--intervals[End after this many]:value: ' \
			'--lines[End after this many]:value: ' \
			'-e[Other events]:value:_pmudev_events' \
			'--event[Other events]:value:_pmudev_events' \
			'--plain[Lines on a terminal too]' \
			'-j[Objects, as of pmudev-monitor(1)]' \
			'--json[Objects, as of pmudev-monitor(1)]' \
			'--csv[As that of pmudev-monitor(1)]' \
			'--color=-[auto, always or never]:value:(auto always never)' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	exporter)
		_arguments -s -S \
			'-l[Where to listen, in numbers, such as 0.0.0.010345 or (1)10345]:value: ' \
			'--listen[Where to listen, in numbers, such as 0.0.0.010345 or (1)10345]:value: ' \
			'-C[The CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'--cpu[The CPUs, such as 0-3,5]:value:_pmudev_cpus' \
			'-a[All CPUs]' \
			'--all-cpus[All CPUs]' \
			'-e[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'--event[Events, as in pmudev-events(7)]:value:_pmudev_events' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	bench)
		_arguments -s -S \
			'-C[Measure on this CPU]:value:_pmudev_cpus' \
			'--cpu[Measure on this CPU]:value:_pmudev_cpus' \
			'-j[One object per row and line]' \
			'--json[One object per row and line]' \
			'--color=-[auto (on a terminal without a non-empty NO_COLOR), always or never]:value:(auto always never)' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument: '
		;;
	convert-metrics)
		_arguments -s -S \
			'-o[Write there instead of standard output]:value:_files' \
			'--output[Write there instead of standard output]:value:_files' \
			'-v[Tell of each metric that is left out why, not only of the first]' \
			'--verbose[Tell of each metric that is left out why, not only of the first]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument:_files'
		;;
	plot)
		_arguments -s -S \
			'-o[Output file]:value:_files' \
			'--output[Output file]:value:_files' \
			'--compare[Draw what changed between two recordings]' \
			'--lines[Draw CPUs, cores or threads as lines, not as a heat map]' \
			'--total[Compare totals]' \
			'--rate[Compare events per second in which they were counted, otherwise the ...]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument:_files'
		;;
	compare)
		_arguments -s -S \
			'--total[Compare totals]' \
			'--rate[Compare events per second in which they were counted, otherwise the ...]' \
			'-j[One object per row and line, with name, kind event, time, ratio, ...]' \
			'--json[One object per row and line, with name, kind event, time, ratio, ...]' \
			'-h[Help]' \
			'--help[Help]' \
			'*:argument:_files'
		;;
	help) _pmudev_commands ;;
	esac
fi
