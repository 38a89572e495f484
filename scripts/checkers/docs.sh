# shellcheck shell=bash disable=SC2317 # the checkers are called by name
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/check: whether documents, lists and copies say what is true.

# Links to files of the repository have a target.
check_links() {
	local f target

	for f in $(files '*.md'); do
		{ grep -oE '\]\([^)#[:space:]]+' "$f" || true; } | sed 's/^](//' | while read -r target; do
			case $target in
			*://* | mailto:*) ;;
			*) [ -e "$(dirname "$f")/$target" ] || printf '%s: no %s\n' "$f" "$target" ;;
			esac
		done
	done | fail_on_output
}

# docs/abi.md matches the header, for all installed compilers.
check_abi() {
	have arm-linux-gnueabihf-gcc || have i686-linux-gnu-gcc || { skip "no compiler for 32 bits; scripts/setup tools"; return; }
	scripts/abi-reference --check
}

# Every piece of C that README.md and docs/ show is part of a program in examples/ or of guide_test,
# and those are compiled and run with the tests.
check_examples() {
	local programs pages

	mapfile -t programs < <(files 'examples/*.c' tests/selftests/guide_test.c)
	mapfile -t pages < <(files README.md 'docs/*.md')
	[ ${#pages[@]} -gt 0 ] || { skip "there is no README.md yet"; return; }
	perl -e '
		sub whole { local $/; open my $f, "<", $_[0] or die "$_[0]: $!"; <$f> }
		my $nr = shift;
		my @pages = splice @ARGV, 0, $nr;
		my @programs = map { whole($_) } @ARGV;
		my $lost = 0;
		for my $page (@pages) {
			my $text = whole($page);
			while ($text =~ /^```c\b[^\n]*\n(.*?)^```/msg) {
				my $block = $1;
				next if grep { index($_, $block) >= 0 } @programs;
				print "$page shows C that is in no program that is run:\n$block";
				$lost = 1;
			}
		}
		exit $lost' "${#pages[@]}" "${pages[@]}" "${programs[@]}"
}

# The manual: mandoc's warnings, lines wider than a terminal, and references to pmudev's own pages.
check_man() {
	local pages page section status=0

	mapfile -t pages < <(files 'man/*.[1-8]')
	[ ${#pages[@]} -gt 0 ] || { skip "there is no manual yet"; return; }
	have mandoc || { skip "no mandoc; scripts/setup tools"; return; }
	mandoc -T lint -W warning "${pages[@]}" || status=1
	for page in "${pages[@]}"; do
		mandoc -T ascii -O width=80 "$page" 2>/dev/null | sed 's/.\x08//g' |
			awk -v page="$page" 'length > 80 { print page ": wider than 80 columns: " $0; wide = 1 } END { exit wide }' || status=1
	done
	for page in "${pages[@]}"; do
		awk '/^\.Sh/ { name = $2 == "NAME" } name && $1 == ".Nm" { print $2, FILENAME }' "$page"
	done | sed -E 's| .*\.([1-8])$| \1|' | sort -u >"$TMP/there"
	grep -hE '^\.(Xr|It Xr) (lib)?pmudev' "${pages[@]}" | sed -E 's/^\.(It )?Xr ([^ ]+) ([1-8]).*/\2 \3/' | sort -u >"$TMP/wanted"
	while read -r page section; do
		printf 'no page %s(%s)\n' "$page" "$section"
		status=1
	done < <(comm -13 "$TMP/there" "$TMP/wanted")
	return "$status"
}

# The syzkaller descriptions match the header.
check_syzkaller() { tests/syzkaller/check; }

check_workflows() {
	have yamllint || { skip "no yamllint; scripts/setup tools"; return; }
	yamllint --strict -d '{extends: default, rules: {line-length: {max: 120}, document-start: disable, truthy: {check-keys: false}}}' \
		.github/workflows
}

# The deliberate bugs apply to the sources, and what sees them runs in `make check`. At least 10 are there,
# of which `make quick` must see 7.
check_bugs() {
	local bug where

	tests/vm/run --level check --list >"$TMP/runs"
	for bug in tests/bugs/*.patch; do
		patch --dry-run -s -f -p1 <"$bug" || printf '%s does not fit\n' "$bug"
		where=$(sed -n 's/^Check: //p' "$bug")
		grep -qxF "$where" "$TMP/runs" || printf '%s: make check does not run %s\n' "$bug" "$where"
	done >"$TMP/lost"
	[ "$(files 'tests/bugs/*.patch' | wc -l)" -ge 10 ] || echo "fewer than 10 bugs" >>"$TMP/lost"
	[ "$(grep -lx 'Quick: yes' tests/bugs/*.patch | wc -l)" -ge 7 ] || echo "fewer than 7 that make quick must see" >>"$TMP/lost"
	fail_on_output <"$TMP/lost"
}

# Every program and every machine is in `make check` or in a section of `make check-all`.
check_coverage() { tests/selftests/coverage; }

# Each kernel has one name in all scripts, and an unknown one gets a suggestion.
check_kernels() {
	local asked said

	for asked in "scripts/setup --one" "tests/vm/run --list --kernel" "tests/vm/shell --kernel"; do
		# shellcheck disable=SC2086 # a command and its first arguments
		said=$($asked debug-newest-arm64 2>&1) && printf '%s takes any name\n' "$asked"
		grep -q "did you mean 'newest-debug-arm64'" <<<"$said" || printf '%s: %s\n' "$asked" "$said"
	done | fail_on_output
}

# Numbers in the documentation that a command can verify.
check_numbers() { scripts/facts --check; }

# Each option of perf stat is one of pmudev stat's, or refused with advice; so says the table. Completion
# is what the manual says.
check_options() { scripts/perf-options --check && scripts/completions --check; }

# The library's header has the version; what else names it agrees, and so do the two lists of what
# the library exports.
check_release() {
	local version file

	version=$(sed -n 's/^#define PMUDEV_LIB_VERSION[^"]*"\(.*\)"$/\1/p' tools/lib/include/pmudev.h)
	{
		grep -qxF "PACKAGE_VERSION=\"$version\"" dkms.conf || echo "dkms.conf: PACKAGE_VERSION is not $version"
		grep -qxF "MODULE_VERSION(\"$version\");" src/main.c || echo "src/main.c: MODULE_VERSION is not $version"
		grep -qxF "version = \"$version\"" bindings/python/pyproject.toml || echo "pyproject.toml: version is not $version"
		grep -qxF "__version__ = \"$version\"" bindings/python/pmudev/__init__.py || echo "pmudev/__init__.py: version is not $version"
		for file in Cargo.toml Cargo.lock; do
			grep -qxF "version = \"$version\"" "bindings/rust/$file" || echo "bindings/rust/$file: version is not $version"
		done
		grep -qE "^Version: +${version//./\\.}$" packaging/rpm/pmudev.spec || echo "pmudev.spec: Version is not $version"
		grep -qxF "pkgver=$version" packaging/arch/PKGBUILD || echo "PKGBUILD: pkgver is not $version"
		head -n1 debian/changelog | grep -qF "($version)" || echo "debian/changelog: the newest is not $version"
		diff --label tools/lib/libpmudev.map --label debian/libpmudev0.symbols -u \
			<(sed -n 's/^\t\(pmudev_[a-z0-9_]*\);$/\1/p' tools/lib/libpmudev.map | LC_ALL=C sort) \
			<(sed -n 's/^ \(pmudev_[a-z0-9_]*\)@.*/\1/p' debian/libpmudev0.symbols | LC_ALL=C sort)
	} | fail_on_output
}
