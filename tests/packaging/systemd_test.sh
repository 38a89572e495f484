#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # the tests are called by name
#
# In an emulated machine, after package_test.sh: the exporter's units, run by the installed systemd. It is
# process 1 of namespaces of its own, as in a container, and starts the tests as a service. Its end ends them all.

SOCKET=pmudev-exporter.socket SERVICE=pmudev-exporter.service
CGROUP=/sys/fs/cgroup/system.slice/$SERVICE
PAGE=http://127.0.0.1:10345/metrics
# The bit of CAP_PERFMON, 38.
PERFMON=0000004000000000

# --- systemd ------------------------------------------------------------------------------------

# Its status is that of the tests.
begin() { exec /usr/bin/unshare --fork --kill-child --pid --mount --mount-proc --uts --ipc "$0" process-1; }

# The root of its control groups has no process but it.
process_1() {
	mount -t cgroup2 cgroup2 /sys/fs/cgroup && mkdir /sys/fs/cgroup/machine &&
		echo 0 >/sys/fs/cgroup/machine/cgroup.procs && umount /sys/fs/cgroup &&
		exec /usr/bin/unshare --cgroup "$0" systemd
}

# With a machine's name it is not the first boot, at which systemd enables every unit.
systemd() {
	mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit
	mkdir -p /var/tmp /run
	echo 0123456789abcdef0123456789abcdef >/etc/machine-id
	cat >/etc/systemd/system/test.service <<-EOF
		[Unit]
		Wants=systemd-journald.service
		After=systemd-journald.service basic.target
		SuccessAction=exit-force
		FailureAction=exit-force
		[Service]
		Type=oneshot
		ExecStart=/tests/systemd_test.sh tests
		StandardOutput=file:/dev/console
		StandardError=file:/dev/console
	EOF
	exec env -i container=pmudev-test PATH=/sbin:/usr/sbin:/bin:/usr/bin \
		/lib/systemd/systemd --system --unit=test.service --show-status=no
}

# --- what the tests are made of -----------------------------------------------------------------

# shellcheck source=tests/packaging/expect.sh
. /tests/expect.sh

show() { systemctl show --property "$1" --value "${2:-$SERVICE}"; }
state() { # UNIT STATE
	show ActiveState "$1" | tee /tmp/state
	[ "$(cat /tmp/state)" = "$2" ]
}
scrape() { wget -q -O "$1" --header "Accept: application/openmetrics-text" "$PAGE"; }
instructions() { sed -n 's/^pmudev_instructions_total{cpu="0"} \([0-9]*\)$/\1/p' "$1"; }
of_process() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(show MainPID)/status"; }
has() { # FIELD VALUE: in its status
	echo "$1 $(of_process "$1"), wanted: $2"
	[ "$(of_process "$1")" = "$2" ]
}
references() { cat /sys/module/pmudev/refcnt; }

# --- the tests ----------------------------------------------------------------------------------

# As docs/exporter.md has it.
enabled() { systemctl enable --now $SOCKET; }
listens() {
	netstat -ltn
	netstat -ltn | grep -q ' 127\.0\.0\.1:10345 .*LISTEN'
}
first_page() {
	scrape /tmp/first && cat /tmp/first && [ "$(instructions /tmp/first)" -gt 0 ] &&
		[ "$(tail -n 1 /tmp/first)" = "# EOF" ]
}

# What is younger than 0.25 s is served again.
more_instructions() {
	while scrape /tmp/second && cmp -s /tmp/first /tmp/second; do :; done
	instructions /tmp/first && instructions /tmp/second &&
		[ "$(instructions /tmp/second)" -gt "$(instructions /tmp/first)" ]
}

is_the_server() {
	readlink "/proc/$(show MainPID)/exe"
	[ "$(readlink "/proc/$(show MainPID)/exe")" = /usr/lib/pmudev/pmudev-exporter ]
}
in_the_journal() {
	journalctl -q --no-pager -o cat -u $SERVICE
	journalctl -q --no-pager -o cat -u $SERVICE | grep -q 'serves http://127.0.0.1:10345/metrics'
}

