// SPDX-License-Identifier: GPL-2.0
/*
 * The least that a driver with a page to map can be: what mapping a page costs whatever is behind
 * it. Its page is there from the beginning, and is mapped when the caller asks for it.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

static unsigned long page;

static int trivial_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return vm_insert_page(vma, vma->vm_start, virt_to_page((void *)page));
}

static const struct file_operations trivial_fops = {
	.owner = THIS_MODULE,
	.mmap = trivial_mmap,
};

static struct miscdevice trivial_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "trivial_page",
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

MODULE_DESCRIPTION("A page to compare pmudev's with");
MODULE_LICENSE("GPL");
