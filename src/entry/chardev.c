// SPDX-License-Identifier: GPL-2.0
/* /dev/pmudev: the file's operations. */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "../compat.h"
#include "../set/deadline.h"
#include "entry.h"

static int dev_open(struct inode *inode, struct file *file)
{
	struct pmudev_set *set = pmudev_set_create();

	if (!set)
		return -ENOMEM;
	file->private_data = set;
	stream_open(inode, file);
	/* pread(2) is read(2), at any place: done to another file by mistake it takes nothing. */
	file->f_mode |= FMODE_PREAD;
	return 0;
}

static int dev_release(struct inode *inode, struct file *file)
{
	pmudev_set_destroy(file->private_data);
	return 0;
}

/* Reports of deadlines. It also waits for those that are set later. */
static __poll_t dev_poll(struct file *file, struct poll_table_struct *wait)
{
	struct pmudev_set *set = file->private_data;

	poll_wait(file, &pmudev_open_set(set)->wait, wait);
	return pmudev_set_poll(set);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.release = dev_release,
	.read = pmudev_dev_read,
	.mmap = pmudev_dev_mmap,
	.poll = dev_poll,
	.unlocked_ioctl = pmudev_dev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = pmudev_no_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pmudev",
	.fops = &fops,
	.mode = 0600,
};

int pmudev_chardev_init(void)
{
	return misc_register(&device);
}

void pmudev_chardev_exit(void)
{
	misc_deregister(&device);
}
