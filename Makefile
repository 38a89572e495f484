# SPDX-License-Identifier: GPL-2.0
# `make` builds pmudev.ko for the running kernel, like any module out of the tree. Everything else
# is a script's work; `make help` lists it.

KDIR ?= /lib/modules/$(shell uname -r)/build

# For the targets that boot a machine. The default machine is the kernel's architecture's most capable.
KERNEL ?= 6.12-arm64
MACHINE ?=
SMP ?= 1

.PHONY: all modules modules_install clean help setup unit tools tools-install tools-uninstall vm test bench demo \
	quick check check-all lint fuzz fuzz-pure deb archive dkms pictures

all: modules

# Type information (BTF) needs pahole and is not needed by anything here.
BTF := $(if $(shell command -v pahole 2>/dev/null),,CONFIG_DEBUG_INFO_BTF_MODULES=)

modules modules_install:
	@[ -e $(KDIR)/Makefile ] || { echo 'no kernel to build for in $(KDIR): install its headers (Debian:' \
		'linux-headers-$(shell uname -r)), or name a folder with KDIR=' >&2; exit 1; }
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

tools-install tools-uninstall:
	$(MAKE) -C tools $(@:tools-%=%)

vm:
	tests/vm/shell --kernel $(KERNEL) $(if $(MACHINE),--machine $(MACHINE)) --smp $(SMP)

test:
	tests/vm/run --level matrix

# KERNELS=
bench:
	tests/bench/run $(KERNELS)

demo:
	scripts/demo $(if $(ARCH),--arch $(ARCH))

pictures:
	scripts/pictures

lint:
	scripts/check

quick check:
	@scripts/check-all $@

# SECTION=, by default all of them.
check-all:
	@scripts/check-all all $(SECTION)

# MINUTES=, ARCH=, SEED=
fuzz:
	tests/vm/fuzz $(if $(MINUTES),--minutes $(MINUTES)) $(if $(ARCH),--arch $(ARCH)) $(if $(SEED),--seed $(SEED))

# FUZZ_SECONDS=
fuzz-pure:
	scripts/setup libfuzzer
	$(MAKE) -C tests/unit fuzz

# Needs no root; the tools it lacks it names.
deb:
	scripts/build-deb

# For RPM and Arch packages.
archive:
	scripts/build-archive

# What the module is made of, where DKMS looks for it.
VERSION = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)

DKMS_SOURCES = /usr/src/pmudev-$(VERSION)

dkms:
	@if [ . -ef $(DKMS_SOURCES) ]; then echo 'These are the sources that DKMS has: run it elsewhere' >&2; exit 1; fi
	@for owner in 'dpkg -S' 'rpm -qf' 'pacman -Qo'; do \
		if $$owner $(DKMS_SOURCES)/dkms.conf >/dev/null 2>&1; then \
			echo 'A package has installed it: remove that first' >&2; exit 1; fi; done
	if dkms status pmudev/$(VERSION) | grep -q pmudev; then dkms remove pmudev/$(VERSION) --all; fi
	rm -rf $(DKMS_SOURCES)
	mkdir -p $(DKMS_SOURCES)
	cp -r Kbuild Makefile dkms.conf src include uapi $(DKMS_SOURCES)
	dkms add pmudev/$(VERSION)
	@echo 'Next: dkms install pmudev/$(VERSION)'

help:
	@echo 'On this machine:'
	@echo '  all             build the module for the running kernel (KDIR=, ARCH=, CROSS_COMPILE=)'
	@echo '  modules_install install it'
	@echo '  tools           build the library and the command'
	@echo '  tools-install   install them (PREFIX=, DESTDIR=, see tools/Makefile); tools-uninstall takes it back'
	@echo '  dkms            give the module to DKMS, which builds it for each kernel (root)'
	@echo '  deb             build Debian packages into build/deb (docs/install.md)'
	@echo '  archive         the sources in build/pmudev-$(VERSION).tar.gz, for RPM and Arch packages'
	@echo '  clean           remove what was built'
	@echo 'In emulated machines (nothing is loaded on this one):'
	@echo '  setup           get tools, kernels and a busybox into a cache folder'
	@echo '  demo            boot a kernel and show what pmudev does; ARCH=x86: on an Intel PMU, amd: on one of AMD'
	@echo '  vm              boot and give a shell: KERNEL=$(KERNEL) MACHINE=$(MACHINE) SMP=$(SMP)'
	@echo '  test            the sections matrix-* of check-all (tests/vm/run narrows it)'
	@echo '  pictures        record and draw the pictures of README.md and docs/ anew'
	@echo '  bench           what each path costs with pmudev and with perf, in instructions, held against bars: KERNELS='
	@echo '  quick           after an edit: unit tests, builds for arm64 and x86, some programs on a machine of each'
	@echo '  check           before a commit: lint, unit, tools, every program at least once that is not slow and needs no debug kernel'
	@echo '  check-all       everything, in sections: SECTION=matrix; SECTION=list shows all, SECTION=stale what is due'
	@echo '  fuzz            the fuzzer for MINUTES=30 on the debug kernels; ARCH=, SEED='
	@echo 'Without a machine:'
	@echo '  unit            the unit tests'
	@echo '  fuzz-pure       the pure functions, fed by libFuzzer, FUZZ_SECONDS=60 each'
	@echo '  lint            every static checker'
