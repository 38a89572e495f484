/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are installed in share/pmudev. */
#ifndef SHARE_H
#define SHARE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Where @name may be: place 0 is share/pmudev beside this command, as built, place 1 is the one
 * beside the command's folder, as installed. Return: false: there is no such place.
 */
bool share_place(unsigned int place, const char *name, char path[PATH_MAX]);

#endif /* SHARE_H */
