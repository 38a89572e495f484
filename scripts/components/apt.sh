# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts/setup: what is installed on the system, and a private apt that fetches what is not.

# --- the system's tools -------------------------------------------------------------------------

TOOLS="bash gcc g++ make libc6-dev sparse clang-format shellcheck ccache cpio dpkg-dev zstd flex bison
libelf-dev libssl-dev bc rsync kmod xz-utils perl python3 git qemu-system-arm pkg-config lz4 libpfm4-dev libdw-dev libmicrohttpd-dev libncurses-dev libsmartcols-dev mandoc
python3-prometheus-client python3-matplotlib python3-pytest yamllint"
# For both architectures, and for the 32-bit programs of both. (gcc-multilib conflicts with others.)
TOOLS_FOR_ARM64="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
TOOLS_FOR_AMD64="gcc-x86-64-linux-gnu libc6-dev-amd64-cross"
TOOLS_32="gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-i686-linux-gnu libc6-dev-i386-cross"

missing_packages() {
	local p

	for p in "$@"; do
		if ! dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | grep -q '^ii'; then
			printf '%s\n' "$p"
		fi
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif have sudo; then
		sudo "$@"
	else
		die "these packages are missing and neither root nor sudo is at hand: ${need[*]}"
	fi
}

setup_tools() {
	case $(dpkg --print-architecture) in
	arm64) TOOLS+=" $TOOLS_FOR_AMD64" ;;
	amd64) TOOLS+=" $TOOLS_FOR_ARM64" ;;
	*) TOOLS+=" $TOOLS_FOR_ARM64 $TOOLS_FOR_AMD64" ;;
	esac
	# shellcheck disable=SC2086 # a list of words
	install_packages $TOOLS $TOOLS_32
}

