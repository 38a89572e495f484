// SPDX-License-Identifier: BSD-3-Clause
/*
 * A region of a program by PAPI's high-level interface. The events come from the environment, the
 * result goes into papi_hl_output/.
 *
 *	cc -O2 hl_region.c -lpapi -o hl_region
 *	PAPI_EVENTS=PAPI_TOT_INS,PAPI_TOT_CYC ./hl_region
 */
#include <stdio.h>

#include <papi.h>

static double sum_of_squares(int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += (double)i * i;
	return sum;
}

int main(void)
{
	double sum;

	if (PAPI_hl_region_begin("squares") != PAPI_OK) {
		fprintf(stderr, "hl_region: PAPI counts nothing here\n");
		return 1;
	}
	sum = sum_of_squares(1000000);
	if (PAPI_hl_region_end("squares") != PAPI_OK)
		return 1;
	printf("%g\n", sum);
	return 0;
}
