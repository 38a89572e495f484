#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the machine of tests/checker/run: the module is used, so that the order of its locks is known, and then
# made to have the bug that is named on the kernel's command line, if any.
bug=/sys/module/pmudev/parameters/bug

echo 1..2
if pmudev stat -e instructions -- /bin/true; then
	echo 'ok 1 - used'
else
	echo 'not ok 1 - used'
fi
if [ "${PMUDEV_BUG:-none}" = none ] || echo "$PMUDEV_BUG" >$bug; then
	echo "ok 2 - ${PMUDEV_BUG:-none}"
else
	echo "not ok 2 - $PMUDEV_BUG"
fi
