// SPDX-License-Identifier: GPL-2.0
/*
 * Who may do what with the files in sysfs, and what becomes of them while somebody has them open
 * and the module goes.
 */
#include "as.h"
#include "sysfs.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* All files of all PMUs. */
struct files {
	unsigned int nr;
	char path[512][128];
};

static int add_folder(struct files *files, const char *pmu, const char *folder)
{
	struct names names;
	unsigned int i;
	int ret = sysfs_list(pmu, folder, &names);

	for (i = 0; !ret && i < names.nr; i++) {
		if (files->nr == ARRAY_SIZE(files->path))
			return -E2BIG;
		snprintf(files->path[files->nr++], sizeof(files->path[0]), SYSFS_CLASS "/%s/%s/%s",
			 pmu, folder, names.name[i]);
	}
	return ret;
}

static int find_files(struct files *files)
{
	struct pmudev_query q;
	int ret = 0;
	__u32 i;

	files->nr = 0;
	for (i = 0; !ret && !pm_query_pmu(i, 0, &q); i++) {
		snprintf(files->path[files->nr++], sizeof(files->path[0]),
			 SYSFS_CLASS "/%s/cpumask", q.name);
		ret = add_folder(files, q.name, "caps");
		if (!ret)
			ret = add_folder(files, q.name, "format");
		if (!ret)
			ret = add_folder(files, q.name, "events");
	}
	return ret;
}

FIXTURE(sysfs)
{
	struct files files;
};

FIXTURE_SETUP(sysfs)
{
	if (geteuid() || access(module_file(), R_OK))
		SKIP(return, "needs root and the module's file (PMUDEV_KO)");
	ASSERT_EQ(0, find_files(&self->files));
	ASSERT_GT(self->files.nr, 15U);
}

/* The programs that follow need it. */
FIXTURE_TEARDOWN(sysfs)
{
	if (access(PMUDEV_DEVICE, F_OK))
		EXPECT_EQ(0, load_module());
}

/* Not even root. */
TEST_F(sysfs, nobody_writes)
{
	struct stat stat_;
	unsigned int i;
	int ret;

	for (i = 0; i < self->files.nr; i++) {
		ASSERT_EQ(0, stat(self->files.path[i], &stat_));
		EXPECT_EQ(0444U, stat_.st_mode & 07777) TH_LOG("%s", self->files.path[i]);
		ret = write_file(self->files.path[i], "1\n");
		EXPECT_EQ(-EACCES, ret) TH_LOG("%s", self->files.path[i]);
	}
}

static unsigned int count_unread(const struct files *files)
{
	unsigned int i, nr = 0;
	char line[4096];

	for (i = 0; i < files->nr; i++)
		nr += !!sysfs_read("", files->path[i] + strlen(SYSFS_CLASS), line, sizeof(line));
	return nr;
}

/* Who has no right to the device, too. */
TEST_F(sysfs, everybody_reads)
{
	struct files *files = &self->files;

	EXPECT_EQ(0,
		  AS(NOBODY, -1, CHECK(access(PMUDEV_DEVICE, R_OK)); CHECK(!count_unread(files))));
}

/*
 * Open files, a folder and a working directory keep nothing of ours; who reads on is told so, or
 * gets what he had been given before.
 */
TEST_F(sysfs, unloaded_while_files_are_open)
{
	int fd[ARRAY_SIZE(self->files.path)], folder;
	char before[4096], after[4096];
	struct pmudev_query q;
	ssize_t got, again;
	struct stat stat_;
	unsigned int i;

	ASSERT_EQ(0, pm_query(&q));
	ASSERT_EQ(0, chdir(SYSFS_CLASS));
	ASSERT_EQ(0, chdir(q.name));
	folder = open("events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_GE(folder, 0);
	for (i = 0; i < self->files.nr; i++) {
		fd[i] = open(self->files.path[i], O_RDONLY | O_CLOEXEC);
		ASSERT_GE(fd[i], 0);
		/* A third not read, a third begun, a third read. */
		if (i % 3)
			ASSERT_LE(0, read(fd[i], before, i % 3 == 1 ? 1 : sizeof(before)));
	}
	ASSERT_EQ(0, unload_module());
	EXPECT_EQ(-1, stat(SYSFS_CLASS, &stat_));
	for (i = 0; i < self->files.nr; i++) {
		got = pread(fd[i], after, sizeof(after), 0);
		EXPECT_EQ(-1, got) TH_LOG("%s: %.*s", self->files.path[i], (int)got, after);
		EXPECT_EQ(ENODEV, errno) TH_LOG("%s", self->files.path[i]);
		again = read(fd[i], after, sizeof(after));
		EXPECT_TRUE(again >= 0 || errno == ENODEV) TH_LOG("%s", self->files.path[i]);
	}
	EXPECT_EQ(-1, openat(folder, "cpu_cycles", O_RDONLY));
	EXPECT_EQ(-1, open("cpumask", O_RDONLY));
	/* The same names again, and other files. */
	ASSERT_EQ(0, load_module());
	EXPECT_EQ(0, stat(SYSFS_CLASS, &stat_));
	for (i = 0; i < self->files.nr; i++) {
		EXPECT_EQ(-1, pread(fd[i], after, sizeof(after), 0));
		EXPECT_EQ(0, access(self->files.path[i], R_OK));
		close(fd[i]);
	}
	close(folder);
	ASSERT_EQ(0, chdir("/"));
}

static int read_all(const struct files *files)
{
	char text[4096];
	unsigned int i;
	int fd;

	for (i = 0; i < files->nr; i++) {
		fd = open(files->path[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		while (read(fd, text, sizeof(text)) > 0)
			;
		close(fd);
	}
	return 0;
}

/* Unloading at any moment of somebody's reading: it waits for him, and is never refused. */
TEST_F(sysfs, unloaded_under_readers)
{
	int child[3], i;

	for (i = 0; i < 3; i++) {
		child[i] = fork_bound();
		ASSERT_GE(child[i], 0);
		while (!child[i]) {
			read_all(&self->files);
			pause_ns(500000 * (i + 1));
		}
	}
	for (i = 0; i < 5; i++) {
		pause_ns(100000 + i % 5 * 70001);
		EXPECT_EQ(0, unload_module());
		ASSERT_EQ(0, load_module());
	}
	for (i = 0; i < 3; i++)
		stop_child(child[i]);
	/* The same as before. */
	for (i = 0; i < (int)self->files.nr; i++)
		EXPECT_EQ(0, access(self->files.path[i], R_OK)) TH_LOG("%s", self->files.path[i]);
}

TEST_HARNESS_MAIN
