// SPDX-License-Identifier: GPL-2.0
#include "sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static bool of_driver_core(const char *name)
{
	static const char *const theirs[] = { ".", "..", "power", "subsystem", "uevent" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(theirs); i++)
		if (!strcmp(name, theirs[i]))
			return true;
	return false;
}

int sysfs_list(const char *pmu, const char *folder, struct names *names)
{
	struct dirent *entry;
	char path[256];
	int ret = 0;
	DIR *dir;

	names->nr = 0;
	snprintf(path, sizeof(path), SYSFS_CLASS "/%s/%s", pmu, folder);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		if (of_driver_core(entry->d_name))
			continue;
		if (names->nr == ARRAY_SIZE(names->name) ||
		    strlen(entry->d_name) >= sizeof(names->name[0]))
			ret = -E2BIG;
		else
			memcpy(names->name[names->nr++], entry->d_name, strlen(entry->d_name) + 1);
	}
	closedir(dir);
	qsort(names->name, names->nr, sizeof(names->name[0]), by_name);
	return ret;
}

bool names_have(const struct names *names, const char *name)
{
	return bsearch(name, names->name, names->nr, sizeof(names->name[0]), by_name);
}

int sysfs_text(const char *pmu, const char *file, char *text, size_t size)
{
	char path[256];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), SYSFS_CLASS "/%s/%s", pmu, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return got;
	text[got] = 0;
	return 0;
}

int sysfs_read(const char *pmu, const char *file, char *line, size_t size)
{
	int ret = sysfs_text(pmu, file, line, size);
	char *end;

	if (ret)
		return ret;
	end = strchr(line, '\n');
	if (!end || end[1])
		return -EPROTO;
	*end = 0;
	return 0;
}

const char *list_of(__u64 mask)
{
	static char list[256];
	unsigned int i, last, len = 0;

	list[0] = 0;
	for (i = 0; i < 64; i = last + 1) {
		last = i;
		if (!(mask >> i & 1))
			continue;
		while (last < 63 && mask >> (last + 1) & 1)
			last++;
		len += sprintf(list + len, "%s%u", len ? "," : "", i);
		if (last > i)
			len += sprintf(list + len, "-%u", last);
	}
	return list;
}

int cpus_of(const char *list, cpu_set_t *cpus)
{
	unsigned long first, last;
	char *end;

	CPU_ZERO(cpus);
	while (*list) {
		first = strtoul(list, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (end == list || last < first || last >= CPU_SETSIZE || (*end && *end != ','))
			return -EPROTO;
		for (; first <= last; first++)
			CPU_SET(first, cpus);
		list = *end ? end + 1 : end;
	}
	return 0;
}

__u64 mask_of(const char *list)
{
	__u64 mask = 0;
	cpu_set_t set;
	int i;

	if (cpus_of(list, &set))
		return ~0ULL;
	for (i = 0; i < 64; i++)
		if (CPU_ISSET(i, &set))
			mask |= 1ULL << i;
	return mask;
}

int sysfs_term(const char *pmu, const char *name, struct term *term)
{
	char file[64], line[128], list[64];
	int ret;

	snprintf(file, sizeof(file), "format/%s", name);
	ret = sysfs_read(pmu, file, line, sizeof(line));
	if (ret)
		return ret;
	if (sscanf(line, "%31[a-z_]:%63[0-9,-]", term->field, list) != 2 ||
	    strlen(term->field) + 1 + strlen(list) != strlen(line))
		return -EPROTO;
	term->bits = mask_of(list);
	return 0;
}

static int put(const struct term *term, __u64 value, struct pmudev_event_attr *attr)
{
	__u64 bits, spread = 0;

	for (bits = term->bits; bits; bits &= bits - 1, value >>= 1)
		if (value & 1)
			spread |= bits & -bits;
	if (value)
		return -ERANGE;
	if (!strcmp(term->field, "config"))
		attr->config |= spread;
	else if (!strcmp(term->field, "flags"))
		attr->flags |= spread;
	else if (!strcmp(term->field, "allowed"))
		attr->allowed |= spread;
	else if (!strcmp(term->field, "threshold"))
		attr->threshold |= spread;
	else if (!strcmp(term->field, "threshold_compare"))
		attr->threshold_compare |= spread;
	else
		return -EPROTO;
	return 0;
}

int sysfs_apply(const char *pmu, const char *terms, struct pmudev_event_attr *attr)
{
	char text[128], *word, *rest = text, *value, *end;
	struct term term;
	int ret = 0;

	snprintf(text, sizeof(text), "%s", terms);
	while (!ret && (word = strsep(&rest, ","))) {
		value = strchr(word, '=');
		if (value)
			*value++ = 0;
		ret = sysfs_term(pmu, word, &term);
		if (!ret)
			ret = put(&term, value ? strtoull(value, &end, 0) : 1, attr);
		if (!ret && value && (end == value || *end))
			ret = -EPROTO;
	}
	return ret;
}

int sysfs_event(const char *pmu, const char *name, struct pmudev_event_attr *attr)
{
	char file[64], line[128];
	int ret;

	snprintf(file, sizeof(file), "events/%s", name);
	ret = sysfs_read(pmu, file, line, sizeof(line));
	return ret ? ret : sysfs_apply(pmu, line, attr);
}

int sysfs_cpus(const struct pmudev_query *q, cpu_set_t *cpus)
{
	char line[4096];
	int ret = sysfs_read(q->name, "cpumask", line, sizeof(line));

	return ret ? ret : cpus_of(line, cpus);
}

int sysfs_set(const struct pmudev_query *q)
{
	int fd = pm_open(), ret;

	ret = fd < 0 ? fd : pm_bind_pmu(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_PMU, q->pmu);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int sysfs_try(const struct pmudev_query *q, struct pmudev_event_attr attr)
{
	int fd = sysfs_set(q), ret;

	if (fd < 0)
		return fd;
	ret = pm_add(fd, &attr, 1);
	close(fd);
	return ret;
}
