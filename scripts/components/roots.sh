# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/setup: clean Debians for tests/packaging.

setup_packaging() {
	local why

	why=$(why_not_clean)
	if [ -n "$why" ]; then
		note "setup: packaging: $why; its tests will be skipped"
		return
	fi
	setup_root build
	setup_root install
	setup_root foreign
}

# As this machine's apt has them.
proxies() { apt-config dump | grep -E '^Acquire::https?::Proxy(::[^ ]*)? ' || true; }

setup_root() { # NAME
	local packages fetch options=() line

	[ ! -e "$(clean_dir "$1")/PACKAGES" ] || return 0
	IFS=, read -r packages fetch <<<"$(clean_packages "$1")"
	install_packages mmdebstrap
	lock
	find_mirrors
	fresh_tmp
	note "setup: a Debian 12 for tests of packaging ($1)"
	while read -r line; do
		options+=(--aptopt="$line")
	done < <(proxies)
	if [ -n "$fetch" ]; then
		options+=(--skip=cleanup/apt --customize-hook="chroot \"\$1\" apt-get clean"
			--customize-hook="chroot \"\$1\" apt-get install -qq --download-only $fetch")
	fi
	mkdir "$TMP/out"
	# Its mounts are private, and vanish when it ends.
	unshare --mount --pid --fork --kill-child --mount-proc \
		mmdebstrap --quiet --variant=minbase --include="${packages// /,}" "${options[@]}" \
		--aptopt='APT::Install-Recommends "false"' bookworm "$TMP/out/root" \
		"deb [signed-by=$KEYRING] $MIRROR bookworm main" >"$TMP/log" 2>&1 || {
		tail -n 40 "$TMP/log" >&2
		die "could not make a Debian 12 of $MIRROR (the last lines are above)"
	}
	clean_packages "$1" >"$TMP/out/PACKAGES"
	publish "$(clean_name "$1")"
}
