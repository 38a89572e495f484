#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The Rust crate without the module: its structures and numbers are the headers', wrong arguments are errors. Its other
# tests need counters: rust_test in the emulated machines.

# shellcheck source=tools/tests/sh.sh
. "$(dirname "$0")/sh.sh"

# A test calls the compiler by one word.
CC=${CC#ccache }
export CARGO_TARGET_DIR="$BUILD/rust/cargo" PMUDEV_LIB_DIR="$BUILD/rust/lib" CC
CRATE=$TOP/bindings/rust

if ! cargo --version >/dev/null 2>&1; then
	skip "the Rust crate" "no cargo"
	tap_end
	exit
fi

crate() { # COMMAND...
	(cd "$CRATE" && LD_LIBRARY_PATH="$PMUDEV_LIB_DIR" "$@")
}

# tool WHAT COMMAND...: of cargo, a component that may be missing.
tool() {
	what=$1
	shift
	if cargo "$1" --version >/dev/null 2>&1; then
		expect "$what" crate cargo "$@"
	else
		skip "$what" "no cargo $1"
	fi
}

expect "the library is built" make -s -C "$TOP/tools/lib" OUTPUT="$PMUDEV_LIB_DIR" LIBPFM=no all
expect "its tests that need no counter pass" crate cargo test --quiet --offline --locked
tool "it is formatted" fmt --check
tool "clippy has nothing to say" clippy --quiet --offline --locked --all-targets -- -D warnings
# The README's benchmark, with Debian's criterion.
REGISTRY=${PMUDEV_CARGO_REGISTRY:-/usr/share/cargo/registry}
criterion() {
	dir=$BUILD/rust/criterion
	mkdir -p "$dir/src" "$dir/.cargo" &&
		printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$REGISTRY" >"$dir/.cargo/config.toml" &&
		printf '[package]\nname = "readme"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\npmudev = { path = "%s" }\ncriterion = { version = "0.3", default-features = false }\n' \
			"$CRATE" >"$dir/Cargo.toml" &&
		sed -n '/^    use criterion::measurement/,$ s/^    //p' "$CRATE/README.md" >"$dir/src/main.rs" &&
		(cd "$dir" && cargo check --quiet --offline)
}

if ls -d "$REGISTRY"/criterion-0.3.* >/dev/null 2>&1; then
	expect "the README's benchmark compiles" criterion
else
	skip "the README's benchmark" "no librust-criterion-dev"
fi
export RUSTDOCFLAGS="-D warnings"
expect "its documentation is complete" crate cargo doc --quiet --offline --locked --no-deps
tap_end
