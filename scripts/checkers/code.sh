# shellcheck shell=bash disable=SC2317 # the checkers are called by name
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/check: how the code is written, and whether it compiles.

# Checkpatch messages that are disabled, and why:
#   FILE_PATH_CHANGES    about the MAINTAINERS file, which an out-of-tree module does not have
#   SPDX_LICENSE_TAG     has an opinion on comment style by folder; the spdx checker covers the rest
#   LINUX_VERSION_CODE   allowed in compat.h; the versions checker enforces it
#   MACRO_ARG_REUSE      loop macros need it
#   CAMELCASE            names from elsewhere: SYS_PMEVCNTRn_EL0, _Static_assert
# in compat.h and regs.h, which define types and generate a switch over 31 registers:
#   NEW_TYPEDEFS, CONSTANT_COMPARISON (KERNEL_VERSION), COMPLEX_MACRO, TRAILING_SEMICOLON,
#   MACRO_WITH_FLOW_CONTROL, SPACING
# in user space, which lacks these macros and types, and where the harness's EXPECT_EQ() takes the
# constant first:
#   SPLIT_STRING, BIT_MACRO, PREFER_DEFINED_ATTRIBUTE_MACRO, PREFER_KERNEL_TYPES, CONSTANT_COMPARISON
# in the library's headers: there is no CONFIG_X86 in user space
#   ARCH_DEFINES
IGNORE=FILE_PATH_CHANGES,SPDX_LICENSE_TAG,LINUX_VERSION_CODE,MACRO_ARG_REUSE,CAMELCASE
IGNORE_MACROS=$IGNORE,NEW_TYPEDEFS,CONSTANT_COMPARISON,COMPLEX_MACRO,TRAILING_SEMICOLON,MACRO_WITH_FLOW_CONTROL,SPACING
IGNORE_HOSTED=$IGNORE,SPLIT_STRING,BIT_MACRO,PREFER_DEFINED_ATTRIBUTE_MACRO,PREFER_KERNEL_TYPES,CONSTANT_COMPARISON
IGNORE_HEADERS=$IGNORE_HOSTED,ARCH_DEFINES,COMPLEX_MACRO

# All files take minutes. Files that passed are remembered in the cache by their contents.
# not_passed CHECKER RULES FILE...: sets LIST to the files that have to be checked, KEYS to what
# remembers them.
not_passed() {
	local dir=$PMUDEV_CACHE/$1 rules hash file

	rules=$(sha256sum <<<"$2")
	mkdir -p "$dir"
	LIST=() KEYS=()
	while read -r hash file; do
		if [ ! -e "$dir/${rules:0:16}-$hash-${file//\//+}" ]; then
			LIST+=("$file")
			KEYS+=("$dir/${rules:0:16}-$hash-${file//\//+}")
		fi
	done < <(sha256sum "${@:3}")
}

