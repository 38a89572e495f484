# SPDX-License-Identifier: GPL-2.0
# What scripts/build-emulator builds into qemu-system-x86_64: the machine "pc", a serial line, and
# what a bare test program ends and reports with.
CONFIG_I440FX=y
CONFIG_SERIAL_ISA=y
CONFIG_HPET=y
CONFIG_ISA_DEBUG=y
CONFIG_TEST_DEVICES=y
