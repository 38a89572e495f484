/* SPDX-License-Identifier: GPL-2.0 */
/* Is a text JSON (RFC 8259), to the letter? */
#ifndef PMUDEV_TEST_JSON_VALID_H
#define PMUDEV_TEST_JSON_VALID_H

#include <stdbool.h>

/* One value and nothing behind it but white space. */
bool json_valid(const char *text);

/* JSON Lines: a value on each line, at least one, each line ended. */
bool json_lines_valid(const char *text);

#endif /* PMUDEV_TEST_JSON_VALID_H */
