/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WRAP_H
#define WRAP_H

#include <stdio.h>

/*
 * Prints the last column of a line, behind @at characters of others, and the line's end. What does
 * not fit into a terminal's line goes on below where the column begins.
 */
void print_wrapped(FILE *out, int at, const char *text);

#endif /* WRAP_H */
