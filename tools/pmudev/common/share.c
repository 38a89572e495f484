// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "share.h"

/* From the folder of this command. */
static const char *const places[] = {
	"share/pmudev",
	"../share/pmudev",
};

bool share_place(unsigned int place, const char *name, char path[PATH_MAX])
{
	char own[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (len < 0 || place >= ARRAY_SIZE(places))
		return false;
	own[len] = '\0';
	*strrchr(own, '/') = '\0';
	snprintf(path, PATH_MAX, "%.2048s/%s/%.1024s", own, places[place], name);
	return true;
}
