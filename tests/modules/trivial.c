// SPDX-License-Identifier: GPL-2.0
/*
 * The least that a driver can be: what its calls cost whatever is behind them. It is opened and
 * closed, an ioctl copies its argument, read(2) copies so many bytes, and calls another CPU before
 * if that was asked for, and a page that is there from the beginning is mapped when the caller asks
 * for it.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "trivial.h"

static unsigned long page;

static int trivial_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return vm_insert_page(vma, vma->vm_start, virt_to_page((void *)page));
}

/* What is called by read(2): the CPU and 1, or 0. */
static int trivial_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;
	return 0;
}

static void nothing(void *unused)
{
}

static ssize_t trivial_read(struct file *file, char __user *buf, size_t size, loff_t *offset)
{
	unsigned long cpu = (unsigned long)file->private_data;

	if (cpu && smp_call_function_single(cpu - 1, nothing, NULL, true))
		return -ENXIO;
	size = min_t(size_t, size, PAGE_SIZE);
	return copy_to_user(buf, (void *)page, size) ? -EFAULT : size;
}

static long trivial_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct trivial_args args;

	switch (cmd) {
	case TRIVIAL_NOTHING:
		return copy_from_user(&args, (void __user *)arg, sizeof(args)) ? -EFAULT : 0;
	case TRIVIAL_CALL:
		file->private_data = (void *)(arg + 1);
		return 0;
	default:
		return -ENOTTY;
	}
}

static const struct file_operations trivial_fops = {
	.owner = THIS_MODULE,
	.open = trivial_open,
	.read = trivial_read,
	.unlocked_ioctl = trivial_ioctl,
	.mmap = trivial_mmap,
};

static struct miscdevice trivial_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = TRIVIAL_DEVICE,
	.fops = &trivial_fops,
	.mode = 0600,
};

static int __init trivial_init(void)
{
	int ret;

	page = get_zeroed_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	ret = misc_register(&trivial_device);
	if (ret)
		free_page(page);
	return ret;
}

static void __exit trivial_exit(void)
{
	misc_deregister(&trivial_device);
	free_page(page);
}

module_init(trivial_init);
module_exit(trivial_exit);

MODULE_DESCRIPTION("A driver to compare pmudev with");
MODULE_LICENSE("GPL");
