// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/pmudev/NAME/, one directory per PMU (docs/sysfs.md). caps/ has the values that QUERY
 * returns. format/ and events/ are built at init, from the backend's tables; events that the
 * backend's encode refuses are left out.
 *
 * The kernel owns the class and the devices; this file owns the text of the files. Removing a
 * device waits for readers of its files, and later reads of an open file return ENODEV.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "../compat.h"
#include "../context/user_access.h"
#include "../hooks.h"
#include "entry.h"

/* A file of format/ or events/. */
struct entry {
	struct device_attribute attr;
	char text[64];
};

/* A PMU's directory. */
struct dir {
	struct device *dev;
	struct entry *files; /* of format/ and events/ */
	struct attribute **list; /* of @files; NULL after the last of a group */
	unsigned int nr; /* entries used in @files and @list */
	struct attribute_group format;
	struct attribute_group events;
	const struct attribute_group *groups[5]; /* all, NULL-terminated */
};

static struct class *class;
static struct dir dirs[PMUDEV_MAX_PMUS];

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct pmudev_pmu *pmu = dev_get_drvdata(dev);
	cpumask_var_t mask;
	ssize_t ret;
	int cpu;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		if (pmudev_pmu_has_cpu(pmu, cpu))
			cpumask_set_cpu(cpu, mask);
	ret = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return ret;
}
static DEVICE_ATTR_RO(cpumask);

/* The text of the file hooks. */
struct hook_list {
	char *buf;
	int len;
};

static void emit_hook(const char *name, void *arg)
{
	struct hook_list *list = arg;

	list->len += sysfs_emit_at(list->buf, list->len, "%s\n", name);
}

/* The hooks that are installed now, one per line, by the names of docs/hooks.md. */
static ssize_t hooks_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct hook_list list = { .buf = buf };

	pmudev_walk_hooks(emit_hook, &list);
	return list.len;
}
static DEVICE_ATTR_RO(hooks);

static struct attribute *top_list[] = { &dev_attr_cpumask.attr, &dev_attr_hooks.attr, NULL };
static const struct attribute_group top = { .attrs = top_list };

static ssize_t emit_list(char *buf, u64 mask)
{
	DECLARE_BITMAP(bits, 64);

	bitmap_from_u64(bits, mask);
	return sysfs_emit(buf, "%*pbl\n", 64, bits);
}

/* PMUDEV_HAS_*, by bit. */
static const char *const features[] = {
	"long",	   "chain",	"threshold", "user_read", "direct",   "other_tasks",
	"inherit", "multiplex", "guest",     "hiding",	  "deadline", "cgroup",
};

static ssize_t emit_features(char *buf, u64 mask)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(features); i++)
		if (mask & BIT_ULL(i))
			len += sysfs_emit_at(buf, len, "%s%s", len ? " " : "", features[i]);
	return len + sysfs_emit_at(buf, len, "\n");
}

/* A file of caps/. @emit writes a value of @pmu, or of what QUERY returns of it, @q, to @buf. */
#define CAP(name, emit)                                                                         \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *buf) \
	{                                                                                       \
		struct pmudev_pmu *pmu = dev_get_drvdata(dev);                                  \
		struct pmudev_query q = {};                                                     \
												\
		pmudev_describe(pmu, &q);                                                       \
		return emit;                                                                    \
	}                                                                                       \
	static DEVICE_ATTR_RO(name)

CAP(arch, sysfs_emit(buf, "%s\n", pmu->info.arch_name));
CAP(arch_version, sysfs_emit(buf, "%u\n", q.arch_version));
CAP(cpu_id, sysfs_emit(buf, "0x%016llx\n", q.cpu_id));
CAP(counters, emit_list(buf, q.counters));
CAP(available, emit_list(buf, q.available));
CAP(user, emit_list(buf, q.user));
CAP(generic, sysfs_emit(buf, "0x%016llx\n", q.generic));
CAP(width, sysfs_emit(buf, "%u\n", q.width));
CAP(width_fixed, sysfs_emit(buf, "%u\n", q.width_fixed));
CAP(threshold_max, sysfs_emit(buf, "0x%08x\n", q.threshold_max));
CAP(features, emit_features(buf, q.features));
CAP(user_access, sysfs_emit(buf, "%d\n", pmudev_user_access_enabled()));
CAP(clock_hz, sysfs_emit(buf, "%llu\n", q.clock_hz));

static struct attribute *caps_list[] = {
	&dev_attr_arch.attr,	    &dev_attr_arch_version.attr,
	&dev_attr_cpu_id.attr,	    &dev_attr_counters.attr,
	&dev_attr_available.attr,   &dev_attr_user.attr,
	&dev_attr_generic.attr,	    &dev_attr_width.attr,
	&dev_attr_width_fixed.attr, &dev_attr_threshold_max.attr,
	&dev_attr_features.attr,    &dev_attr_user_access.attr,
	&dev_attr_clock_hz.attr,    NULL,
};

static const struct attribute_group caps = { .name = "caps", .attrs = caps_list };

static ssize_t file_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", container_of(attr, struct entry, attr)->text);
}

static struct entry *add_file(struct dir *dir, const char *name)
{
	struct entry *file = &dir->files[dir->nr];

	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = name;
	file->attr.attr.mode = 0444;
	file->attr.show = file_show;
	dir->list[dir->nr++] = &file->attr.attr;
	return file;
}

/* Can this PMU count a raw event? @why: filled in if not. */
static bool has_event(const struct pmudev_pmu *pmu, u64 config, struct pmudev_refusal *why)
{
	struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_RAW, .config = config };
	struct pmudev_code code;

	return !pmudev_backend.encode(&pmu->info, &attr, &code, why);
}

