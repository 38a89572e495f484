#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The Python package without the module: its structures and numbers are the headers', and it says what is missing. Its
# other tests need counters: python_test in the emulated machines.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

export PYTHONPATH="$TOP/bindings/python" PYTHONDONTWRITEBYTECODE=1 PMUDEV_LIBRARY="$MADE/lib/libpmudev.so"

if ! command -v python3 >/dev/null; then
	skip "the Python package" "no python3"
	tap_end
	exit
fi

same_as_the_headers() {
	python3 "$TOP/bindings/python/tests/abi.py" >"$TMP/abi.c" && grep -q PMUDEV_WHY_MEMLOCK "$TMP/abi.c" &&
		$CC -std=gnu11 -Wall -Wextra -Werror -I"$TOP/tools/lib/include" -I"$TOP/uapi" -fsyntax-only "$TMP/abi.c"
}

# python WORDS CODE: it ends well, and prints these words.
python() {
	python3 -c "$2" >"$TMP/said" 2>&1
	status=$?
	cat "$TMP/said"
	[ "$status" = 0 ] && grep -qF -- "$1" "$TMP/said"
}

expect "the library is built" make -s -C "$TOP/tools/lib" OUTPUT="$MADE/lib" all
expect "structures and numbers are the headers'" same_as_the_headers
if [ -e /dev/pmudev ]; then
	skip "it says that there is no module" "there is one"
else
	expect "it says that there is no module" python "2 None there is no /dev/pmudev: load the module" '
import pmudev
for call in (pmudev.info, pmudev.count("instructions:u").start):
    try:
        call()
    except pmudev.Refused as refused:
        print(refused.errno, refused.reason, refused)'
fi
expect "events are checked before anything is opened" python "unknown event 'nosuch'" '
import pmudev
try:
    pmudev.count("cycles:u,nosuch")
except pmudev.EventError as error:
    assert error.position == 9, error.position
    print(error)'
expect "without the library the first call says what is missing" env PMUDEV_LIBRARY=/nosuch python3 -c '
import pmudev
for call in (pmudev.info, lambda: pmudev.count("cycles")):
    try:
        call()
    except ImportError as error:
        assert str(error).startswith("pmudev needs libpmudev (/nosuch): "), error
    else:
        raise SystemExit("it was called")'
expect "  but what needs none can be imported" env PMUDEV_LIBRARY=/nosuch python3 -c 'import pmudev.plot'
expect "everything that it exports is there and has a docstring" python3 -c '
import pmudev.plot
for module in pmudev, pmudev.plot:
    for name in module.__all__:
        assert getattr(module, name).__doc__, name'
tap_end
