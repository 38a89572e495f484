# SPDX-License-Identifier: GPL-2.0
# `make` builds pmudev.ko for the running kernel, like any module out of the tree. Everything else
# is a script's work; `make help` lists it.

KDIR ?= /lib/modules/$(shell uname -r)/build

# For the targets that boot a machine. The default machine is the kernel's architecture's most capable.
KERNEL ?= 6.12-arm64
MACHINE ?=
SMP ?= 1

.PHONY: all modules modules_install clean help setup unit tools vm test bench demo check check-all check-debug lint

all: modules

# Type information (BTF) needs pahole and is not needed by anything here.
BTF := $(if $(shell command -v pahole 2>/dev/null),,CONFIG_DEBUG_INFO_BTF_MODULES=)

modules modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(BTF) $@

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -rf build

setup:
	scripts/setup

unit:
	$(MAKE) -C tests/unit run

tools:
	$(MAKE) -C tools

vm:
	tests/vm/shell --kernel $(KERNEL) $(if $(MACHINE),--machine $(MACHINE)) --smp $(SMP)

test:
	tests/vm/run

bench:
	tests/bench/run

demo:
	scripts/demo $(if $(ARCH),--arch $(ARCH))

lint:
	scripts/check

check:
	scripts/check-all

check-all:
	scripts/check-all --all

check-debug:
	scripts/setup tools busybox-arm64 busybox-amd64 kselftest emulator debug-7.2-arm64 debug-7.2-amd64
	tests/vm/run --kernel 7.2-debug-arm64,7.2-debug-amd64

help:
	@echo 'On this machine:'
	@echo '  all             build the module for the running kernel (KDIR=, ARCH=, CROSS_COMPILE=)'
	@echo '  modules_install install it'
	@echo '  tools           build the library and the command'
	@echo '  clean           remove what was built'
	@echo 'In emulated machines (nothing is loaded on this one):'
	@echo '  setup           get tools, kernels and a busybox into a cache folder'
	@echo '  demo            boot a kernel and show what pmudev does; ARCH=x86: on an Intel PMU'
	@echo '  vm              boot and give a shell: KERNEL=$(KERNEL) MACHINE=$(MACHINE) SMP=$(SMP)'
	@echo '  test            the tests in every machine of the matrix (tests/vm/run narrows it)'
	@echo '  bench           what a context switch and a read cost with pmudev and with perf, in instructions'
	@echo '  check           everything: setup, lint, unit, tools, test'
	@echo '  check-all       the same with every x86 machine, not only every pair of their properties'
	@echo '  check-debug     the tests on a kernel with KASAN, lockdep and more (built on first use)'
	@echo 'Without a machine:'
	@echo '  unit            the unit tests'
	@echo '  lint            every static checker'
