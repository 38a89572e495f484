/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The allocation layer decides which counters sets have: bookkeeping, placement, rotation plans,
 * and who is in the way. It calls the task layer and what is below it, and touches no CPU.
 *
 * An allocation is made when a set is enabled and holds on every CPU, wherever its task goes.
 *
 *   a task set		avoids the counters of every CPU set and of the same task's sets
 *   a CPU set		avoids the counters of every task set and of the same CPU's sets,
 *			those of cgroups on it included
 *
 * A task's sets are those bound to it and those that it inherited; an inherited set avoids what
 * each task with a child of it has. A multiplexing set is guaranteed as many counters as let each
 * of its groups fit. It borrows what is free beyond those and gives it up when another set wants
 * it. Where perf shares the PMU, its pinned events are like sets that hold counters, its others
 * like sets that borrow them.
 *
 * All functions: pmu->lock held, unless they say otherwise.
 */
#ifndef _PMUDEV_ALLOC_ALLOCATION_H
#define _PMUDEV_ALLOC_ALLOCATION_H

#include "../context/rotate.h"
#include "../task/children.h"

/* The multiplexed groups of a set */
struct pmudev_alloc_mux {
	struct list_head node; /* in the PMU's list of these while guaranteed any */
	u64 guaranteed;	    /* counters that let each group fit; part of struct pmudev_alloc.held */
	u64 borrowed;	    /* others that they use now */
	u64 new_guaranteed; /* guaranteed after a plan to move things */
	u64 old_borrowed;   /* borrowed before the allocation changed */
	bool lent_anew;	    /* what is borrowed is worked out anew, now */
	bool changed;	    /* the rotation must be planned anew */
	struct pmudev_rotation *plan;	  /* the rotation; written while it is suspended */
	struct pmudev_rotation *new_plan; /* a larger one that replaces it */
	struct pmudev_rotation *prepared; /* the next, allocated without pmu->lock; set's mutex */
	u8 room;			  /* groups that fit into the larger of plan and new_plan */
	u8 prepared_room;		  /* groups that fit into prepared; set's mutex */
	struct hlist_head suspended; /* other sets that a call on this one suspended, and resumes */
	struct hlist_node suspended_node; /* in another set's suspended, or nowhere */
};

/* The counters of a set with a file; under pmu->lock */
struct pmudev_alloc {
	struct list_head node;	/* in the PMU's list of sets while placed */
	struct pmudev_set *set; /* Constant. */
	struct pid *opener;	/* the process that opened the file. Constant. */
	bool exclusive; /* while placed, perf has no counter of the PMU. Constant once bound. */
	u64 placed;		/* slots with counters; also read without pmu->lock */
	u64 held;		/* their counters, guaranteed ones of multiplexed groups included */
	u8 place[PMUDEV_MAX_EVENTS]; /* by slot: the counter, of a chained event the even one */
	u8 new_place[PMUDEV_MAX_EVENTS]; /* place after a plan to move things */
	u64 moving;			 /* slots that the plan moves */
	u64 moving_active;		 /* those of them that are active */
	struct pmudev_set *next_moving;	 /* the next set of the plan */
	u64 mark; /* the last question that concerned it, see find_conflicts() */
	struct pmudev_alloc_mux mux; /* its multiplexed groups */
};

/* The counters that sets of one kind hold */
struct pmudev_use {
	u32 nr[PMUDEV_COUNTERS]; /* by counter: how many sets hold it */
	u64 any;		 /* those that some set holds */
};

/*
 * What each thread's set that borrows counters depends on, besides its thread's other sets, while
 * no CPU's set borrows: such depend on all.
 */
struct pmudev_lent {
	bool known;	/* false: nothing was lent yet, or not all that was free was got */
	bool lend;	/* whether anything is lent */
	u64 available;	/* the PMU's counters */
	u64 left;	/* not lent: left to perf */
	u64 taken;	/* what perf has and CPU sets hold */
};

