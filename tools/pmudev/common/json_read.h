/* SPDX-License-Identifier: GPL-2.0 */
/* Reads JSON (RFC 8259), a piece at a time: what is asked for, or skipped. */
#ifndef JSON_READ_H
#define JSON_READ_H

#include <stddef.h>

/* Behind blanks. */
const char *json_skip_blanks(const char *at);

/* A string without its quotes, cut to @len. Return: behind it, NULL: there is none. */
const char *json_read_string(const char *at, char *to, size_t len);

/* @number: NULL if it is none. Return: behind a value that is no string, NULL: there is none. */
const char *json_read_plain(const char *at, const double **number, double *room);

/* A list of strings and plain values. Return: as above. */
const char *json_skip_list(const char *at);

#endif /* JSON_READ_H */
