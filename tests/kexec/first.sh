#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the first kernel (tests/kexec/run): every CPU counts by pmudev when the second one is executed.

echo "@first available $(pmudev info | sed -n 's/^ *available *//p' | xargs)"
pmudev stat -a -e instructions,cycles -- sleep 1000 &
until pmudev info | grep -qE '^ *in use +[^n ]'; do
	sleep 0.1
done
kexec boot /kernel /initramfs "$(cat /arguments)"