# install_packages NAME...: those that are missing, on the system.
install_packages() {
	local need

	mapfile -t need < <(missing_packages "$@")
	[ ${#need[@]} -gt 0 ] || return 0
	note "setup: installing ${need[*]}"
	if ! apt-get install -s -qq "${need[@]}" >/dev/null 2>&1; then
		as_root apt-get update -qq || die "apt-get update failed"
	fi
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		"${need[@]}" >/dev/null || die "could not install: ${need[*]}"
}

# --- the private apt ----------------------------------------------------------------------------

# sources_fields: "URI SUITE KEYRING" for every binary source of Debian this machine uses, from
# both styles of source files.
sources_fields() {
	awk '
		function flush(i, j, u, s) {
			if (types ~ /(^| )deb( |$)/)
				for (i = split(uris, u, " "); i > 0; i--)
					for (j = split(suites, s, " "); j > 0; j--)
						print u[i], s[j], key
			types = uris = suites = ""; key = "-"
		}
		BEGIN { key = "-" }
		FNR == 1 { flush() }
		/^#/ { next }
		/^[[:space:]]*$/ { flush(); next }
		/^Types:/ { sub(/^[^:]*:[ \t]*/, ""); types = $0 }
		/^URIs:/ { sub(/^[^:]*:[ \t]*/, ""); uris = $0 }
		/^Suites:/ { sub(/^[^:]*:[ \t]*/, ""); suites = $0 }
		/^Signed-By:/ { sub(/^[^:]*:[ \t]*/, ""); if ($0 != "") key = $0 }
		END { flush() }
	' /dev/null /etc/apt/sources.list.d/*.sources 2>/dev/null || true
	sed -nE 's/^deb[[:space:]]+(\[[^]]*\])?[[:space:]]*([^[:space:]]+)[[:space:]]+([^[:space:]]+).*/\2 \3 \1/p' \
		/etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
	while read -r uri suite options; do
		key=$(sed -nE 's/.*signed-by=([^] ]+).*/\1/p' <<<"$options")
		echo "$uri $suite ${key:--}"
	done || true
}

# find_mirrors: sets MIRROR, SECURITY and KEYRING.
find_mirrors() {
	local fields

	fields=$(sources_fields)
	MIRROR=$(awk '$2 ~ /^(bookworm|trixie|forky|sid|stable|testing|unstable)$/ { print $1; exit }' <<<"$fields")
	SECURITY=$(awk '$2 ~ /^[a-z]+-security$/ { print $1; exit }' <<<"$fields")
	KEYRING=$(awk '$2 ~ /^(bookworm|trixie|forky|sid|stable|testing|unstable)$/ { print $3; exit }' <<<"$fields")
	MIRROR=${PMUDEV_MIRROR:-$MIRROR}
	SECURITY=${PMUDEV_SECURITY_MIRROR:-$SECURITY}
	[ -n "$MIRROR" ] || die "no Debian mirror in this machine's apt sources; name one in PMUDEV_MIRROR"
	if [ -z "$KEYRING" ] || [ "$KEYRING" = - ]; then
		KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
	fi
	[ -e "$KEYRING" ] || die "no keyring $KEYRING (package debian-archive-keyring)"
}

write_source() { # FILE URI SUITES [TYPES]
	cat >"$1" <<-EOF
	Types: ${4:-deb}
	URIs: $2
	Suites: $3
	Components: main
	Architectures: $APT_ARCHES
	Signed-By: $KEYRING
	EOF
}

# private_apt PROFILE: from here on apt uses only the cache's own lists. "base" is the stable
# release with its security updates and backports; "armhf" and "i386" (without security updates, of
# which nothing is fetched), "newer" (what comes after the stable release), "sources" (the stable
# release's source packages) and "trixie" (the next one's) are asked for only by what needs them.
private_apt() {
	local dir=$PMUDEV_CACHE/apt/$1 host

	lock
	host=$(dpkg --print-architecture)
	case $1 in
	armhf | i386) APT_ARCHES=$(printf '%s\n' "$host" "$1" | sort -u | xargs) ;;
	*) APT_ARCHES=$(printf '%s\n' "$host" arm64 amd64 | sort -u | xargs) ;;
	esac
	export APT_CONFIG=$dir/apt.conf
	[ ! -e "$dir/fresh.$PMUDEV_SETUP_RUN" ] || return 0

	find_mirrors
	mkdir -p "$dir"/{parts,lists/partial,state,cache/archives/partial}
	rm -f "$dir"/parts/* "$dir"/fresh.*
	: >"$dir/state/status"
	case $1 in
	base)
		write_source "$dir/parts/base.sources" "$MIRROR" "bookworm bookworm-backports"
		if [ -n "$SECURITY" ]; then
			write_source "$dir/parts/security.sources" "$SECURITY" bookworm-security
		fi
		;;
	armhf | i386)
		write_source "$dir/parts/base.sources" "$MIRROR" "bookworm bookworm-backports"
		;;
	newer)
		write_source "$dir/parts/newer.sources" "$MIRROR" "trixie trixie-backports sid"
		;;
	sources)
		write_source "$dir/parts/sources.sources" "$MIRROR" bookworm deb-src
		;;
	trixie)
		write_source "$dir/parts/trixie.sources" "$MIRROR" trixie deb-src
		;;
	esac
	cat >"$dir/apt.conf" <<-EOF
	Dir::Etc::sourcelist "/dev/null";
	Dir::Etc::sourceparts "$dir/parts";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	Dir::State "$dir/state";
	Dir::State::Lists "$dir/lists";
	Dir::State::status "$dir/state/status";
	Dir::Cache "$dir/cache";
	APT::Architecture "$host";
	APT::Architectures { $(for a in $APT_ARCHES; do printf '"%s"; ' "$a"; done)};
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Acquire::Retries "3";
	EOF
	note "setup: package lists ($1)"
	apt-get -qq update || die "apt-get update failed for: $MIRROR ${SECURITY:-}"
	touch "$dir/fresh.$PMUDEV_SETUP_RUN"
}

# debian_source PACKAGE [RELEASE]: of Debian 13, or bookworm's, with Debian's patches, in the folder $TMP/PACKAGE.
debian_source() {
	private_apt "$([ "${2:-trixie}" = trixie ] && echo trixie || echo sources)"
	note "setup: $COMPONENT from Debian's source package $1"
	mkdir "$TMP/dsc"
	(cd "$TMP/dsc" && apt-get -qq source --download-only --only-source "$1") || die "could not download the source of $1"
	# apt has verified it.
	dpkg-source --no-check -x "$TMP"/dsc/*.dsc "$TMP/$1" >"$TMP/log" 2>&1 || die "could not unpack $1: $(cat "$TMP/log")"
	rm -r "$TMP/dsc"
}

# debian_version PACKAGE: of the source in $TMP/PACKAGE.
debian_version() { dpkg-parsechangelog -l "$TMP/$1/debian/changelog" -S Version; }

# profile_of DEBIAN_ARCH: the one that has its packages.
profile_of() {
	case $1 in
	armhf | i386) printf '%s\n' "$1" ;;
	*) printf 'base\n' ;;
	esac
}

# newest PATTERN: names of the packages that match, newest version first.
newest() { apt-cache search --names-only "$1" | cut -d' ' -f1 | sort -Vr; }

# fetch NAME[:ARCH]...: download into $TMP/deb and unpack into $TMP/root.
fetch() {
	local deb

	mkdir -p "$TMP/deb" "$TMP/root"
	(cd "$TMP/deb" && apt-get -qq download "$@") || die "could not download: $*"
	for deb in "$TMP"/deb/*.deb; do
		dpkg -x "$deb" "$TMP/root"
		rm "$deb"
	done
}
