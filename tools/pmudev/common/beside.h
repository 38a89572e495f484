/* SPDX-License-Identifier: GPL-2.0 */
/* Programs and libraries that belong to this command, and lie beside it. */
#ifndef BESIDE_H
#define BESIDE_H

#include <limits.h>
#include <stdbool.h>

/*
 * The file of that name from the folder of this command, if it is there. It has to belong to root
 * or to whom this command belongs, as its folder does, and nobody else may write to them: else it
 * is not used, which is told on stderr.
 */
bool beside_find(const char *name, char path[PATH_MAX]);

#endif /* BESIDE_H */