/* The bits of config that raw events of this PMU can have. */
static u64 config_bits(const struct pmudev_pmu *pmu)
{
	struct pmudev_refusal why = {};

	if (has_event(pmu, ~0ULL, &why))
		return ~0ULL;
	return why.code == PMUDEV_WHY_CONFIG ? why.limit : 0;
}

/* Terms that do not depend on the PMU's config. */
#define NR_COMMON_TERMS 8

/* Add a term, unless it has no bits. */
static void add_term(struct dir *dir, const char *name, const char *field, u64 bits)
{
	DECLARE_BITMAP(map, 64);
	struct entry *file;

	if (!bits)
		return;
	bitmap_from_u64(map, bits);
	file = add_file(dir, name);
	scnprintf(file->text, sizeof(file->text), "%s:%*pbl", field, 64, map);
}

/* Add the terms for other fields of the ABI, as far as this PMU supports them. */
static void add_common_terms(struct dir *dir, const struct pmudev_query *q)
{
	bool wide = q->width == 64 || q->width_fixed == 64 || (q->features & PMUDEV_HAS_CHAIN);
	bool user_read = q->features & PMUDEV_HAS_USER_READ;
	bool direct = q->features & PMUDEV_HAS_DIRECT;
	bool chain_read = user_read && (q->features & PMUDEV_HAS_CHAIN);
	bool threshold = q->threshold_max;
	const struct {
		const char *name;
		const char *field;
		u64 bits;
	} terms[NR_COMMON_TERMS] = {
		{ "counters", "allowed", ~0ULL },
		{ "threshold", "threshold", BIT_ULL(fls(q->threshold_max)) - 1 },
		{ "threshold_compare", "threshold_compare", threshold ? 0x3 : 0 },
		{ "threshold_count", "flags", threshold ? PMUDEV_THRESHOLD_COUNT : 0 },
		{ "long", "flags", wide ? PMUDEV_LONG : 0 },
		{ "user_read", "flags", user_read ? PMUDEV_USER_READ : 0 },
		{ "direct", "flags", direct ? PMUDEV_DIRECT : 0 },
		{ "chain_read", "flags", chain_read ? PMUDEV_CHAIN_READ : 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(terms); i++)
		add_term(dir, terms[i].name, terms[i].field, terms[i].bits);
}

static void add_event(struct dir *dir, const struct pmudev_pmu *pmu,
		      const struct pmudev_name *event)
{
	struct entry *file = add_file(dir, event->name);
	const struct pmudev_term *term;
	int len = 0;
	u64 value;

	for (term = pmu->info.terms; term->name; term++) {
		value = pmudev_term_value(event->config, term->bits);
		if (value || term->select)
			len += scnprintf(file->text + len, sizeof(file->text) - len,
					 "%s%s=0x%02llx", len ? "," : "", term->name, value);
	}
}

static void add_files(struct dir *dir, struct pmudev_pmu *pmu)
{
	const struct pmudev_pmu_info *info = &pmu->info;
	const struct pmudev_term *term;
	struct pmudev_query query = {};
	struct pmudev_refusal why = {};
	u64 bits = config_bits(pmu);
	unsigned int i;

	pmudev_describe(pmu, &query);
	dir->format = (struct attribute_group){ .name = "format", .attrs = dir->list };
	for (term = info->terms; term->name; term++)
		add_term(dir, term->name, "config", term->bits & bits);
	add_common_terms(dir, &query);

	/* One NULL entry ends the list of format/. */
	dir->nr++;
	dir->events = (struct attribute_group){ .name = "events", .attrs = dir->list + dir->nr };
	for (i = 0; i < info->nr_events; i++)
		if (has_event(pmu, info->events[i].config, &why))
			add_event(dir, pmu, &info->events[i]);
}

/* The largest number of entries, including the ends of two lists. */
static unsigned int max_files(const struct pmudev_pmu_info *info)
{
	const struct pmudev_term *term = info->terms;

	while (term->name)
		term++;
	return term - info->terms + NR_COMMON_TERMS + info->nr_events + 2;
}

static int dir_init(struct dir *dir, struct pmudev_pmu *pmu)
{
	unsigned int nr = max_files(&pmu->info);

	dir->files = kcalloc(nr, sizeof(*dir->files), GFP_KERNEL);
	dir->list = kcalloc(nr, sizeof(*dir->list), GFP_KERNEL);
	if (!dir->files || !dir->list)
		return -ENOMEM;
	add_files(dir, pmu);
	dir->groups[0] = &top;
	dir->groups[1] = &caps;
	dir->groups[2] = &dir->format;
	dir->groups[3] = &dir->events;
	dir->dev = device_create_with_groups(class, NULL, MKDEV(0, 0), pmu, dir->groups, "%s",
					     pmu->info.name);
	return PTR_ERR_OR_ZERO(dir->dev);
}

static void dir_exit(struct dir *dir)
{
	if (!IS_ERR_OR_NULL(dir->dev))
		device_unregister(dir->dev);
	kfree(dir->list);
	kfree(dir->files);
}

void pmudev_sysfs_exit(void)
{
	unsigned int i;

	for (i = 0; i < pmudev_nr_pmus; i++)
		dir_exit(&dirs[i]);
	class_destroy(class);
}

int pmudev_sysfs_init(void)
{
	unsigned int i;
	int ret = 0;

	class = pmudev_class_create("pmudev");
	if (IS_ERR(class))
		return PTR_ERR(class);
	for (i = 0; i < pmudev_nr_pmus && !ret; i++)
		ret = dir_init(&dirs[i], &pmudev_pmus[i]);
	if (ret)
		pmudev_sysfs_exit();
	return ret;
}
