// SPDX-License-Identifier: GPL-2.0
/* /dev/pmudev: the file's operations. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "compat.h"
#include "core.h"

static int pmudev_open(struct inode *inode, struct file *file)
{
	struct pmudev_set *set = pmudev_set_create();

	if (!set)
		return -ENOMEM;
	file->private_data = set;
	return stream_open(inode, file);
}

static int pmudev_release(struct inode *inode, struct file *file)
{
	pmudev_set_destroy(file->private_data);
	return 0;
}

static int pmudev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pmudev_refusal why PMUDEV_UNSET;
	int ret;

	pmudev_no_refusal(&why);
	ret = pmudev_page_mmap(file->private_data, vma, &why);
	if (ret)
		pmudev_save_refusal(file->private_data, &why, ret);
	return ret;
}

/* There is nothing to wait for: no sampling. */
static __poll_t pmudev_poll(struct file *file, struct poll_table_struct *wait)
{
	return EPOLLERR;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = pmudev_open,
	.release = pmudev_release,
	.read = pmudev_read,
	.mmap = pmudev_mmap,
	.poll = pmudev_poll,
	.unlocked_ioctl = pmudev_ioctl,
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
