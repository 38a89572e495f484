/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entry layer has the ways into the module. From programs: the device's open, ioctl, read,
 * mmap, and sysfs and sysctl files. From the kernel: fork, exec and exit, CPU hotplug, power
 * management, KVM. It checks what the caller gave and calls the layers below; nothing calls it but
 * main.c.
 *
 * Each file's init returns 0 or an error and may sleep; main.c calls them in order.
 */
#ifndef _PMUDEV_ENTRY_ENTRY_H
#define _PMUDEV_ENTRY_ENTRY_H

#include <linux/fs.h>

struct pmudev_deadlines;
struct pmudev_pmu;
struct pmudev_query;
struct pmudev_read_sets;
struct pmudev_refusal;
struct pmudev_reports;
struct pmudev_set;

int pmudev_chardev_init(void);
void pmudev_chardev_exit(void);
int pmudev_hotplug_init(void);
void pmudev_hotplug_exit(void);
int pmudev_kvm_init(void);
void pmudev_kvm_exit(void);
int pmudev_mmap_init(void);
void pmudev_mmap_exit(void);
int pmudev_power_init(void);
void pmudev_power_exit(void);
int pmudev_sysctl_init(void);
void pmudev_sysctl_exit(void);
int pmudev_sysfs_init(void);
void pmudev_sysfs_exit(void); /* waits for readers of files; later readers get ENODEV */
int pmudev_task_hooks_init(void);
void pmudev_task_hooks_exit(void);

/* Operations of the file. Their errors are remembered. */
long pmudev_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
int pmudev_dev_mmap(struct file *file, struct vm_area_struct *vma);
ssize_t pmudev_dev_read(struct file *file, char __user *buf, size_t size, loff_t *pos);

/* list.c: check a caller's list: of @nr structures of @size bytes each, @known in this version. */
int pmudev_check_list(u32 nr, u32 size, size_t known, struct pmudev_refusal *why);
/* Copy it from @user to @list, which has room for @nr of @known bytes. May sleep. */
int pmudev_copy_list(void *list, size_t known, u64 user, u32 nr, u32 size,
		     struct pmudev_refusal *why);

/* deadline.c: these ioctls' handlers, see struct ioctl. */
int pmudev_ioctl_deadline(struct pmudev_set *set, const struct pmudev_deadlines *call,
			  struct pmudev_refusal *why);
int pmudev_ioctl_report(struct pmudev_set *set, struct pmudev_reports *call,
			struct pmudev_refusal *why);

/* read_sets.c: this ioctl's handler. */
int pmudev_ioctl_read_sets(struct pmudev_set *set, const struct pmudev_read_sets *call,
			   struct pmudev_refusal *why);

/* query.c: what a PMU is. Takes no lock: any user may ask, as often as it likes. */
void pmudev_describe(struct pmudev_pmu *pmu, struct pmudev_query *query);

/* And its state now. Takes pmu->lock; may sleep. */
void pmudev_describe_state(struct pmudev_pmu *pmu, struct pmudev_query *query);

/* Is a CPU of that PMU? A CPU that has never been online is, if there is only one PMU. */
bool pmudev_pmu_has_cpu(const struct pmudev_pmu *pmu, int cpu);

/* Are the hooks of task_hooks.c and kvm.c installed? */
bool pmudev_task_hooked(void);
bool pmudev_kvm_hooked(void);

/* The probe of kvm_userspace_exit, which task_hooks.c installs. */
void pmudev_kvm_userspace_exit(void *data, u32 reason, int error);

#endif /* _PMUDEV_ENTRY_ENTRY_H */
