#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a command's --help, its man page and the completion say of its options agrees; and completion
# completes. Prints TAP.
#
#   MADE=  where the command is, or is made

HERE=$(cd "$(dirname "$0")" && pwd)
MADE=${MADE:-$HERE/../../build/tools/tests/made}
PMUDEV=$MADE/pmudev
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT
NR=0 FAILED=0

ok() { # STATUS WHAT [MORE]
	NR=$((NR + 1))
	if [ "$1" = 0 ]; then
		echo "ok $NR - $2"
	else
		FAILED=1
		echo "not ok $NR - $2"
		printf '%s\n' "${3:-}" | sed 's/^/# /'
	fi
}

is() { # GOT WANTED WHAT
	[ "$1" = "$2" ]
	ok $? "$3" "got: $1"$'\n'"wanted: $2"
}

make -s -C "$HERE/../pmudev" OUTPUT="$MADE" >"$DIR/out" 2>&1
ok $? "the command builds" "$(cat "$DIR/out")"

# --- options ------------------------------------------------------------------------------------

# Those that stand at the beginning of a line of --help.
# (list has examples of -e.)
helped() { "$PMUDEV" "$1" --help | grep -v '^  -e [A-Za-z]*[a-z_]' | sed -nE 's/^  (-{1,2}[A-Za-z][a-z-]*).*/\1/p' | sort -u; }

# The words behind .It Fl: "-i", "--interval".
paged() {
	sed -nE 's/^\.It //p' "$HERE/../../man/man1/pmudev-$1.1" |
		grep -oE 'Fl (Fl )?[A-Za-z-]+' | sed -E 's/^Fl Fl /--/; s/^Fl /-/' | sort -u
}

# shellcheck source=tools/completion/pmudev.bash
. "$HERE/../completion/pmudev.bash"

for command in info list explain doctor run exec record report top monitor verify-counters exporter bench convert-metrics plot compare; do
	missing=$(comm -23 <(helped "$command") <(paged "$command"))
	is "$missing" "" "$command: the man page has the options of --help"
	missing=$(comm -23 <(helped "$command") <(_pmudev_options "$command" | tr ' ' '\n' | sort))
	is "$missing" "" "$command: so has the completion"
	unknown=
	for option in $({ _pmudev_options "$command" | tr ' ' '\n'; paged "$command"; } | sort -u); do
		if timeout 5 "$PMUDEV" "$command" "$option" </dev/null 2>&1 | grep -q 'unknown option'; then
			unknown+=" $option"
		fi
	done 2>/dev/null
	is "$unknown" "" "$command: and it knows them"
done

# Commands with a table have it for programs, too, by the same two names.
for command in info list explain doctor bench monitor verify-counters run record report top stat compare; do
	is "$("$PMUDEV" "$command" --help | grep -oE '^  -j, --json' | sort -u)" "  -j, --json" "$command: -j is --json"
	timeout 5 "$PMUDEV" "$command" -j --no-such </dev/null >"$DIR/short" 2>&1
	timeout 5 "$PMUDEV" "$command" --json --no-such </dev/null >"$DIR/long" 2>&1
	is "$(cat "$DIR/short")" "$(cat "$DIR/long")" "$command: and means the same"
	! grep -qE "option '(-j|--json)'" "$DIR/short"
	ok $? "$command: and is known" "$(cat "$DIR/short")"
done

# perf's, of which none is just unknown. What stands behind them ends the command if they are taken.
unknown=
for option in $("$HERE/../../scripts/perf-options" --list); do
	if timeout 5 "$PMUDEV" stat "$option" --no-such </dev/null 2>&1 | grep -q "unknown option '$option'"; then
		unknown+=" $option"
	fi
done
is "$unknown" "" "stat: each option of perf stat is taken, or refused with advice"

# The common ones of the other commands that perf has, too.
refused() { # COMMAND OPTION...
	local command=$1 option unknown=

	shift
	for option; do
		if ! timeout 5 "$PMUDEV" "$command" "$option" --no-such </dev/null 2>&1 |
			grep -q "^pmudev: $command does not have perf's -.*: "; then
			unknown+=" $option"
		fi
	done
	is "$unknown" "" "$command: common options of perf $command are refused with advice"
}

refused record -F --freq=99 -g --call-graph=dwarf -a --all-cpus -C -t --tid=1 -u -G -b --all-user --all-kernel -D -T -n -s -d -W -R \
	--filter=x --per-thread -z -q -v --mmap-pages=8 --switch-output --overwrite -k -N -B
refused report -i --input=perf.data -s --sort=comm,dso -F -g --call-graph -G --children --no-children --stdio --tui -c --comms=x -d --dsos=x -S -C \
	--pid=1 --tid=1 --time=1,2 -D -t -T -U --percent-limit=1 -k --vmlinux=x -f -q -v --header -I --source
refused top -d --delay=1 -c -F --freq=99 -g --call-graph=fp -E -K -U -t -u -G -z -k -m --stdio --tui --symbols=x --comms=x --dsos=x --sym-annotate=x -v
refused list -d --desc --no-desc --long-desc --details --cputype=x --unit=x --deprecated -o
is "$("$PMUDEV" record -iF 99 true 2>&1)" "pmudev: record does not have perf's --freq: a sample is taken each N events: -c N" \
	"a letter among others"
is "$("$PMUDEV" report -jy 2>&1)" "pmudev: unknown option '-y'; \`pmudev report --help\` lists them" "and an unknown one"

# --- completion ---------------------------------------------------------------------------------

complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_pmudev
	echo "${COMPREPLY[*]}"
}

