#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command with fake_device.c for /dev/pmudev: where it writes, and how it ends.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

PMUDEV=$MADE/pmudev

fake() { # COMMAND...
	LD_PRELOAD=$BUILD/fake_device.so "$@"
}

says() { # STATUS TEXT COMMAND...: it ends with STATUS, and TEXT is in its output.
	wanted=$1 text=$2
	shift 2
	"$@" >"$TMP/said" 2>&1
	status=$?
	cat "$TMP/said"
	echo "status $status, wanted: $wanted, $text"
	[ "$status" = "$wanted" ] && grep -qF -- "$text" "$TMP/said"
}

expect "the command builds" make -s -C "$TOP/tools/pmudev" OUTPUT="$MADE"
# shellcheck disable=SC2086 # CC may be several words
expect "so does the device" $CC -shared -fPIC -O1 -Wall -Wextra -Werror -I"$TOP/uapi" \
	-o "$BUILD/fake_device.so" "$TOP/tools/tests/fake_device.c" -ldl
expect "it counts" says 0 "instructions" fake "$PMUDEV" stat true

# --- where it writes ----------------------------------------------------------------------------

stays_link() { # FILE: written to, and what it was.
	ln -sf "$1" "$TMP/link"
	fake "$PMUDEV" stat --openmetrics -o "$TMP/link" true && [ -L "$TMP/link" ]
}

replaced() {
	echo old >"$TMP/whole.prom"
	fake "$PMUDEV" stat --openmetrics -o "$TMP/whole.prom" true
	grep -c EOF "$TMP/whole.prom" && ! ls "$TMP"/whole.prom.*
}

expect "--openmetrics replaces a file" replaced
expect "  and no link to a device" stays_link /dev/null
expect "  nor one to a file, which is written" stays_link "$TMP/real.prom"
expect "  that is" grep -q EOF "$TMP/real.prom"
expect "what cannot be replaced takes one report" says 2 "cannot be replaced" \
	fake "$PMUDEV" stat --openmetrics -I 100 -o "$TMP/link" true

# --- how it ends --------------------------------------------------------------------------------

# The signal comes together with the command's end: it ends the runs all the same.
interrupted_at() { # SIGNAL
	cat >"$TMP/kill.sh" <<-EOF
		parent=\$PPID me=\$\$
		is() { grep -q "^State:.\$2" "/proc/\$1/status"; }
		kill -STOP \$parent
		until is \$parent T; do :; done
		kill -$1 \$parent
		(until is \$me Z; do :; done; kill -CONT \$parent) &
	EOF
	fake "$PMUDEV" stat -r 5 sh "$TMP/kill.sh" >"$TMP/said" 2>&1
	cat "$TMP/said"
	! grep -q "(5 runs)" "$TMP/said"
}

waiting="kill -TERM \$PPID; exec sleep 30"

expect "SIGINT ends -r" interrupted_at INT
expect "  SIGTERM too" interrupted_at TERM
expect "SIGTERM ends the command that is waited for" \
	says 143 "counter stats" fake timeout -s KILL 5 "$PMUDEV" stat sh -c "$waiting"
expect "  also after the last interval" says 143 "counts unit events" \
	fake timeout -s KILL 5 "$PMUDEV" stat -I 10 --interval-count 1 sh -c "sleep 0.1; $waiting"
expect "a status is the command's where SIGCHLD is ignored" \
	says 3 "" fake env --ignore-signal=CHLD "$PMUDEV" stat sh -c 'exit 3'

# --- bench --------------------------------------------------------------------------------------

# The times of "open, add, enable, close" by pmudev, of 1 and 4 events, with so many counters.
lives() { # COUNTERS WANTED
	COUNTERS=$1 fake "$PMUDEV" bench --json >"$TMP/bench"
	grep 'open, add' "$TMP/bench"
	got=$(sed -nE '/open, add/s/.*"pmudev": [{]"ns": (null|[0-9]).*/\1/p' "$TMP/bench" |
		sed 's/[0-9]/time/' | xargs)
	[ "$got" = "$2" ]
}

expect "a refusal's time is not a set's: with 1 counter" lives 1 "null null"
expect "  with 2" lives 2 "time null"
expect "  with 4" lives 4 "time null"
expect "  with 5" lives 5 "time time"
expect "a CPU is no number modulo 2^32" says 2 "is not a CPU number" \
	fake "$PMUDEV" bench -C 4294967296

# --- an event that the CPU lacks ----------------------------------------------------------------

lacking() { # MASK COMMAND...: on a CPU with these generic events
	folder=$TMP/sysfs$1
	mkdir -p "$folder/fake/caps" "$folder/fake/format"
	echo "$1" >"$folder/fake/caps/generic"
	echo intel >"$folder/fake/caps/arch"
	echo 0 >"$folder/fake/cpumask"
	echo config:0-7 >"$folder/fake/format/event"
	echo config:8-15 >"$folder/fake/format/umask"
	mask=$1
	shift
	GENERIC=$mask SYSFS=$folder fake "$@"
}

