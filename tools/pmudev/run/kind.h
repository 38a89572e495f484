/* SPDX-License-Identifier: GPL-2.0 */
/* What kind of program a file is, as far as the library of `pmudev exec` minds. */
#ifndef KIND_H
#define KIND_H

enum program_kind {
	PROGRAM_FITS,	/* or nobody can tell */
	PROGRAM_NARROW, /* 32-bit: the library is not for it */
	PROGRAM_STATIC, /* no loader comes with it, which would load the library */
};

/* Of a script it is its interpreter's. */
enum program_kind program_kind(const char *path);

#endif /* KIND_H */
