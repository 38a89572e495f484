/* SPDX-License-Identifier: MIT */
/* Just enough of TAP: ok() and is() print one line each, tap_end() the plan. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_nr, tap_failed;

static inline bool ok(bool pass, const char *what)
{
	tap_nr++;
	tap_failed += !pass;
	printf("%sok %d - %s\n", pass ? "" : "not ", tap_nr, what);
	return pass;
}

static inline void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(!strcmp(got, wanted), what))
		printf("# got:    %s\n# wanted: %s\n", got, wanted);
}

static inline void is_number(unsigned long long got, unsigned long long wanted, const char *what)
{
	if (!ok(got == wanted, what))
		printf("# got: %llu (%#llx), wanted: %llu (%#llx)\n", got, got, wanted, wanted);
}

static inline int tap_end(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed ? 1 : 0;
}

#endif /* TAP_H */
