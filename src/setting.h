/* SPDX-License-Identifier: GPL-2.0 */
/* Settings of the kernel that no function tells modules. */
#ifndef _PMUDEV_SETTING_H
#define _PMUDEV_SETTING_H

#include <linux/types.h>

/*
 * Is a switch of /proc/sys on: does its file begin with anything but 0? False if there is no such
 * file, or the caller sees no /proc. May sleep.
 */
bool pmudev_setting_is_on(const char *path);

#endif /* _PMUDEV_SETTING_H */
