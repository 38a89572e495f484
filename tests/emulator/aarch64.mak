# SPDX-License-Identifier: GPL-2.0
# What scripts/build-emulator builds into qemu-system-aarch64: the machine "virt".
CONFIG_ARM_VIRT=y
