# SPDX-License-Identifier: GPL-2.0
# Included by Makefiles of folders here, whose OUTPUT/root is laid over the root of a machine without shared
# libraries: what all of them put there. CC= or CROSS_COMPILE= is the compiler, for arm64 or amd64.
#
#   MORE_SHARED=  given: other libraries than the C library, such as lib/libm.so.6
#   SHARED        they, the C library, and the dynamic loader, where programs expect it
#   $(ROOT)/lib/libpmudev.so.0  the library

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
STRIP := $(CROSS_COMPILE)strip

MACHINE := $(shell $(CC) -dumpmachine)
ARM64 := $(findstring aarch64,$(MACHINE))
LOADER := $(if $(ARM64),lib/ld-linux-aarch64.so.1,lib64/ld-linux-x86-64.so.2)
ROOT := $(OUTPUT)/root
SHARED := $(addprefix $(ROOT)/,$(LOADER) lib/libc.so.6 $(MORE_SHARED))

.PHONY: all clean libpmudev
.DELETE_ON_ERROR:

all:

$(SHARED):
	mkdir -p $(@D)
	$(STRIP) -o $@ $(shell $(CC) -print-file-name=$(@F))

libpmudev:
	$(MAKE) -C $(TOP)/tools/lib OUTPUT=$(OUTPUT)/lib CC='$(CC)' LIBPFM=no

$(ROOT)/lib/libpmudev.so.0: libpmudev
	mkdir -p $(@D)
	$(STRIP) -o $@ $(OUTPUT)/lib/libpmudev.so

clean:
	rm -rf $(OUTPUT)
