#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The test program of bindings/rust (tests/rust), in a machine.

if [ ! -x /bin/rust/machine ]; then
	echo "1..0 # SKIP it was not built: there was no cargo, or no Rust for this architecture"
	exit
fi
exec /bin/rust/machine
