# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by tests/vm/run and tests/vm/summary: what machines' results say. RESULTS is the folder that
# has a CONFIG.tsv of each machine; tests/vm/tap.awk tells what its lines are.

# program_output PROGRAM NONCE LOG: what it printed, and the kernel's log after it; unless VERBOSE, without what its
# tests that passed printed. A panic prints the whole log again: without the messages from before /init.
program_output() {
	tr -d '\r' <"$3" | awk -v program="$1" -v mark="@$2" -v verbose="$VERBOSE" '
		function print_held() { printf "%s", held; held = "" }
		$1 == mark { print_held(); log_lines = 0 }
		$1 == mark && $3 == program {
			if ($2 == "begin" || $2 == "log") on = 1
			if ($2 == "log") { print "    --- kernel log"; log_lines = 1 }
			if ($2 == "end" || $2 == "log-end") on = 0
			next
		}
		$1 == mark { on = 0 }
		/Booting Linux on physical CPU|\] Linux version / { old = 1 }
		/Run \/init as init process/ { old = 0; next }
		!on || old || $0 == "" { next }
		/^(not )?ok [0-9]/ && failed { print_held(); failed = 0 }
		!verbose && !log_lines && /^ok [0-9]/ { held = ""; next }
		{ held = held "    | " $0 "\n" }
		/^not ok [0-9]/ || verbose || log_lines { print_held() }
		# What follows may be about it.
		/^not ok [0-9]/ { failed = 1 }
		END { print_held() }'
}

report() { # CONFIG NONCE LOG SECONDS
	local tsv=$RESULTS/$1.tsv kind program passed failed skipped seconds reason

	printf '%s (%s s)\n' "$1" "$4"
	while IFS=$'\t' read -r kind program passed failed skipped seconds; do
		[ "$kind" = R ] || continue
		printf '  %-4s %-28s %3d passed, %d failed, %d skipped  (%s s)\n' \
			"$([ "$failed" = 0 ] && echo ok || echo FAIL)" "$program" "$passed" "$failed" \
			"$skipped" "$seconds"
		if [ "$failed" != 0 ]; then
			while IFS=$'\t' read -r kind name reason; do
				if [ "$kind" = F ] && [ "$name" = "$program" ]; then
					printf '       failed: %s\n' "$reason"
				fi
			done <"$tsv"
		fi
		if [ "$failed" != 0 ] || [ -n "$VERBOSE" ]; then
			program_output "$program" "$2" "$3"
		fi
	done <"$tsv"
	sed 's/^/    /' "$RESULTS/$1.err"
}

# print_skips: why tests were skipped, each reason once with the machines it holds for.
print_skips() {
	local skipped

	skipped=$(awk -F'\t' '
		$1 == "S" {
			config = FILENAME
			sub(/.*\//, "", config); sub(/\.tsv$/, "", config)
			key = $2 ": " $4
			n[key]++
			if (index(where[key] " ", " " config " ") == 0)
				where[key] = where[key] " " config
		}
		END { for (k in n) printf "  %s (%d times:%s)\n", k, n[k], where[k] }
	' "$RESULTS"/*.tsv | sort)
	if [ -n "$skipped" ]; then
		printf 'skipped:\n%s\n' "$skipped"
	fi
}

# print_sum: the last line; fails if something has failed, or nothing was tested.
print_sum() {
	awk -F'\t' '$1 == "R" { p += $3; f += $4; s += $5 }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0 }' "$RESULTS"/*.tsv
}
