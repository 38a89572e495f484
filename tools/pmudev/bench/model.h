/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of what a path costs: how often it executes what hardware pays for, times latencies that
 * others published (share/pmudev/latencies.txt). Nothing of it is measured.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/pmudev.h>

/* tests/emulator/README.md ("Costs"), in its order. */
enum model_class {
	MODEL_RDPMC,
	MODEL_COUNTER_READ,
	MODEL_COUNTER_WRITE,
	MODEL_CONTROL_READ,
	MODEL_CONTROL_WRITE,
	MODEL_OTHER_READ,
	MODEL_OTHER_WRITE,
	MODEL_SERIALIZE,
	MODEL_BARRIER,
	MODEL_LOCKED,
	MODEL_TRANSLATION,
	MODEL_IPI,
	MODEL_CLASSES,
};

/* What bench measures and the model knows. */
enum model_path {
	MODEL_NO_PATH,
	MODEL_USER_READ,
	MODEL_READ_CALL,
	MODEL_SWITCH,
};

/**
 * struct model - the published latencies of a CPU
 * @name: the CPU's; empty: none is of it
 * @arm64: its architecture; else x86
 * @of: of a class, in cycles; not @known: none
 */
struct model {
	char name[48];
	bool arm64;
	struct model_latency {
		bool known;
		double low;
		double high;
	} of[MODEL_CLASSES];
};

/**
 * struct estimate - what a path takes by the model, in cycles
 * @known: something of it is published; else the rest means nothing
 * @open: not all of it is: there is no upper end
 */
struct estimate {
	bool known;
	bool open;
	double low;
	double high;
};

/*
 * Reads the file @in, named @path, for a CPU of which a query told this: @arch of enum pmudev_arch,
 * @cpu_id. Return: false, which was told on stderr, if any line is wrong.
 */
bool model_load(struct model *model, FILE *in, const char *path, __u32 arch, __u64 cpu_id);

struct estimate model_estimate(const struct model *model, enum model_path path,
			       unsigned int events);

/* "92 - 160", ">= 31", "-"; divided by @unit, with so many decimals. Return: @buf. */
const char *estimate_text(const struct estimate *estimate, double unit, int decimals, char *buf,
			  size_t len);

#endif /* MODEL_H */
