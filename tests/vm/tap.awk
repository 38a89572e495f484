# SPDX-License-Identifier: GPL-2.0
#
# Reads a console log of tests/vm/init. Variables: nonce, expected (the programs, with blanks
# between). Prints, separated by tabs:
#   R program passed failed skipped seconds    the sum of one program
#   F program reason                   a failure
#   S program test reason              a skip
#   T boot|console seconds             from the machine's start to its first program, and to its end

function reset() { pass = fail = skip = seen = bad = 0; plan = -1; allskip = "" }
function failure(why) { fail++; bad++; reasons[++nreasons] = current "\t" why }
function skipped(name, why) {
	skip++
	skips[++nskips] = current "\t" name "\t" (why == "" ? "no reason given" : why)
}

# after_directive LINE WORD: what follows "# WORD".
function after_directive(line, word) {
	sub(".*# *" word ":? *", "", line)
	return line
}

function test_name(line) {
	sub(/^(not )?ok [0-9]+ *-? */, "", line)
	sub(/ *# *[A-Z]+.*/, "", line)
	return line == "" ? "-" : line
}

function finish(status) {
	if (plan < 0 && status == 4 && seen == 0)
		skipped("-", "the program skipped itself")
	else if (plan == 0 && seen == 0)
		skipped("-", allskip)
	else if (plan >= 0 && seen != plan)
		failure("planned " plan " tests, reported " seen)
	else if (plan < 0 && seen > 0)
		failure("no plan (1..N)")
	if (status == 137 && builtin(current) == 0)
		failure("killed: it took too long (or was killed)")
	else if (status > 128)
		failure("killed: signal " status - 128)
	else if (status == 127 && plan < 0)
		failure("it did not compile")
	else if (status != 0 && status != 4 && !bad)
		failure("exit status " status)
	else if (status == 0 && seen == 0 && plan < 0) {
		if (builtin(current))
			pass++
		else
			failure("no TAP output")
	}
	sum[current] = pass "\t" fail "\t" skip
	p[current] = pass; f[current] = fail; s[current] = skip
	done[current] = 1
	order[++norder] = current
}

function builtin(name) { return name ~ /^(insmod|rmmod|kmemleak|lockdep)$/ }

BEGIN {
	mark = "@" nonce " "
	reset()
	state = "idle"
}

{ sub(/\r+$/, "") }

complete && /Kernel panic|Internal error: |BUG: |Oops/ { crashed = 1 }

index($0, mark) == 1 {
	n = split(substr($0, length(mark) + 1), word, " ")
	if (word[1] == "begin") {
		reset()
		current = word[2]
		started[current] = 1
		since[current] = word[4]
		state = "test"
	} else if (word[1] == "end") {
		current = word[2]
		finish(word[3])
		took[current] = word[5] - since[current]
		last = word[5]
		state = "idle"
	} else if (word[1] == "log") {
		state = "log"
		if (word[3] == "bad") {
			current = word[2]
			if (!(current in done)) {
				done[current] = 1
				p[current] = f[current] = s[current] = 0
				order[++norder] = current
			}
			f[current]++
			reasons[++nreasons] = current "\tthe kernel complained (see its log below)"
		}
	} else if (word[1] == "log-end") {
		state = "idle"
	} else if (word[1] == "done") {
		complete = 1
	}
	next
}

state != "test" { next }

/^1\.\.[0-9]+/ {
	plan = substr($0, 4) + 0
	allskip = /SKIP/ ? after_directive($0, "SKIP") : ""
	next
}
/^ok [0-9]+/ {
	seen++
	if (/# *SKIP/)
		skipped(test_name($0), after_directive($0, "SKIP"))
	else if (/# *(XFAIL|TODO)/)
		skipped(test_name($0), "expected failure: " after_directive($0, "(XFAIL|TODO)"))
	else
		pass++
	next
}
/^not ok [0-9]+/ {
	seen++
	failure(test_name($0))
	next
}

END {
	# The module's loading and unloading count like programs.
	m = split("insmod " expected " rmmod", want, " ")
	for (i = 1; i <= m; i++) {
		current = want[i]
		if (current in done)
			continue
		reasons[++nreasons] = current "\t" ((current in started) ? "did not end" : "did not run")
		p[current] = s[current] = 0
		f[current] = 1
		order[++norder] = current
	}
	if (!complete || crashed) {
		reasons[++nreasons] = "machine\t" (crashed ? "the kernel crashed after the tests" : "ended before its tests did")
		p["machine"] = s["machine"] = 0
		f["machine"] = 1
		order[++norder] = "machine"
	}
	for (i = 1; i <= norder; i++)
		printf "R\t%s\t%d\t%d\t%d\t%.1f\n", order[i], p[order[i]], f[order[i]], s[order[i]], took[order[i]]
	printf "T\tboot\t%.1f\nT\tconsole\t%.1f\n", since["insmod"], last
	for (i = 1; i <= nreasons; i++)
		printf "F\t%s\n", reasons[i]
	for (i = 1; i <= nskips; i++)
		printf "S\t%s\n", skips[i]
}
