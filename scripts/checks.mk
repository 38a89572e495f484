# SPDX-License-Identifier: GPL-2.0
# What `make quick` and `make check` do, as a graph: make runs as many jobs at once as there are CPUs,
# each as soon as what it needs is there, and hands its builds the same CPUs. Where several could
# begin, the first of the list does: those that others wait for, then the longest. scripts/check-all
# calls it for `prepare` and then for `machines`, and prints what came out.
#
#   LEVEL=  quick or check     RESULTS=  where scripts/job leaves the results

JOB := scripts/job $(RESULTS)
# After an edit, what it does not concern is not run again; `make check` runs everything.
SAME = scripts/job $(if $(filter quick,$(LEVEL)),--if-changed $(1)) $(RESULTS)

# "KERNEL MACHINE SMP" with commas for blanks.
comma := ,
space := $(subst ,, )
MACHINES := $(shell machines=$$(tests/vm/run --level $(LEVEL) --machines) && echo "$$machines" | tr ' ' ,)
$(if $(MACHINES),,$(error no machines for LEVEL=$(LEVEL): tests/vm/run --level $(LEVEL) --machines failed))
kernel_of = $(word 1,$(subst $(comma), ,$(1)))
KERNELS := $(sort $(foreach m,$(MACHINES),$(call kernel_of,$(m))))
arch_of = $(patsubst %-arm64,arm64,$(patsubst %-armhf,arm,$(patsubst %-amd64,x86,$(1))))
ARCHES := $(sort $(foreach k,$(KERNELS),$(call arch_of,$(k))))
BUSYBOXES := $(sort $(patsubst %,busybox-%,$(foreach k,$(KERNELS),$(lastword $(subst -, ,$(k))))))
# Stock QEMU counts exactly with one CPU, on these.
STOCK := $(filter %$(comma)vhe$(comma)1 %$(comma)nvhe$(comma)1 %$(comma)el1$(comma)1,$(MACHINES))

MACHINE_JOBS := $(MACHINES:%=machine-%)
OTHERS_quick := unit
OTHERS_check := lint-checkpatch unit lint-format
# Nothing waits for them: they run beside the machines, where a core that has nothing else to do finds them.
BESIDE_quick := tools
BESIDE_check := tools lint-rest
OTHERS := $(OTHERS_$(LEVEL))
BESIDE := $(BESIDE_$(LEVEL))
BUILDS := $(ARCHES:%=programs-%) $(KERNELS:%=module-%)

.PHONY: prepare machines list fetch-tools fetch emulator $(BESIDE) $(MACHINE_JOBS) $(OTHERS) $(BUILDS)

# The emulator takes longest, if it is not there yet: it is built while all else goes on.
prepare: emulator $(BUILDS) $(OTHERS)

# In the order in which they are listed, the longest first.
machines: $(wordlist 1,3,$(MACHINE_JOBS)) $(BESIDE) $(wordlist 4,99,$(MACHINE_JOBS))

# What must have a result.
list:
	@printf '%s\n' emulator fetch-tools fetch $(BUILDS) $(OTHERS) $(BESIDE) $(MACHINE_JOBS)

fetch-tools:
	@$(JOB) $@ scripts/setup tools

fetch: fetch-tools
	@$(JOB) $@ scripts/setup kselftest libraries $(KERNELS) $(BUSYBOXES) $(if $(filter check,$(LEVEL)),promtool rust)

emulator: fetch-tools
	@$(JOB) $@ scripts/setup emulator

# sparse takes almost half of it. Of two kernels of an architecture it looks at the newer; at 6.1 in sections of
# `make check-all`. Another checker builds the module for the newer ones once more, with it.
$(KERNELS:%=module-%): module-%: fetch
	+@$(JOB) $@ $(if $(filter 6.1-%,$*),env PMUDEV_NO_SPARSE=1) scripts/check modules $*

$(ARCHES:%=programs-%): programs-%: fetch
	+@$(JOB) $@ tests/vm/run --level $(LEVEL) --arch $* --build programs

# needs MACHINE: what must have succeeded before.
define needs
machine-$(1): $(RESULTS)/module-$(call kernel_of,$(1)).ok $(RESULTS)/programs-$(call arch_of,$(call kernel_of,$(1))).ok \
	$(if $(filter $(1),$(STOCK)),,$(RESULTS)/emulator.ok)
endef
$(foreach m,$(MACHINES),$(eval $(call needs,$(m))))

$(MACHINE_JOBS): machine-%:
	@$(JOB) $@ tests/vm/run --level $(LEVEL) --no-build --strict --keep $(RESULTS)/programs --only '$(subst $(comma), ,$*)'

unit: fetch-tools
	+@$(call SAME,src/pure$(comma)include$(comma)uapi$(comma)tests/unit$(comma)tests/selftests/layout.c$(comma)tools/tests/run) $@ $(MAKE) -s -C tests/unit run

# Their tests read pages, examples and units, and encode by the module's own code.
TOOLS_READ := tools uapi man bindings share src/pure include examples packaging/systemd README.md docs/guide.md docs/python.md \
	docs/pictures scripts/check-tools scripts/lib.sh scripts/perf-options scripts/perf-stat-options.txt

tools: $(RESULTS)/fetch.ok
	+@$(call SAME,$(subst $(space),$(comma),$(TOOLS_READ))) $@ scripts/check-tools

lint-checkpatch: fetch
	@$(JOB) $@ scripts/check checkpatch
lint-format: fetch-tools
	@$(JOB) $@ scripts/check format
lint-rest: $(RESULTS)/fetch.ok
	@$(JOB) $@ scripts/check --without checkpatch,format,modules
