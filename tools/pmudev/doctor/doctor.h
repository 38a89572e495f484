/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `pmudev doctor`: can this machine count, and can its counts be trusted? Each check has a verdict.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

#include <pmudev.h>

enum verdict {
	VERDICT_OK,
	VERDICT_NOTE, /* worth knowing */
	VERDICT_WARN, /* something does not count, or not exactly */
	VERDICT_FAIL, /* nothing counts, or it counts wrongly */
	VERDICT_SKIP, /* it could not be found out */
	NR_VERDICTS,
};

/**
 * struct finding - what a check found
 * @check: its name, a word
 * @verdict: how good that is
 * @text: what it found
 * @advice: what to do, "": nothing
 */
struct finding {
	const char *check;
	enum verdict verdict;
	char text[256];
	char advice[320];
};

#define MAX_FINDINGS 64

/**
 * struct doctor - a visit
 * @root: "" or what stands for the root of the file system, for tests
 * @release: of the kernel, as uname(2) has it
 * @module: is the module there?
 * @open: could the device be opened?
 * @set: the open device
 * @nr: how many findings
 * @findings: each of them
 */
struct doctor {
	const char *root;
	char release[128];
	bool module;
	bool open;
	struct pmudev set;
	unsigned int nr;
	struct finding findings[MAX_FINDINGS];
};

/* Adds a finding, whose advice is to follow. Return: the finding. */
struct finding *doctor_find(struct doctor *doctor, const char *check, enum verdict verdict,
			    const char *format, ...) __attribute__((__format__(printf, 4, 5)));

void doctor_advise(struct finding *finding, const char *format, ...)
	__attribute__((__format__(printf, 2, 3)));

/* The first line of a file, without its end. False: it cannot be read. */
bool doctor_line(const struct doctor *doctor, const char *path, char *buf, size_t len);

bool doctor_exists(const struct doctor *doctor, const char *path);

/* The kernel's options, lines, allocated. NULL: @why says what is not there. */
char *doctor_config(const struct doctor *doctor, char *why, size_t len);

/* The kernel, its options, the PMU, the module: what needs no device. */
void doctor_machine(struct doctor *doctor);

/* Rights, and who has counters. */
void doctor_access(struct doctor *doctor);

/* Known loops, overhead, run-to-run variance, interrupts. */
void doctor_measure(struct doctor *doctor);

#endif /* DOCTOR_H */
