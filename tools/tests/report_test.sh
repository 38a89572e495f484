#!/bin/bash
# SPDX-License-Identifier: MIT
#
# `pmudev report`: the functions and lines that it names are those that addr2line names, and a table
# that is none is refused with the line. Prints TAP.
#
#   MADE=  where the command is, or is made

HERE=$(dirname "$0")
# shellcheck source=tools/tests/sh.sh
. "$HERE/sh.sh"

PMUDEV=$MADE/pmudev
HEAD=time,event,period,value,pid,tid,cpu,mode,ip,file,offset,symbol,dropped,instructions:u
expect "the command builds" make -s -C "$HERE/../pmudev" OUTPUT="$MADE"

cat >"$TMP/prog.c" <<'E2'
#include <stdio.h>

__attribute__((noinline)) long square_sum(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += i * i;
	return sum;
}

__attribute__((noinline)) long twice(long n)
{
	return 2 * square_sum(n) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%ld\n", twice(argc * 1000));
	return 0;
}
E2

# sample FILE OFFSET [MODE [SYMBOL [TID]]]
sample() { printf '1,instructions:u,1000,1000,10,%s,0,%s,0x1234,%s,%s,%s,0,7\n' "${5:-10}" "${3:-user}" "$1" "$2" "${4:-}"; }

# table: the samples of stdin, and an end that says 3 were dropped of 10,000 events
table() {
	echo "$HEAD"
	cat
	echo "2,instructions:u,1000,10000,0,0,0,end,0x0,,0x0,,3,10000"
}

row() { awk -v name="$1" '$1 ~ /%$/ { n = $2; $1 = $2 = ""; sub(/^ */, ""); if ($0 == name) print n }' "$2"; }

