#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `pmudev exporter` with fake_device.c for /dev/pmudev: how it starts and ends, and what Prometheus
# says of it; the units for systemd; the dashboard for Grafana.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

PMUDEV=$MADE/pmudev
CLIENT=$TOP/tools/tests/exporter_client.py
PAGES=$TOP/tools/tests/exporter
UNITS=$TOP/packaging/systemd
CACHE=${PMUDEV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pmudev}
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3
exporter=

trap '[ -z "$exporter" ] || kill "$exporter"; rm -rf "$TMP"' EXIT

client() { "$PYTHON" "$CLIENT" "$@"; }
fake="env LD_PRELOAD=$BUILD/fake_device.so"

# A program of Prometheus' package: where scripts/setup put it, or the system's.
of_prometheus() { # NAME
	if [ -x "$CACHE/promtool/$1" ]; then
		printf '%s\n' "$CACHE/promtool/$1"
	else
		command -v "$1"
	fi
}

says() { # STATUS TEXT COMMAND...
	wanted=$1 text=$2
	shift 2
	timeout 60 "$@" >"$TMP/said" 2>&1
	status=$?
	cat "$TMP/said"
	echo "status $status, wanted: $wanted, $text"
	[ "$status" = "$wanted" ] && grep -qF -- "$text" "$TMP/said"
}

expect "the command builds" make -s -C "$TOP/tools/pmudev" OUTPUT="$MADE"
# shellcheck disable=SC2086 # CC may be several words
expect "so does the device" $CC -shared -fPIC -O1 -Wall -Wextra -Werror -I"$TOP/uapi" \
	-o "$BUILD/fake_device.so" "$TOP/tools/tests/fake_device.c" -ldl

# --- options ------------------------------------------------------------------------------------

expect "an unknown option" says 2 "unknown option '--no-such'" "$PMUDEV" exporter --no-such
expect "an option without its value" says 2 "'-e' needs a value" "$PMUDEV" exporter -e
expect "a word too many" says 2 "takes no 'true'" "$PMUDEV" exporter true
for address in 10345 127.0.0.1 127.0.0.1: 127.0.0.1:x 127.0.0.1:65536 localhost:1 ::1:80 '[::1:80' :80; do
	expect "no address: $address" says 2 "is not an address and a port" "$PMUDEV" exporter -l "$address"
done

# --- with a server --------------------------------------------------------------------------------

# start COMMAND...: until it says where it serves; sets exporter and port.
start() {
	# What the last one told is not read again.
	: >"$TMP/told"
	"$@" >"$TMP/told" 2>&1 &
	exporter=$!
	port=
	until [ -n "$port" ]; do
		port=$(sed -n 's|.*serves http://.*:\([0-9]*\)/metrics$|\1|p' "$TMP/told")
		[ -n "$port" ] || { kill -0 "$exporter" 2>/dev/null && sleep 0.05; } || break
	done
	cat "$TMP/told"
	[ -n "$port" ]
}

ends_with_0() { # SIGNAL
	kill -"$1" "$exporter"
	wait "$exporter"
	status=$?
	exporter=
	echo "status $status"
	[ "$status" = 0 ]
}

answers() { # FIRST_LINE TEXT PATH [ACCEPT]
	first=$1 text=$2
	shift 2
	client get "$port" "$@" >"$TMP/answer"
	cat "$TMP/answer"
	[ "$(head -n 1 "$TMP/answer")" = "$first" ] && grep -qF -- "$text" "$TMP/answer"
}

# What is younger than 0.25 s is served again.
grows() {
	for page in 1 2; do
		sleep 0.3
		client get "$port" /metrics | sed -n 's/^pmudev_cycles_total{cpu="0"} //p' >"$TMP/$page"
	done
	cat "$TMP/1" "$TMP/2"
	[ "$(cat "$TMP/2")" -gt "$(cat "$TMP/1")" ]
}

# One that is younger is.
is_reused() {
	client reused "$port"
}

# Counters that are gone are told by the first reading, and so are those that are back.
loses_counters() {
	touch "$TMP/lost"
	sleep 0.3
	client get "$port" /metrics >"$TMP/down"
	rm "$TMP/lost"
	sleep 0.3
	client get "$port" /metrics >"$TMP/up"
	grep -h 'pmudev_\(up\|down_info\|perf_blocked\)' "$TMP/down" "$TMP/up"
	grep -qFx 'pmudev_up{cpu="0"} 0' "$TMP/down" && grep -qFx 'pmudev_perf_blocked 0' "$TMP/down" &&
		grep -qFx 'pmudev_down_info{cpu="0",reason="no counters"} 1' "$TMP/down" &&
		grep -qFx 'pmudev_up{cpu="0"} 1' "$TMP/up" && grep -qFx 'pmudev_perf_blocked 1' "$TMP/up" &&
		! grep -q '^pmudev_down_info' "$TMP/up"
}

# All of one address, and they say nothing.
idle() {
	client idle "$port" 40
}

