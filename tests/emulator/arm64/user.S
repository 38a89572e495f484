/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses from EL0, one register each: functions for run_user. get_NAME reads and returns the value,
 * put_NAME writes its argument and returns 0. A trapped one returns TRAPPED and the class of its exception.
 */
#define PMICNTR	  S3_3_C9_C4_0
#define PMICFILTR S3_3_C9_C6_0
#define PMZR	  S3_3_C9_C13_4

	.macro	get name, reg
	.globl	get_\name
get_\name:
	mrs	x0, \reg
	svc	#0
	.endm

	.macro	put name, reg
	.globl	put_\name
put_\name:
	msr	\reg, x0
	mov	x0, #0
	svc	#0
	.endm

	.macro	both name, reg
	get	\name, \reg
	put	\name, \reg
	.endm

	.text
	both	evcntr0, pmevcntr0_el0
	both	evcntr1, pmevcntr1_el0
	both	evtyper0, pmevtyper0_el0
	both	evtyper1, pmevtyper1_el0
	both	xevcntr, pmxevcntr_el0
	both	xevtyper, pmxevtyper_el0
	both	selr, pmselr_el0
	both	ccntr, pmccntr_el0
	both	ccfiltr, pmccfiltr_el0
	both	icntr, PMICNTR
	both	icfiltr, PMICFILTR
	both	cntenset, pmcntenset_el0
	both	cntenclr, pmcntenclr_el0
	both	ovsset, pmovsset_el0
	both	ovsclr, pmovsclr_el0
	both	cr, pmcr_el0
	get	ceid0, pmceid0_el0
	put	swinc, pmswinc_el0
	put	zr, PMZR
	get	other_writes, S3_3_C15_C0_6
