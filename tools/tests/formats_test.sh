#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What `pmudev stat` writes for machines, of the made-up runs of formats_test.c, in the eyes of
# others: Python's JSON and CSV, promtool, and the OpenMetrics parser of prometheus-client.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

FORMATS=$TOP/tools/tests/formats
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3
CACHE=${PMUDEV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pmudev}

# Where scripts/setup put it, or the system's.
find_promtool() {
	if [ -x "$CACHE/promtool/promtool" ]; then
		printf '%s\n' "$CACHE/promtool/promtool"
	else
		command -v promtool
	fi
}

json_is_valid() { # FILE
	"$PYTHON" - "$1" <<-'EOF'
	import json, sys
	with open(sys.argv[1], encoding="utf-8", errors="strict") as f:
	    rows = [json.loads(line) for line in f]
	assert rows and "event" not in rows[-1] and rows[-1]["elapsed-seconds"] > 0
	for row in rows[:-1]:
	    if "metric" in row:
	        value = row["metric-value"]
	        assert row["metric"] and type(row["metric-unit"]) is str and type(row["estimated"]) is bool
	        assert value is None and row["why"] or type(value) is float and "why" not in row
	        continue
	    value = row["counter-value"]
	    assert isinstance(row["event"], str)
	    assert value is None and row["why"] or type(value) is (float if row["unit"] else int) and "why" not in row
	    assert type(row["pcnt-running"]) is float and type(row["estimated"]) is bool
	EOF
}

csv_is_valid() { # FILE
	"$PYTHON" - "$1" <<-'EOF'
	import csv, sys
	with open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="") as f:
	    rows = list(csv.reader(f, strict=True))
	assert len(rows) > 1 and len(set(rows[0])) == len(rows[0]) == 16
	for row in rows[1:]:
	    assert len(row) == 16, row
	    if row[4] == "metric":
	        assert not row[5] and row[3] and bool(row[11]) != bool(row[6]), row
	        continue
	    assert row[5].replace(".", "").isdigit() != bool(row[6]), row
	EOF
}

openmetrics_are_valid() { # FILE
	"$PYTHON" - "$1" <<-'EOF'
	import sys
	from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
	with open(sys.argv[1], encoding="utf-8", errors="strict") as f:
	    families = list(parse(f.read()))
	assert families[0].name == "pmudev_events"
	for family in families:
	    assert family.type == "gauge" and family.documentation
	    labels = [tuple(sorted(sample.labels.items())) for sample in family.samples]
	    assert labels and len(set(labels)) == len(labels), labels
	EOF
}

promtool_likes() { # FILE
	nothing "$promtool" check metrics <"$1"
}

promtool=$(find_promtool) || promtool=
if ! command -v "$PYTHON" >/dev/null; then
	skip "JSON and CSV" "no python3"
else
	for file in "$FORMATS"/*.json; do
		expect "${file##*/} is JSON, line by line" json_is_valid "$file"
	done
	for file in "$FORMATS"/*.csv; do
		expect "${file##*/} is CSV" csv_is_valid "$file"
	done
fi
for file in "$FORMATS"/*.prom; do
	if [ -n "$promtool" ]; then
		expect "promtool has nothing to say of ${file##*/}" promtool_likes "$file"
	else
		skip "${file##*/}" "no promtool (scripts/setup promtool)"
	fi
	if "$PYTHON" -c 'import prometheus_client' 2>/dev/null; then
		expect "${file##*/} is OpenMetrics" openmetrics_are_valid "$file"
	else
		skip "${file##*/}" "no prometheus_client (package python3-prometheus-client)"
	fi
done
tap_end