# shellcheck disable=SC2086 # $fake is a list of words
with_server() {
	expect "it starts" start env LOST="$TMP/lost" $fake "$PMUDEV" exporter -l 127.0.0.1:0
	expect "  and tells that perf is without hardware events" grep -q 'perf has no hardware events' "$TMP/told"
	expect "it answers in text" answers "200 text/plain; version=0.0.4; charset=utf-8" \
		'pmudev_up{cpu="0"} 1' /metrics
	expect "  and as OpenMetrics" answers "200 application/openmetrics-text; version=1.0.0; charset=utf-8" \
		'# EOF' /metrics application/openmetrics-text
	expect "  and knows no other page" answers "404 text/plain" /metrics /other
	expect "counts grow" grows
	expect "  and are not read for each of many requests" is_reused
	expect "a CPU without its counters is down at once, and up when it has them" loses_counters
	expect "idle connections keep nobody out, and are closed" idle
	expect "another one cannot listen there" says 1 "cannot listen on 127.0.0.1:$port: Address already in use" \
		$fake "$PMUDEV" exporter -l "127.0.0.1:$port"
	if prometheus=$(of_prometheus prometheus); then
		expect "Prometheus scrapes it, and has values for the dashboard" client prometheus "$prometheus" "$port" "$TMP"
	else
		skip "Prometheus scrapes it" "no prometheus (scripts/setup promtool)"
	fi
	expect "SIGTERM ends it" ends_with_0 TERM
	expect "it starts with systemd's socket" start "$PYTHON" "$CLIENT" activate $fake "$PMUDEV" exporter
	expect "  and answers" answers "200 text/html; charset=utf-8" /metrics /
	expect "SIGINT ends it" ends_with_0 INT
	expect "systemd's socket outlives it" timeout 60 "$PYTHON" "$CLIENT" outlives $fake "$PMUDEV" exporter
	expect "events that the CPU lacks" start env GENERIC=0x41 $fake "$PMUDEV" exporter -l 127.0.0.1:0
	expect "  are told" grep -q 'this CPU does not implement the event: left out' "$TMP/told"
	expect "  and it ends" ends_with_0 QUIT
}


if [ ! -e "$MADE/pmudev-exporter" ]; then
	# shellcheck disable=SC2086 # a list of words
	expect "without libmicrohttpd it says so" says 1 "libmicrohttpd-dev" $fake "$PMUDEV" exporter
	skip "the server" "no libmicrohttpd (package libmicrohttpd-dev)"
else
	with_server
	[ -e /dev/pmudev ] || expect "without the module it says so" says 1 "there is no /dev/pmudev" \
		"$PMUDEV" exporter -l 127.0.0.1:0
fi

# --- whose the server is --------------------------------------------------------------------------

# A copy of the command beside a server with these modes.
copy_says() { # STATUS TEXT MODE_OF_FOLDER MODE
	rm -rf "$TMP/copy"
	mkdir "$TMP/copy" && cp "$PMUDEV" "$TMP/copy/pmudev" &&
		printf '#!/bin/sh\necho the server runs\n' >"$TMP/copy/pmudev-exporter" &&
		chmod "$3" "$TMP/copy" && chmod "$4" "$TMP/copy/pmudev-exporter" &&
		says "$1" "$2" "$TMP/copy/pmudev" exporter
}

if [ -e "$MADE/pmudev-exporter" ]; then
	expect "a server that only the owner can change is used" copy_says 0 "the server runs" 755 755
	expect "one that the group can change is not" copy_says 1 "is not used" 755 775
	expect "  nor one in a folder of all" copy_says 1 "is not used" 777 755
fi

# --- what others say of its pages and files -------------------------------------------------------

nothing_to_say() { # FILE
	nothing "$promtool" check metrics <"$1"
}

if promtool=$(of_prometheus promtool); then
	expect "promtool has nothing to say of the page" nothing_to_say "$PAGES/metrics.txt"
	client rules >"$TMP/rules.json"
	expect "the dashboard's expressions are Prometheus'" "$promtool" check rules "$TMP/rules.json"
else
	skip "promtool" "no promtool (scripts/setup promtool)"
fi
for kind in text openmetrics; do
	file=$PAGES/metrics.$(echo "$kind" | sed 's/text/txt/')
	if "$PYTHON" -c 'import prometheus_client' 2>/dev/null; then
		expect "${file##*/} is what its name says" client parse "$file" "$kind"
	else
		skip "${file##*/}" "no prometheus_client (package python3-prometheus-client)"
	fi
done
expect "the dashboard names only what is served" client names "$PAGES/metrics.txt"

# systemd-analyze wants the program to be there.
units_verified() {
	mkdir -p "$TMP/units"
	for unit in "$UNITS"/*; do
		sed "s|/usr/bin/pmudev |$PMUDEV |" "$unit" >"$TMP/units/${unit##*/}"
	done
	nothing systemd-analyze verify --man=no "$TMP"/units/*
}

# Of 100 the exposure that systemd thinks it has.
if command -v systemd-analyze >/dev/null; then
	expect "systemd has nothing to say of the units" units_verified
	expect "the service is hardened" systemd-analyze security --no-pager --offline=true --threshold=12 \
		"$UNITS/pmudev-exporter.service"
else
	skip "the units" "no systemd-analyze (package systemd)"
fi
tap_end
