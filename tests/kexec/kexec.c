// SPDX-License-Identifier: GPL-2.0
/*
 * In the machines of tests/kexec/run: executes another kernel without asking anybody to end first,
 * as `kexec -e` does, or a loop.
 *
 * usage: kexec boot KERNEL INITRAMFS ARGUMENTS
 *        kexec loop N
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Two instructions each time, whatever the compiler thinks */
static void loop(unsigned long n)
{
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

static int boot(const char *kernel, const char *initramfs, const char *arguments)
{
	const int fd[] = { open(kernel, O_RDONLY), open(initramfs, O_RDONLY) };

	if (fd[0] < 0 || fd[1] < 0) {
		perror("open");
		return 1;
	}
	if (syscall(SYS_kexec_file_load, fd[0], fd[1], strlen(arguments) + 1, arguments, 0UL)) {
		perror("kexec_file_load");
		return 1;
	}
	reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("reboot");
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "boot"))
		return boot(argv[2], argv[3], argv[4]);
	if (argc == 3 && !strcmp(argv[1], "loop")) {
		loop(strtoul(argv[2], NULL, 10));
		return 0;
	}
	return 2;
}
