# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/build-deb and scripts/build-archive: the sources, without what was built.

# Whether this is git's own checkout, and not an unpacked archive inside of another one.
in_git() { [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; }

# What git knows, and is there; without git all but what was built.
sources() {
	local f

	cd "$PMUDEV_ROOT" || return
	if in_git; then
		git ls-files -z --cached
	else
		find . \( -path ./.git -o -path ./build \) -prune -o ! -type d -regextype egrep \
			! -regex '.*(\.(o|a|so|so\..*|ko|mod|mod\.c|cmd|symvers)|/modules\.order|/\.[^/]*\.d)' -print0
	fi | while IFS= read -r -d '' f; do
		if [ -e "$f" ]; then
			printf '%s\0' "$f"
		fi
	done
}