/* The allocation of one PMU; under pmu->lock */
struct pmudev_pmu_alloc {
	struct list_head sets;	    /* sets that hold counters, by alloc->node */
	struct list_head mux_sets;  /* those of them with multiplexed groups, by alloc->mux.node */
	u32 nr_sets;		    /* how many */
	u32 nr_cpu_mux;		    /* those with multiplexed groups that are of a CPU */
	u32 nr_exclusive;	    /* those of them that keep perf off */
	bool paused;		    /* perf waited for a counter: nothing is lent for a while */
	struct pmudev_use task_use; /* what task sets hold */
	struct pmudev_use cpu_use;  /* what CPU sets hold */
	u64 task_borrowed;	    /* what task sets borrow */
	u64 cpu_borrowed;	    /* what CPU sets borrow */
	struct pmudev_lent lent;    /* as it was when they were last lent to all */
	u64 mark;		    /* number of the last question, see find_conflicts() */
	struct pmudev_perf_use perf; /* what perf had when pmudev_alloc_look_at_perf() looked */
};

/* Give up what is borrowed when perf waits for a counter; lend.c */
void pmudev_lend_init(void);
void pmudev_lend_exit(void);

extern struct pmudev_pmu_alloc pmudev_allocs[PMUDEV_MAX_PMUS];

/*
 * What is kept of a set's target; @ctx: the set's or a child's context. All sets on a CPU share
 * what is kept of the CPU, for those of cgroups and the CPU's own can be loaded at a time.
 */
static inline struct pmudev_alloc_ctx *pmudev_alloc_of(struct pmudev_ctx *ctx,
						       const struct pmudev_set *set)
{
	return set->cpu < 0 ? &ctx->alloc : &per_cpu(pmudev_cpus, set->cpu).ctx.alloc;
}

static inline struct pmudev_pmu_alloc *pmudev_pmu_alloc(const struct pmudev_pmu *pmu)
{
	return &pmudev_allocs[pmu->info.index];
}

/* Walk the sets that hold counters of a PMU. @alloc is a struct pmudev_alloc pointer. */
#define pmudev_for_each_alloc(alloc, pmu) \
	list_for_each_entry(alloc, &pmudev_pmu_alloc(pmu)->sets, node)

/* Those of them with multiplexed groups, in the same order. */
#define pmudev_for_each_mux(alloc, pmu) \
	list_for_each_entry(alloc, &pmudev_pmu_alloc(pmu)->mux_sets, mux.node)

/* Before the first set. */
void pmudev_allocs_init(void);

/* Initialize the allocation of a set. Takes a reference to the calling process's pid. */
void pmudev_alloc_init(struct pmudev_alloc *alloc, struct pmudev_set *set);

/* Free what belongs to it; the set holds no counters. Without pmu->lock. */
void pmudev_alloc_exit(struct pmudev_alloc *alloc);

/*
 * Look what perf has, before the functions below and those of other files of this layer answer by
 * it. @pinned: counters that its pinned events have besides.
 */
void pmudev_alloc_look_at_perf(struct pmudev_pmu *pmu, u64 pinned);

/*
 * Reserve counters for sets; perf's flexible events are moved. The CPUs stay; in a worker. Return:
 * 0; -EAGAIN if perf keeps some, which count as pinned from now on; -ENOMEM.
 */
int pmudev_alloc_reserve(struct pmudev_pmu *pmu, u64 counters);

/* Release what no set needs. */
void pmudev_alloc_release(struct pmudev_pmu *pmu);

/* Counters that @set cannot have; with @borrowed also those that others borrow. */
u64 pmudev_alloc_taken(struct pmudev_set *set, bool borrowed);

/* Those of them that other tasks with a child of an inherited set have. */
u64 pmudev_alloc_taken_by_children(struct pmudev_set *set);

/* What sets of this kind hold: those of tasks, or those of CPUs. */
struct pmudev_use *pmudev_alloc_use(const struct pmudev_set *set);

/*
 * Account what alloc->placed, place and guaranteed say, and undo that before they change. A set
 * that holds nothing is not accounted.
 */
void pmudev_alloc_account(struct pmudev_set *set);
void pmudev_alloc_unaccount(struct pmudev_set *set);

/* These slots hold counters, as alloc->place and guaranteed say; no others do any more. */
void pmudev_alloc_set_placed(struct pmudev_set *set, u64 slots);

/* Call @fn, which changes nothing, with what @set and its children are on, loaded anywhere. */
void pmudev_alloc_look(struct pmudev_set *set, pmudev_set_fn fn, void *arg);

/* Take back what sets hold whose targets have ended. */
void pmudev_reclaim_dead(struct pmudev_pmu *pmu);

/* Counters that some set has, after that. */
u64 pmudev_alloc_busy(struct pmudev_pmu *pmu);

#endif /* _PMUDEV_ALLOC_ALLOCATION_H */
