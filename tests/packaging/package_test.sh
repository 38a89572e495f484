#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # the tests are called by name
#
# In an emulated machine: what the packages installed, the module being loaded.

# shellcheck source=tests/packaging/expect.sh
. /tests/expect.sh

mode() { [ "$(stat -c '%U %G %a' /dev/pmudev)" = "$1" ] || { stat /dev/pmudev; return 1; }; }
user_access() { [ "$(cat /proc/sys/dev/pmudev/user_access)" = "$1" ]; }
as() { su -s /bin/sh "$1" -c "$2"; }
refused() { ! as stranger "pmudev info" >/tmp/refused 2>&1 && cat /tmp/refused && grep -q 'may not use' /tmp/refused; }

# Twice as many rounds are more instructions, and the read of a count needs no system call.
count_in_python() {
	as member "python3 -c '
import pmudev

def loop(n):
    for _ in range(n):
        pass

counts = []
for rounds in 1000, 2000:
    with pmudev.count(\"instructions:u\") as c:
        loop(rounds)
        assert c.read().direct
    counts.append(c[\"instructions:u\"])
print(counts)
assert 2000 < counts[0] < counts[1] - 2000
'"
}

refused_in_python() {
	as stranger "python3 -c '
import pmudev

try:
    pmudev.count(\"instructions:u\").start()
except pmudev.Refused as refused:
    print(refused.errno, refused)
'" >/tmp/refused 2>&1
	cat /tmp/refused
	grep -q '^13 .*may not use' /tmp/refused
}

# As at boot: udev runs, and is told of the devices that are there.
start_udev() {
	/lib/systemd/systemd-udevd --daemon --children-max=1 &&
		udevadm trigger --action=add --subsystem-match=misc && udevadm settle --timeout=30
}

# What of the package is executed, where the module is loaded already.
installed_late() {
	chown root:root /dev/pmudev && sh /postinst configure && udevadm settle --timeout=30 && mode "root pmudev 660"
}

expect "without the rule the device is root's" mode "root root 600"
expect "user reads are off" user_access 0
expect "udev takes the rule" start_udev
expect "the device is the group's" mode "root pmudev 660"
expect "what stands in sysctl.d was set" user_access 1
expect "a member of the group counts what is theirs" as member "pmudev stat -e instructions:u -- true"
expect "  and reads their own counters" as member /root/program
expect "  and in Python" count_in_python
expect "somebody else is refused" refused
expect "  and in Python" refused_in_python
expect "root sees the PMU" pmudev info
expect "installing the package gives a device that is there to the group" installed_late
udevadm control --exit
echo "1..$nr"
exit $failed
