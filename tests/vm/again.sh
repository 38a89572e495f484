# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by tests/vm/run. The emulated machines are exact, but when a console or a host's thread
# interrupts them is not, and ten thousands of tests are run. A program that fails on one machine is
# run there again, five times, in machines that do nothing else; if it never fails it is
# reported as unsteady instead: a line of its own just before the sum, to be looked into. Failed
# for good has whatever the kernel complained of, hangs or ends a machine, and everything as soon as
# more than three programs fail in the whole run. --strict judges the first result.

# What a subshell sets is for what it calls.
# shellcheck disable=SC2030,SC2031,SC2034

AGAIN_TIMES=5
AGAIN_MOST=3

# once_failed: lines of "CONFIG PROGRAM" of what may be run again; fails if something may not, or if it is too much.
once_failed() {
	awk -F'\t' -v most="$AGAIN_MOST" '
		$1 == "F" {
			config = FILENAME
			sub(/.*\//, "", config); sub(/\.tsv$/, "", config)
			if ($2 !~ /_test(\.sh)?$/ || $3 ~ /^(did not|it did not compile|killed:|the kernel complained)/)
				final = 1
			if (!((config, $2) in seen)) {
				seen[config, $2] = 1
				list[++n] = config " " $2
			}
		}
		$1 == "R" && $4 > 0 { failed++ }
		END {
			# Every failure must be one of those.
			if (final || n > most || failed != n)
				exit 1
			for (i = 1; i <= n; i++)
				print list[i]
		}' "$RESULTS"/*.tsv
}

# passes_again CONFIG KERNEL MACHINE SMP PROGRAM: whether it passes each time. A machine that did not run it is no pass.
passes_again() (
	# For boot_one.
	PROGRAM_LIST=$5 TESTS=$5 LOGS=$LOGS/again
	mkdir -p "$LOGS"
	RESULTS=$(mktemp -d "$RESULTS/again.XXXXXX")
	for ((i = 1; i <= AGAIN_TIMES; i++)); do
		boot_one "${@:1:4}" </dev/null >/dev/null
		if ! awk -F'\t' -v program="$5" '
			$1 == "R" { f += $4 }
			$1 == "R" && $2 == program { passed += $3 }
			END { exit f > 0 || !passed }' "$RESULTS/$1.tsv"; then
			cat "$RESULTS/$1.txt"
			return 1
		fi
	done
)

# forgive CONFIG PROGRAM: its failures pass, and its F lines become U lines.
forgive() {
	awk -F'\t' -v OFS='\t' -v program="$2" '
		$1 == "R" && $2 == program { $3 += $4; $4 = 0 }
		$1 == "F" && $2 == program { $1 = "U" }
		{ print }' "$RESULTS/$1.tsv" >"$RESULTS/forgiven"
	mv "$RESULTS/forgiven" "$RESULTS/$1.tsv"
}

# run_again: what failed once and may be steady.
run_again() {
	local failed config program kernel machine smp

	failed=$(once_failed) || return 0
	[ -n "$failed" ] || return 0
	while read -r config program; do
		while read -r kernel machine smp; do
			[ "$kernel-$machine-smp$smp" = "$config" ] || continue
			printf '%s: %s once more, %d times\n' "$config" "$program" "$AGAIN_TIMES"
			if passes_again "$config" "$kernel" "$machine" "$smp" "$program"; then
				forgive "$config" "$program"
			fi
		done <<<"${CONFIGS%$'\n'}"
	done <<<"$failed"
}

# unsteady: the tests that failed once.
unsteady() {
	awk -F'\t' '$1 == "U" {
		config = FILENAME
		sub(/.*\//, "", config); sub(/\.tsv$/, "", config)
		printf "UNSTEADY: %s on %s failed once, and not in %d times alone (%s)\n", $2, config, times, $3
	}' times="$AGAIN_TIMES" "$RESULTS"/*.tsv
}