has_rows() { # FILE SAMPLES...: "N NAME"
	local file=$1 line

	shift
	for line; do
		[ "$(row "${line#* }" "$file")" = "${line%% *}" ] || {
			echo "no row '$line' in:"
			cat "$file"
			return 1
		}
	done
}

# --- functions and lines, of programs that are at fixed addresses and of others -------------------

if "$PMUDEV" report /dev/null 2>&1 | grep -q 'without libdw'; then
	skip "functions and lines" "libdw is missing"
else
	for how in "-no-pie" "-pie -fPIE" "-no-pie -static"; do
		# shellcheck disable=SC2086 # options
		$CC -g -O1 $how -o "$TMP/prog" "$TMP/prog.c" || exit 1
		# The code's mapping: its bytes and where they are loaded.
		read -r _ start address _ < <(readelf -lW "$TMP/prog" | grep 'LOAD.* R E ')
		begin=$(nm "$TMP/prog" | awk '$3 == "square_sum" { print "0x" $1 }')
		end=$(nm "$TMP/prog" | awk '$3 == "main" { print "0x" $1 }')
		for ((at = begin; at < end + 8; at++)); do
			sample "$TMP/prog" "$((at - address + start))"
			printf '0x%x\n' "$at" >&3
		done 3>"$TMP/addresses" | table >"$TMP/table"
		addr2line -f -s -e "$TMP/prog" <"$TMP/addresses" >"$TMP/judged"
		"$PMUDEV" report -n 0 "$TMP/table" >"$TMP/symbols"
		"$PMUDEV" report -n 0 --by line "$TMP/table" >"$TMP/lines"
		mapfile -t wanted < <(awk 'NR % 2 { n[$1]++ } END { for (f in n) print n[f], f "  (prog)" }' "$TMP/judged" | sed 's/  / /')
		expect "functions as addr2line has them ($how)" has_rows "$TMP/symbols" "${wanted[@]}"
		mapfile -t wanted < <(awk -v dir="$TMP" '!(NR % 2) { n[$1]++ } END { for (f in n) print n[f], dir "/" f }' "$TMP/judged")
		expect "lines as addr2line has them ($how)" has_rows "$TMP/lines" "${wanted[@]}"
	done
	printf 'static __attribute__((noinline)) int same(int n) { return n * 3; }\nint F(int n) { return same(n) + 1; }\n' >"$TMP/half.c"
	$CC -O1 -DF=one -c -o "$TMP/one.o" "$TMP/half.c" && $CC -O1 -DF=two -c -o "$TMP/two.o" "$TMP/half.c" &&
		printf 'int one(int), two(int); int main(int c, char **v) { (void)v; return one(c) + two(c); }' |
		$CC -O1 -no-pie -x c -o "$TMP/both" - -x none "$TMP/one.o" "$TMP/two.o" || exit 1
	read -r _ start address _ < <(readelf -lW "$TMP/both" | grep 'LOAD.* R E ')
	for at in $(nm "$TMP/both" | awk '$3 == "same" { print "0x" $1 }'); do
		sample "$TMP/both" "$((at - address + start))"
	done | table >"$TMP/two_rows"
	"$PMUDEV" report "$TMP/two_rows" >"$TMP/out2"
	expect "two functions of one name are two" test "$(grep -c ' 1  same  (both)' "$TMP/out2")" = 2
	touch -d '+1 minute' "$TMP/prog"
	"$PMUDEV" report "$TMP/table" >"$TMP/symbols" 2>"$TMP/told"
	expect "a file that changed since is told" grep -q 'was changed after it was recorded' "$TMP/told"
	expect "and has no functions" has_rows "$TMP/symbols" "$(wc -l <"$TMP/addresses") prog"
fi

# --- everything else -----------------------------------------------------------------------------

{
	sample /no/such/file 0x10
	sample /no/such/file 0x20 entry
	sample '[kernel]' 0x0 kernel do_syscall
	sample '[vdso]' 0x100
	sample '"/with,comma ""and quotes"""' 0x10 user '' 11
	sample '' 0x0
} | table >"$TMP/table"
"$PMUDEV" report "$TMP/table" >"$TMP/out1" 2>&1
expect "files, the kernel, what is unknown" has_rows "$TMP/out1" "2 file" "1 do_syscall ([kernel])" \
	"1 [vdso]" '1 with,comma "and quotes"' "1 [unknown]"
expect "what was dropped" grep -qx '6 samples of instructions:u, one for each 1,000; 3 more were dropped' "$TMP/out1"
expect "what they stand for" grep -qx 'They stand for 60.00% of the 10,000 that were counted.' "$TMP/out1"
"$PMUDEV" report --by thread - <"$TMP/table" >"$TMP/out1" 2>&1
expect "by thread, from stdin" has_rows "$TMP/out1" "5 10 of process 10" "1 11 of process 10"
"$PMUDEV" report -n 1 --by file "$TMP/table" >"$TMP/out1" 2>&1
expect "so many rows" grep -qx 'and 4 rows more (-n 0 shows all)' "$TMP/out1"
"$PMUDEV" report -j --by file "$TMP/table" >"$TMP/json" 2>&1
expect "JSON" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert r["samples"] == 6 and r["dropped"] == 3 and r["total"] == 10000 and r["by"] == "file", r
assert r["rows"][0] == {"samples": 2, "name": "/no/such/file"} and len(r["rows"]) == 5, r' "$TMP/json"

table </dev/null >"$TMP/empty"
expect "no samples are no error" "$PMUDEV" report "$TMP/empty"

refused() { # TEXT: with status 1, and the text
	"$PMUDEV" report "$TMP/bad" >"$TMP/refused" 2>&1
	[ $? = 1 ] && grep -q -- "$1" "$TMP/refused" && return
	cat "$TMP/refused"
	return 1
}

: >"$TMP/bad"
expect "an empty file" refused "is empty"
echo "a,b" >"$TMP/bad"
expect "another table" refused "no table of .pmudev record.: it has no column 'event'"
{ cat "$TMP/table"; echo "1,2,3"; } >"$TMP/bad"
expect "a line that is too short" refused "line 9: it has not the columns"
sample /x -5 | table >"$TMP/bad"
expect "a number that is none" refused "line 2: '-5' is no offset"
sample /x 5 middle | table >"$TMP/bad"
expect "a mode that is none" refused "line 2: 'middle' is no mode"
sample '"x' 5 | table >"$TMP/bad"
expect "a quote that does not end" refused "line 2"
sample /x 99999999999999999999 | table >"$TMP/bad"
expect "a number that is too large" refused "is no offset"
head -c 3000 /dev/urandom >"$TMP/bad"
expect "noise" refused "no table"
rm "$TMP/bad"
expect "no file" refused "cannot read"

tap_end
