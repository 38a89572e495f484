/* SPDX-License-Identifier: GPL-2.0 */
/* A set is a descriptor: as many as the user may have. */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

/* Raises the soft limit to the hard one. Return: how many there may be. */
unsigned long descriptors_raise(void);

/* The limit that there was before, for a program that this process becomes. */
void descriptors_restore(void);

#endif /* DESCRIPTORS_H */