checkpatch() { # IGNORE FILE...
	not_passed checkpatch "$1 $(declare -f checkpatch) $(sha256sum "$PMUDEV_CACHE/kselftest/checkpatch.pl")" "${@:2}"
	[ ${#LIST[@]} -gt 0 ] || return 0
	perl "$PMUDEV_CACHE/kselftest/checkpatch.pl" --no-tree --strict --terse --no-summary \
		--show-types --max-line-length=100 --ignore "$1" --file "${LIST[@]}" | fail_on_output || return 1
	touch "${KEYS[@]}"
}

check_checkpatch() {
	local status=0 macros='^src/compat\.h$|^src/[a-z0-9]+/regs(_a(32|64))?\.h$' hosted='^include/pmudev/types\.h$'
	# Of macros: all names of the tests, each twice.
	local headers='^tools/lib/include/[a-z_]+\.h$' calls='^tests/selftests/multicall\.c$' list

	[ -e "$PMUDEV_CACHE/kselftest/checkpatch.pl" ] || { skip "no checkpatch.pl; scripts/setup kselftest"; return; }
	mapfile -t list < <(files 'src/*.[ch]' 'include/*.h' | grep -vE "$macros|$hosted")
	checkpatch "$IGNORE" "${list[@]}" || status=1
	mapfile -t list < <(files 'src/*.h' | grep -E "$macros")
	checkpatch "$IGNORE_MACROS" "${list[@]}" || status=1
	mapfile -t list < <(files include/pmudev/types.h 'uapi/*.h' 'tools/*.[ch]' 'tests/*.[ch]' 'examples/*.[ch]' 'integrations/*.[ch]' |
		grep -vE "$headers|$calls")
	checkpatch "$IGNORE_HOSTED" "${list[@]}" || status=1
	checkpatch "$IGNORE_HOSTED,TRAILING_SEMICOLON,AVOID_EXTERNS" tests/selftests/multicall.c || status=1
	mapfile -t list < <(files 'tools/*.h' | grep -E "$headers")
	checkpatch "$IGNORE_HEADERS" "${list[@]}" || status=1
	return "$status"
}

# The module and the tests' modules are always built with W=1, the module with sparse, too
# (scripts/build-module). An up-to-date module has passed before.
check_module() { # KERNEL
	scripts/build-module "$1" 2>&1 | tee "$TMP/build"
	scripts/build-module "$1" --tests 2>&1 | tee -a "$TMP/build"
	if grep -q 'is not available or not up to date' "$TMP/build"; then
		# The kernel's build then goes on without it.
		sed -i '/sparse/d' "$TMP/build"
		printf 'note: this sparse is too old for the headers of %s: not looked at\n' "$1"
	fi
	! grep -qE 'warning:|error:' "$TMP/build"
}

# --lines options for all of a file but macros' definitions and the harness's fixtures, which
# clang-format does not understand.
lines_to_format() { # FILE
	awk '
		function emit(to) {
			if (from && to >= from)
				printf "--lines=%d:%d\n", from, to
			from = 0
		}
		/^[ \t]*#[ \t]*define/ { emit(NR - 1); macro = 1 }
		/^FIXTURE(_VARIANT|_VARIANT_ADD)?\(/ { emit(NR - 1); fixture = 1 }
		!macro && !fixture && !from { from = NR }
		macro && !/\\$/ { macro = 0 }
		fixture && /^}/ { fixture = 0 }
		END { emit(NR) }' "$1"
}

# clang-format decides line breaks and indentation. Authors may align columns, and format macros. All of LIST
# is formatted as a whole first, in a copy: a process for each file takes ten times as long. By lines is looked
# at only what is another text then.
check_format() {
	local i f lines status=0

	mapfile -t LIST < <(files '*.c' '*.h')
	not_passed format "$(clang-format --version; cat .clang-format; declare -f check_format lines_to_format)" "${LIST[@]}"
	[ ${#LIST[@]} -gt 0 ] || return 0
	mkdir "$TMP/format"
	cp --parents .clang-format "${LIST[@]}" "$TMP/format"
	(cd "$TMP/format" && clang-format --style=file -i "${LIST[@]}")
	for i in "${!LIST[@]}"; do
		f=${LIST[i]}
		if diff -qbB "$f" "$TMP/format/$f" >/dev/null; then
			touch "${KEYS[i]}"
			continue
		fi
		mapfile -t lines < <(lines_to_format "$f")
		if clang-format --style=file "${lines[@]}" "$f" | diff -bB -U0 "$f" - >"$TMP/diff"; then
			touch "${KEYS[i]}"
		else
			status=1
			printf '%s: clang-format would write:\n' "$f"
			tail -n +3 "$TMP/diff"
		fi
	done
	return "$status"
}

shell_scripts() {
	files .ci scripts tests tools debian packaging | LC_ALL=C xargs awk '
		FNR == 1 && /^(#!.*[\/ ](ba)?sh( |$)|# shellcheck shell=)/ { print FILENAME }
		{ nextfile }'
}

check_shell() {
	local list

	mapfile -t list < <(shell_scripts)
	shellcheck -x "${list[@]}"
}

# Sources, scripts and build files name their licence in the first five lines.
check_spdx() {
	{
		files '*.c' '*.h' '*.S' '*.awk' '*.map' '*Makefile' Kbuild '*.mk' '*.config' '*.toml' 'bindings/*.py' 'bindings/*.rs' dkms.conf \
			'packaging/*' 'debian/rules' '.github/workflows/*' tests/selftests/matrix
		shell_scripts
	} | LC_ALL=C xargs awk '
		FNR <= 5 && /SPDX-License-Identifier: / { found[FILENAME] }
		FNR == 5 { nextfile }
		END {
			for (i = 1; i < ARGC; i++)
				if (!(ARGV[i] in found))
					printf "%s: no SPDX line\n", ARGV[i]
		}' | fail_on_output
}

check_versions() {
	local list

	mapfile -t list < <(files 'src/*.[ch]' 'include/*.h' 'uapi/*.h' | grep -vx src/compat.h)
	[ ${#list[@]} -gt 0 ] || { skip "there is no module source yet"; return; }
	fail_on_match 'LINUX_VERSION_CODE|KERNEL_VERSION' "${list[@]}"
}

# All but src/arm64 and src/x86 is for every CPU.
check_seams() {
	local list

	mapfile -t list < <(files 'src/entry/*' 'src/set/*' 'src/alloc/*' 'src/task/*' 'src/cpu/*' 'src/context/*' 'src/pure/*')
	[ ${#list[@]} -gt 0 ] || { skip "there is no module source yet"; return; }
	fail_on_match 'CONFIG_(X86|ARM)|asm/(sysreg|msr|perf_event|arm_pmuv3)' "${list[@]}"
}

# A folder of src uses only the folders below it: in its includes, and in the symbols of its objects.
check_layers() {
	local kernel built=0 status=0

	scripts/check-layers --includes || status=1
	for kernel in 6.12-arm64 6.12-amd64 6.12-armhf; do
		if among_words "$kernel" "$(cached_kernels)"; then
			built=1
			scripts/build-module "$kernel" >"$TMP/build" 2>&1 || { cat "$TMP/build"; return 1; }
			scripts/check-layers "$PMUDEV_BUILD/$kernel/module" >"$TMP/symbols" || status=1
			sed "s/^/$kernel: /" "$TMP/symbols"
		fi
	done
	if [ "$status$built" = 00 ]; then
		skip "the includes are in order; no kernel to compare symbols: scripts/setup 6.12-arm64 6.12-amd64"
	fi
	return "$status"
}

# Words that docs/glossary.md replaced. An underscore separates words, so identifiers count, too.
OLD_TERMS="claim(s|ed|ing)?|heirs?|newborns?|sweeps?|sweeping|ledgers?|puzzles?|seatings?|sit_down|bring_forward
|farewells?|payers?|bundles?|racks?|crews?|astray|sealed|owed|spare_reader|pmudev_unset|mend(s|ed|ing)?|gates?
|pmudev_want|family->"

# The change log tells of earlier terms; licences, and patches of other projects, have their own.
check_terms() {
	local list words="(^|[^a-z])(${OLD_TERMS//$'\n'/})([^a-z]|\$)" status=0

	mapfile -t list < <(files | grep -vE '^(COPYING|CHANGELOG\.md|debian/copyright|scripts/checkers/code\.sh|tests/(bugs|emulator)/.*\.patch)$')
	! printf '%s\n' "${list[@]}" | grep -iE "$words" || status=1
	! grep -IniE "$words" /dev/null "${list[@]}" || status=1
	return "$status"
}

# Long headers, sources and structs.
check_sizes() {
	local list

	mapfile -t list < <(files 'src/*.[ch]' 'include/*.h')
	scripts/check-sizes "${list[@]}"
}

# A long file is a hint, not a failure.
check_length() {
	files '*.c' '*.h' scripts tests/vm | xargs wc -l |
		awk '$2 != "total" && $1 > 450 { printf "note: %s has %s lines\n", $2, $1 }'
}
