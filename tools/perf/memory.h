/* SPDX-License-Identifier: MIT */
/* Memory of the program, which perhaps is not there. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is on the calling thread's stack needs no system call from now on. */
void memory_know_stack(void);

/* As mmap(2) takes a size: whole pages */
size_t memory_in_pages(size_t size);

/* 0 or -EFAULT, and errno is any */
int memory_read(void *to, const void *from, size_t size);
/* @size: 4 bytes to a page */
int memory_write(void *to, const void *from, size_t size);

#endif /* MEMORY_H */
