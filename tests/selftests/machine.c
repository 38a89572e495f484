// SPDX-License-Identifier: GPL-2.0
/* The machine and its kernel, time, and other processes: the second half of common.h. */
#include "common.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

bool has_word(const char *path, const char *word)
{
	char text[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && strstr(text, word);
}

long read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	return got < 0 ? -EIO : strtol(text, NULL, 0);
}

static bool kernel_argument(const char *name, char *value, size_t size)
{
	char line[4096], *at = NULL;
	FILE *file = fopen("/proc/cmdline", "r");

	if (file) {
		at = fgets(line, sizeof(line), file) ? strstr(line, name) : NULL;
		fclose(file);
	}
	if (at)
		snprintf(value, size, "%.*s", (int)strcspn(at + strlen(name), "\n "),
			 at + strlen(name));
	return at;
}

bool emulated(void)
{
	char nonce[64];

	return kernel_argument("vm_nonce=", nonce, sizeof(nonce));
}

const char *machine_name(void)
{
	static char name[64];

	return kernel_argument("vm_machine=", name, sizeof(name)) ? name : "";
}

bool user_reads(void)
{
	struct pmudev_query query;

	return pm_query(&query) || query.features & PMUDEV_HAS_USER_READ;
}

bool kcsan_kernel(void)
{
	return !access("/sys/module/kcsan/parameters/skip_watch", F_OK);
}

int kernel_major(void)
{
	struct utsname name;

	return uname(&name) ? 0 : atoi(name.release);
}

bool debug_kernel(void)
{
	return !access("/proc/lockdep_stats", F_OK) || kcsan_kernel();
}

int few(int often)
{
	const bool slow = debug_kernel() && !kcsan_kernel();

	return slow || getenv("PMUDEV_FEW") ? (often + 4) / 5 : often;
}

const char *module_file(void)
{
	const char *path = getenv("PMUDEV_KO");

	return path ? path : "/pmudev.ko";
}

int unload_module_named(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

int unload_module(void)
{
	return unload_module_named("pmudev");
}

int load_module_with(const char *path, const char *args)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, args, 0))
		ret = -errno;
	close(fd);
	return ret;
}

int load_module_file(const char *path)
{
	return load_module_with(path, "");
}

int load_module(void)
{
	return load_module_file(module_file());
}

/* An emulator may have one count of instructions for all its CPUs: the machine's init knows. */
bool exact_instructions(void)
{
	const char *exact = getenv("PMUDEV_EXACT");
	struct pmudev_query query;

	if (pm_query(&query) || !(query.generic & (1ULL << PMUDEV_INSTRUCTIONS)))
		return false;
	if (!emulated())
		return true;
	return exact ? !strcmp(exact, "1") : sysconf(_SC_NPROCESSORS_CONF) == 1;
}

bool exact_programs(void)
{
	return exact_instructions() && sizeof(void *) > 4;
}

bool exact_cycles(void)
{
	return emulated() && exact_instructions();
}

__u64 steady_event(void)
{
	return exact_instructions() ? EVENT_INSTRUCTIONS : EVENT_CYCLES;
}

bool exact_clock(void)
{
	return emulated() && exact_instructions() && sysconf(_SC_NPROCESSORS_CONF) == 1;
}

int cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int pin_task_to(int tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

int set_cpu_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return write_file(path, online ? "1" : "0");
}

__u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void pause_ns(__u64 ns)
{
	struct timespec time = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&time, NULL);
}

int task_stat(int tid, char *state, int *parent)
{
	char path[32];
	FILE *f;
	int got;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return -ESRCH;
	got = fscanf(f, "%*d (%*[^)]) %c %d", state, parent);
	fclose(f);
	return got == 2 ? 0 : -ESRCH;
}

int send_fd(int socket, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(socket, &message, 0) == 1 ? 0 : -errno;
}

int receive_fd(int socket)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *cmsg;
	int fd;

	if (recvmsg(socket, &message, 0) != 1)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&message);
	if (!cmsg)
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(int));
	return fd;
}

int fork_bound(void)
{
	int child = fork();

	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

void stop_child(int pid)
{
	if (pid > 0) {
		kill(pid, SIGKILL);
		child_result(pid);
	}
}

int child_result(int pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

int turns_init(struct turns *turns)
{
	if (pipe(turns->pipe[0]))
		return -errno;
	return pipe(turns->pipe[1]) ? -errno : 0;
}

void turns_end(struct turns *turns)
{
	int i;

	for (i = 0; i < 4; i++)
		close(turns->pipe[i / 2][i % 2]);
}

void turn_wait(struct turns *turns, int me)
{
	char byte;

	raw_call(SYS_read, turns->pipe[me][0], (long)&byte, 1);
}

void turn_give(struct turns *turns, int me)
{
	char byte = 0;

	raw_call(SYS_write, turns->pipe[!me][1], (long)&byte, 1);
}
