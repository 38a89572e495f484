/* SPDX-License-Identifier: GPL-2.0 */
/* All headers of src/pure. For src/core until its files include what they use. */
#ifndef _PMUDEV_PURE_H
#define _PMUDEV_PURE_H

#include <pmudev/assign.h>
#include <pmudev/attr.h>
#include <pmudev/code.h>
#include <pmudev/count.h>
#include <pmudev/names.h>
#include <pmudev/page.h>
#include <pmudev/refusal.h>

#endif /* _PMUDEV_PURE_H */
