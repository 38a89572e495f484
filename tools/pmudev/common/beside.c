// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "cmd.h"

/* The path up to its last '/', which stays. False: there is none. */
static bool cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		slash[1] = '\0';
	return slash;
}

static bool is_trusted(const char *path, uid_t owner)
{
	struct stat st;

	return !stat(path, &st) && (!st.st_uid || st.st_uid == owner) && !(st.st_mode & 0022);
}

/* A file or a folder, and the folder that it is in. */
static bool is_trusted_there(const char *path, uid_t owner)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	return is_trusted(path, owner) && cut_name(folder) && is_trusted(folder, owner);
}

/* Where it is named and where it is: a link is in the one, the file in the other. */
bool beside_find(const char *name, char path[PATH_MAX])
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char real[PATH_MAX];
	struct stat own;
	size_t folder;

	if (length <= 0 || stat("/proc/self/exe", &own))
		return false;
	path[length] = '\0';
	if (!cut_name(path))
		return false;
	folder = strlen(path);
	if ((size_t)snprintf(path + folder, PATH_MAX - folder, "%s", name) >= PATH_MAX - folder ||
	    !realpath(path, real))
		return false;
	if (is_trusted_there(path, own.st_uid) && is_trusted_there(real, own.st_uid))
		return true;
	complain("%s is not used: others than root and the owner of this command can change it",
		 path);
	return false;
}