# Stands for the command.
pmudev() {
	cat <<-'EOF'
	armv8_pmuv3_0: CPUs 0-3, arm64, counters 1-5, fixed 0 (not available: 0)

	  GENERIC EVENT             COUNTS
	  cycles                    cycles in which the CPU was not halted

	  EVENT OF THIS CPU         IS THE SAME AS
	  cpu_cycles                armv8_pmuv3_0/event=0x11/

	  TERM                      VALUES          MEANS
	  counters                  a mask          the counters that it may be on
	EOF
}

is "$(complete_words pmudev mo)" "monitor" "a command"
is "$(complete_words pmudev info --j)" "--json" "an option"
is "$(complete_words pmudev monitor -e c)" "cycles cpu_cycles" "events, and no terms"
is "$(complete_words pmudev monitor -e '{r11,cy')" "{r11,cycles" "the last of several"
is "$(complete_words pmudev explain -p $$ | tr ' ' '\n' | grep -x $$)" "$$" "a process"
is "$(complete_words pmudev monitor -C 0)" "0" "a CPU"

# The other shells' are at least in their language.
for shell in "zsh -n:zsh" "fish --no-execute:fish"; do
	if command -v "${shell%% *}" >/dev/null; then
		# shellcheck disable=SC2086 # a command and its option
		${shell%:*} "$HERE/../completion/pmudev.${shell#*:}" >"$DIR/out" 2>&1
		ok $? "${shell#*:} reads its completion" "$(cat "$DIR/out")"
	else
		NR=$((NR + 1))
		echo "ok $NR - ${shell#*:} reads its completion # SKIP no ${shell#*:}"
	fi
done

# --- convert-metrics ----------------------------------------------------------------------------

# As `perf list -j` writes them; names and texts are made up.
cat >"$DIR/list.json" <<'EOF'
[
{
	"Unit": "cpu",
	"Topic": "pipeline",
	"EventName": "insts.any",
	"EventType": "Kernel PMU event",
	"BriefDescription": "not a metric"
},
{
	"MetricGroup": "Summary;Other",
	"MetricName": "ratio\u002fper",
	"MetricExpr": "d_ratio(A.B, branch\\-misses)",
	"ScaleUnit": "100%",
	"BriefDescription": "A \"quoted\"\ntext"
},
{
	"MetricName": "of_another",
	"MetricExpr": "ratio_x + cpu@EVENT\\,umask\\=1@",
	"ScaleUnit": "1per_cycle"
},
{
	"MetricName": "ratio_x",
	"MetricExpr": "C / duration_time"
},
{
	"MetricName": "smt",
	"MetricExpr": "C if #smt_on else A.B"
},
{
	"MetricName": "uncore",
	"MetricExpr": "source_count(C) * 64"
}
]
EOF
cat >"$DIR/groups.txt" <<'EOF'
# Converted from `perf list -j` by `pmudev convert-metrics`

group Summary
event A.B
event branch-misses
metric ratio_per
about A "quoted" text
unit %
formula 100 * (d_ratio(A.B, branch-misses))

group of_another
event C
event duration_time
event e3 cpu/EVENT,umask=1/
metric of_another
unit per_cycle
formula (C / (duration_time / 1e9)) + e3

group ratio_x
event C
event duration_time
metric ratio_x
formula C / (duration_time / 1e9)
EOF
"$PMUDEV" convert-metrics "$DIR/list.json" >"$DIR/out" 2>"$DIR/err"
ok $? "perf's metrics are converted" "$(cat "$DIR/err")"
is "$(cat "$DIR/out")" "$(cat "$DIR/groups.txt")" "  what they become"
is "$(cat "$DIR/err")" "pmudev: smt is left out: perf's #smt_on
pmudev: 3 metrics converted, 2 left out (-v tells why)" "  what is left out"
is "$("$PMUDEV" convert-metrics -v -o "$DIR/file" <"$DIR/list.json" 2>&1)" "pmudev: smt is left out: perf's #smt_on
pmudev: uncore is left out: perf's function source_count()
pmudev: 3 metrics converted, 2 left out" "  each of them"
cmp -s "$DIR/file" "$DIR/groups.txt"
ok $? "  from stdin into a file"
is "$(echo '[]' | "$PMUDEV" convert-metrics 2>&1)" "pmudev: perf tells of no metrics for this machine" "no metrics"
is "$(echo '[{"MetricName": "x"' | "$PMUDEV" convert-metrics 2>&1)" "pmudev: this is not what \`perf list -j\` prints" "half a list"
is "$("$PMUDEV" convert-metrics </dev/null 2>&1)" "pmudev: there is nothing to convert; \`perf list -j | pmudev convert-metrics\`" "nothing"

is "$("$PMUDEV" explain --json -p 2147483647 2>/dev/null; echo $?)" '{"fits": null}
2' "explain has no answer for what is not there"
is "$("$PMUDEV" explain -j -e task-clock,cs:u -a)" \
	'{"fits": true, "multiplexed": false, "multiplex-helps": false, "user-only": false, "threshold-cycles": false, "errata": [], "software": ["task-clock", "cs:u"], "left-out": ""}' \
	"what the kernel counts fits without a counter, and without the module"
is "$("$PMUDEV" explain -e task-clock -G a,b 2>&1)" \
	"pmudev: -G counts all events of one cgroup; of several: --for-each-cgroup a,b" "explain -G is that of stat"
is "$("$PMUDEV" stat -r 5 --repeatability --timeout 10 -- true 2>&1; echo $?)" "pmudev: --repeatability needs counts of whole runs: \
leave out -n, --multiplex, -D, --timeout and --control
2" "--repeatability refuses --timeout"

echo "1..$NR"
exit "$FAILED"