# MASK NAME COMMAND...: it counts, and tells once that NAME is left out.
left_out() {
	without=$1 name=$2
	shift 2
	says 0 "pmudev: $name: this CPU does not implement the event: left out of the default list" \
		lacking "$without" "$@" && [ "$(grep -c 'left out' "$TMP/said")" = 1 ]
}

only() { # WORD OTHER: what was said has the one and not the other.
	cat "$TMP/said"
	grep -qE " $1( |\$)" "$TMP/said" && ! grep -qE " $2( |\$)" "$TMP/said"
}

refused_event="instructions: this CPU does not implement the event: "

expect "without instructions stat counts cycles" left_out 0x7d instructions "$PMUDEV" stat true
expect "  and nothing else" only cycles instructions
expect "without cycles it counts instructions" left_out 0x7e cycles "$PMUDEV" stat true
expect "  and nothing else" only instructions cycles
expect "so does stat -d" left_out 0x7d instructions "$PMUDEV" stat -d true
expect "  with the branches" grep -q " branch-misses  " "$TMP/said"
expect "an event that was named is refused" says 126 "$refused_event" \
	lacking 0x7d "$PMUDEV" stat -e instructions,cycles true
expect "so are both, if the CPU has neither" says 126 "$refused_event" \
	lacking 0x7c "$PMUDEV" stat true
expect "stat with all of them says nothing" says 0 "cycles" lacking 0x7f "$PMUDEV" stat true
expect "  of what is left out" nothing grep "left out" "$TMP/said"
expect "verify-counters leaves it out" left_out 0x7d instructions "$PMUDEV" verify-counters -C 0 -i 0.01 -n 1
expect "  and counts the other twice" grep -qE "cycles@3.*cycles@fixed1|cycles +cycles" "$TMP/said"
twice_on_amd() {
	says 0 "" lacking 0x7b env CPU_ARCH=amd "$PMUDEV" verify-counters -C 0 -i 0.01 -n 1
}
expect "verify-counters knows AMD's counters" twice_on_amd
expect "  it counts both events twice" \
	grep -qE "instructions@2.*instructions@3.*cycles@0.*cycles@1" "$TMP/said"
expect "  and leaves nothing out" nothing grep "left out" "$TMP/said"
expect "bench leaves it out" left_out 0x7d instructions "$PMUDEV" bench --json
expect "  and has times and cycles" grep -q '"pmudev": {"ns": [^}]*"instructions": null, "cycles": [0-9]' "$TMP/said"

# --- stdout and the terminal --------------------------------------------------------------------

fills() { # ARG...
	fake timeout -s KILL 5 "$PMUDEV" "$@" >/dev/full
}

for args in --version "list --help" "bench --json" "monitor -C 0 -i 0.01 --csv -e cycles" "top --json -i 0.01 -p 1"; do
	# shellcheck disable=SC2086 # several words
	expect "a full disk is told: $args" says 1 "cannot write to stdout" fills $args
done

live() { # KEY COMMAND...
	key=$1
	shift
	fake timeout -s KILL 10 python3 "$TOP/tools/tests/live_terminal.py" "$key" "$PMUDEV" "$@"
}

expect "Ctrl-C gives the screen back" live '\x03' monitor -C 0 -i 0.05 -e cycles
expect "so does Ctrl-\\" live '\x1c' monitor -C 0 -i 0.05 -e cycles

# --- top ----------------------------------------------------------------------------------------

# Whatever this host has: the command may have no screen.
has_screen() { [ ! -e "$MADE/.ncurses-no" ]; }

expect "top: rows of processes" says 0 " c-miss/k  COMMAND" lacking 0x7f "$PMUDEV" top -i 0.01 -n 2 -p $$
expect "  rows of CPUs" says 0 "#   CPU  insn/s  cycles/s     IPC" lacking 0x7f "$PMUDEV" top -i 0.01 -n 1 -C 0
expect "  without an event" says 0 "# left out: cycles: this CPU does not implement the event" \
	lacking 0x7e "$PMUDEV" top -i 0.01 -n 1 -p $$
expect "  without a counter" says 0 "# left out: cache-misses: " env COUNTERS=3 LD_PRELOAD="$BUILD/fake_device.so" \
	"$PMUDEV" top -i 0.01 -n 1 -C 0
if has_screen; then
	expect "  q gives the screen back" live 'q' top -p $$
	expect "  so does Ctrl-C" live '\x03' top -p $$
	expect "  a terminal that ncurses does not know" says 1 "does not know the terminal 'bogus'" \
		fake env TERM=bogus script -qec "$PMUDEV top -p 1" /dev/null
else
	expect "  without ncurses it says so" says 2 "which was built without ncurses" fake script -qec "$PMUDEV top" /dev/null
fi

tap_end