# The range that systemd takes them from.
dynamic_user() {
	id=$(of_process Uid | cut -f 1)
	has Uid "$id	$id	$id	$id" && [ "$id" -ge 61184 ] && [ "$id" -le 65519 ]
}
only_perfmon() {
	for field in CapPrm CapEff CapBnd CapAmb; do
		has $field $PERFMON || return
	done
}
group() { # beside the user's own
	gid=$(sed -n 's/^pmudev:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
	echo "groups $(of_process Groups), pmudev is $gid"
	[ -n "$gid" ] && [ "$(of_process Groups | tr ' ' '\n' | grep -vx "$(of_process Gid | cut -f 1)" | xargs)" = "$gid" ]
}

# Root, with all rights, but in this cgroup: what it cannot open is refused by the policy of devices.
devices_let_in() { # CGROUP
	sh -c 'echo $$ >"$1/cgroup.procs" && exec find /dev/ -type c -exec sh -c '\''
		for device; do
			{ true <>"$device"; } 2>&1 | grep -q "not permitted" || echo "$device"
		done'\'' sh {} +' sh "$1" | sort
}
no_other_device() {
	devices_let_in $CGROUP >/tmp/let-in
	cat /tmp/let-in
	[ "$(grep -vx '/dev/pts/.*' /tmp/let-in | xargs -n 1 basename | xargs)" = "full null pmudev ptmx random tty urandom zero" ]
}
elsewhere_another() { true <>/dev/kmsg; }

network_of_its_own() {
	net=$(readlink "/proc/$(show MainPID)/ns/net")
	echo "$net here $(readlink /proc/self/ns/net)"
	[ -n "$net" ] && [ "$net" != "$(readlink /proc/self/ns/net)" ]
}
holds_the_module() { references && [ "$(references)" -gt 0 ]; }
is_let_go() { references && [ "$(references)" = 0 ]; }

# systemd starts it again after 10 s; the socket keeps who comes meanwhile waiting.
killed() {
	old=$(show MainPID)
	kill -KILL "$old"
	scrape /tmp/third && cat /tmp/third && [ "$(instructions /tmp/third)" -gt 0 ] &&
		[ "$(show MainPID)" != "$old" ] && show NRestarts && [ "$(show NRestarts)" = 1 ]
}
stopped_alone() {
	systemctl stop $SERVICE && state $SERVICE inactive && state $SOCKET active && is_let_go && scrape /tmp/fourth &&
		[ "$(instructions /tmp/fourth)" -gt 0 ] && state $SERVICE active
}
stopped() {
	systemctl stop $SOCKET $SERVICE && state $SOCKET inactive && state $SERVICE inactive && show Result &&
		[ "$(show Result)" = success ]
}
refused() { ! scrape /tmp/none; }

tests() {
	expect "the socket is enabled and started" enabled
	expect "  and listens on 127.0.0.1:10345" listens
	expect "  while the service is not there" state $SERVICE inactive
	expect "  and nobody uses the module" is_let_go
	expect "the first request starts the service, and has counts" first_page
	expect "  a later one has more" more_instructions
	expect "the server is the package's" is_the_server
	expect "  and says in the journal where it serves" in_the_journal
	expect "it is a dynamic user" dynamic_user
	expect "  with CAP_PERFMON and no other right" only_perfmon
	expect "  which the programs it starts cannot exceed" has NoNewPrivs 1
	expect "  and with a filter of system calls" has Seccomp 2
	expect "  in the group pmudev" group
	expect "it may open /dev/pmudev and no device but the harmless" no_other_device
	expect "  though /dev/kmsg can be opened elsewhere" elsewhere_another
	expect "its network is its own" network_of_its_own
	expect "it uses the module" holds_the_module
	expect "killed, it answers again" killed
	expect "stopped, it answers again as long as there is the socket" stopped_alone
	expect "socket and service are stopped" stopped
	expect "  nobody answers then" refused
	expect "  and nobody uses the module" is_let_go
	[ $failed = 0 ] || journalctl -q --no-pager -u $SOCKET -u $SERVICE
	echo "1..$nr"
	exit $failed
}

case ${1:-} in
'') begin ;;
process-1) process_1 ;;
systemd) systemd ;;
tests) tests ;;
esac
