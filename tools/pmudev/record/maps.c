// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "maps.h"

/* A mapping that can be executed. */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	char *file;
};

/**
 * struct image - the program that a process executes
 * @dev: of its file
 * @ino: of its file
 * @vector: a checksum of what the kernel gave it (random bytes among them): another each time
 */
struct image {
	dev_t dev;
	ino_t ino;
	uint64_t vector;
};

/**
 * struct process - what is known of one
 * @pid: its number, the key
 * @round: of @maps in which it was looked at
 * @known: @maps and @image were read
 * @image: what it executes
 * @nr: how many mappings
 * @maps: in ascending order
 */
struct process {
	pid_t pid;
	unsigned long round;
	bool known;
	struct image image;
	unsigned int nr;
	struct map *maps;
};

/**
 * struct maps - of all processes
 * @traced: as maps_new() was told
 * @round: the number of maps_round()
 * @tree: processes by their numbers, of tsearch()
 */
struct maps {
	bool traced;
	unsigned long round;
	void *tree;
};

struct maps *maps_new(bool traced)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (maps) {
		maps->traced = traced;
		maps->round = 1;
	}
	return maps;
}

static void forget(struct process *process)
{
	while (process->nr)
		free(process->maps[--process->nr].file);
	free(process->maps);
	process->maps = NULL;
	process->known = false;
}

static void free_process(void *process)
{
	forget(process);
	free(process);
}

void maps_free(struct maps *maps)
{
	if (!maps)
		return;
	tdestroy(maps->tree, free_process);
	free(maps);
}

static int compare(const void *a, const void *b)
{
	const struct process *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

/* NULL if there is no memory. */
static struct process *find_process(struct maps *maps, pid_t pid)
{
	struct process key = { .pid = pid }, *new;
	struct process **found = tfind(&key, &maps->tree, compare);

	if (found)
		return *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->pid = pid;
	if (tsearch(new, &maps->tree, compare))
		return new;
	free(new);
	return NULL;
}

void maps_round(struct maps *maps)
{
	maps->round++;
}

/* -------------------------------------------------------------------- /proc/PID/maps -- */

/* A line of it, if that can be executed. False: no memory. */
static bool add_line(struct process *process, const char *line)
{
	struct map map, *maps;
	char mode[5];
	int file = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &map.start, &map.end,
		   mode, &map.offset, &file) < 4 ||
	    !file || mode[2] != 'x')
		return true;
	maps = realloc(process->maps, (process->nr + 1) * sizeof(*maps));
	if (!maps)
		return false;
	process->maps = maps;
	/* What no file backs is code that the program made. */
	map.file = line[file] == '\n' || !line[file] ?
			   strdup("[anon]") :
			   strndup(line + file, strcspn(line + file, "\n"));
	if (!map.file)
		return false;
	process->maps[process->nr++] = map;
	return true;
}

/* @tid: one of its threads. Return: false if that has ended, or is somebody else's. */
static bool read_maps(struct process *process, pid_t tid)
{
	char name[32], *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", tid);
	file = fopen(name, "re");
	if (!file)
		return false;
	while (getline(&line, &size, file) > 0 && add_line(process, line))
		;
	free(line);
	fclose(file);
	/* One that has ended has none. */
	return process->nr;
}

/* FNV-1a of /proc/TID/auxv; 0: it cannot be read. */
static uint64_t vector_of(pid_t tid)
{
	uint64_t sum = 0xcbf29ce484222325;
	char name[32];
	FILE *file;
	int c;

	snprintf(name, sizeof(name), "/proc/%d/auxv", tid);
	file = fopen(name, "re");
	if (!file)
		return 0;
	while ((c = getc(file)) != EOF)
		sum = (sum ^ (unsigned char)c) * 0x100000001b3;
	fclose(file);
	return sum;
}

static bool find_image(pid_t tid, struct image *image)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/exe", tid);
	if (stat(name, &st))
		return false;
	*image = (struct image){ st.st_dev, st.st_ino, vector_of(tid) };
	return true;
}

static bool same_image(const struct image *a, const struct image *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->vector == b->vector;
}

/* What it executes must be the same before and after its maps are read. */
static bool read_now(struct process *now, pid_t tid)
{
	struct image before;

	if (find_image(tid, &before) && read_maps(now, tid) && find_image(tid, &now->image) &&
	    same_image(&before, &now->image))
		return true;
	forget(now);
	return false;
}

/* @tid: a thread of it: its first one may have ended. */
static void look(struct maps *maps, struct process *process, pid_t tid)
{
	struct process now = { .pid = process->pid };
	bool same;

	process->round = maps->round;
	if (!read_now(&now, process->pid) && (tid == process->pid || !read_now(&now, tid)))
		return;
	same = !process->known || same_image(&process->image, &now.image);
	/* It has executed another program. Traced, the samples are of the old one; else of any. */
	if (!same)
		forget(&now);
	if (same || !maps->traced)
		forget(process);
	if (!same)
		return;
	process->known = true;
	process->image = now.image;
	process->nr = now.nr;
	process->maps = now.maps;
}

void maps_read(struct maps *maps, pid_t pid)
{
	struct process *process = find_process(maps, pid);

	if (process)
		look(maps, process, pid);
}

void maps_keep(struct maps *maps, pid_t pid)
{
	struct process *process = find_process(maps, pid);

	if (process)
		process->round = maps->round;
}

void maps_exec(struct maps *maps, pid_t pid)
{
	struct process *process = find_process(maps, pid);

	if (process)
		forget(process);
}

void maps_forget(struct maps *maps, pid_t pid)
{
	struct process key = { .pid = pid };
	struct process **found = tfind(&key, &maps->tree, compare), *process;

	if (!found)
		return;
	process = *found;
	tdelete(&key, &maps->tree, compare);
	free_process(process);
}

void maps_find(struct maps *maps, pid_t pid, pid_t tid, uint64_t address, struct place *place)
{
	struct process *process = find_process(maps, pid);
	unsigned int i;

	place->file = "";
	place->offset = 0;
	if (!process)
		return;
	if (process->round != maps->round)
		look(maps, process, tid);
	for (i = 0; i < process->nr; i++) {
		const struct map *map = &process->maps[i];

		if (address < map->start || address >= map->end)
			continue;
		place->file = map->file;
		place->offset = address - map->start + map->offset;
		return;
	}
}
