// SPDX-License-Identifier: GPL-2.0
/* Samples, written. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include "notify.h"
#include "samples.h"

/* How much of it is used. What user mode writes at @tail is believed only as far as it can be. */
static u32 used_bytes(const struct pmudev_ring *ring)
{
	return min(READ_ONCE(ring->head) - READ_ONCE(ring->page->tail), ring->size);
}

bool pmudev_ring_half(const struct pmudev_ring *ring)
{
	return used_bytes(ring) >= ring->size / 2;
}

/* In bytes */
static u32 sample_size(const struct pmudev_set *set)
{
	return sizeof(struct pmudev_sample) + hweight64(set->used) * sizeof(u64);
}

/* How many events write samples */
static unsigned int nr_sampled(const struct pmudev_set_deadlines *deadlines)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, deadlines->slots)
		nr += deadlines->slot[slot]->action.sample;
	return nr;
}

bool pmudev_ring_full(const struct pmudev_ring *ring, const struct pmudev_set_deadlines *deadlines)
{
	const u32 used = used_bytes(ring);
	const u64 writers = (u64)deadlines->common->threads + num_online_cpus();

	lockdep_assert_held(&deadlines->common->lock);
	return used && ring->size - used < (writers + 1) * nr_sampled(deadlines) * ring->largest;
}

static void put_word(const struct pmudev_ring *ring, u32 at, u64 word)
{
	u32 byte = at & (ring->size - 1);
	u64 *data = page_address(ring->pages[1 + byte / PAGE_SIZE]);

	data[byte % PAGE_SIZE / sizeof(word)] = word;
}

/*
 * The thread whose events reached the deadline; NULL if it has ended, or the set runs nowhere.
 * common->lock and ctx->lock held: a thread that has not ended is not freed. On a CPU an interrupt
 * may have come while the thread left it, and wait until now. That thread is still there: its
 * reference is dropped after the switch has enabled interrupts, or after a grace period that began
 * behind it.
 */
static struct task_struct *sampled_thread(const struct pmudev_set_deadlines *deadlines)
{
	struct task_struct *interrupted = this_cpu_read(pmudev_cpus.overflow.at.task);

	if (deadlines->ended || (!deadlines->task && deadlines->set->ctx->cpu < 0))
		return NULL;
	if (deadlines->task)
		return deadlines->task;
	return interrupted ?: current;
}

/* Where the thread was. Kernel addresses are for events that count the kernel. */
static void find_place(const struct pmudev_set_deadlines *deadlines, unsigned int slot,
		       const struct task_struct *task, struct pmudev_sample *sample)
{
	const struct pmudev_interrupted *at = this_cpu_ptr(&pmudev_cpus.overflow.at);
	const struct pmudev_event *event = pmudev_slot_event(deadlines->set, slot);

	/* It is loaded here, or runs nowhere. */
	if (deadlines->set->ctx->cpu < 0)
		return;
	if (at->task == task && (at->user || !(event->flags & PMUDEV_EXCLUDE_KERNEL))) {
		sample->ip = at->ip;
		sample->flags = at->user ? 0 : PMUDEV_SAMPLE_KERNEL;
	} else if (task == current && !(task->flags & PF_KTHREAD) && !task->in_execve) {
		/* While it executes a program, that may be one whose addresses are secret. */
		sample->ip = instruction_pointer(task_pt_regs(current));
		sample->flags = PMUDEV_SAMPLE_ENTRY;
	}
}

static void write_sample(struct pmudev_ring *ring, const struct pmudev_set *set,
			 const struct pmudev_sample *sample)
{
	const u64 *word = (const u64 *)sample;
	u32 at = ring->head;
	unsigned int slot, i;
	u64 rest;

	BUILD_BUG_ON(sizeof(*sample) % sizeof(*word));
	for (i = 0; i < sizeof(*sample) / sizeof(*word); i++, at += sizeof(*word))
		put_word(ring, at, word[i]);
	pmudev_for_each_slot(slot, rest, sample->present) {
		put_word(ring, at, pmudev_event_count(pmudev_slot_event(set, slot)));
		at += sizeof(*word);
	}
	WRITE_ONCE(ring->head, at);
	/* After the data: who reads up to @head finds it. */
	smp_store_release(&ring->page->head, at);
}

bool pmudev_sample(struct pmudev_ring *ring, const struct pmudev_set_deadlines *deadlines,
		   unsigned int slot, u64 value, bool *full)
{
	struct task_struct *task = sampled_thread(deadlines);
	const struct pmudev_set *set = deadlines->set;
	u32 used = used_bytes(ring), size = sample_size(set);
	struct pmudev_sample sample = {
		.size = size,
		/* CLOCK_MONOTONIC; the last idle CPU has suspended timekeeping. */
		.time = ktime_get_mono_fast_ns(),
		.cpu = set->ctx->cpu < 0 ? ~0U : raw_smp_processor_id(),
		.slot = slot,
		.value = value,
		.present = set->used,
		.dropped = ring->dropped,
	};

	lockdep_assert_held(&deadlines->common->lock);
	ring->largest = max(ring->largest, size);
	if (ring->size - used < size) {
		ring->dropped++;
		WRITE_ONCE(ring->page->dropped, ring->dropped);
		*full = true;
		return false;
	}
	if (task) {
		find_place(deadlines, slot, task, &sample);
		sample.pid = task_tgid_nr_ns(task, deadlines->common->ns);
		sample.tid = task_pid_nr_ns(task, deadlines->common->ns);
	}
	write_sample(ring, set, &sample);
	*full = pmudev_ring_full(ring, deadlines);
	return used < ring->size / 2 && used + size >= ring->size / 2;
}
