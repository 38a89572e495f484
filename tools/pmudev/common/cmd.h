/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands, and what they share. */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <pmudev_set_array.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Exit statuses of our own; others are those of the command that was run. */
#define EXIT_USAGE     2
#define EXIT_NOT_RUN   126
#define EXIT_NOT_FOUND 127

/* argv[0] is the subcommand. Return: the exit status. */
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_verify_counters(int argc, char **argv);
int cmd_exporter(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_convert_metrics(int argc, char **argv);

/* Why a call of a set failed that returned this error, in a word. */
const char *reason_of(int error, const struct pmudev_refusal *why);

/* As write(2), but without SIGPIPE where nobody reads. */
ssize_t write_or_epipe(int fd, const void *data, size_t size);

/* "pmudev: ..." on stderr, with a line end. */
void complain(const char *format, ...) __attribute__((__format__(printf, 1, 2)));

/* "pmudev: PATH:LINE: what is wrong there; EFFECT" on stderr. Return: false. */
bool complain_of_line(const char *path, unsigned int line, const char *effect, const char *format,
		      ...) __attribute__((__format__(printf, 4, 5)));

/* Has all that was printed arrived? False if not, and it has been told. */
bool stdout_arrived(void);

/* "pmudev: WHAT: why the set's last call failed: what to do" on stderr. */
void complain_refusal(struct pmudev *set, const char *what);

/* 1234567 -> "1,234,567" */
const char *thousands(unsigned long long n, char buf[32]);

/* ------------------------------------------------------------------------- -e LIST */

struct event_list;
struct pmudev_pmus;

/* For the help of commands that take events. */
#define EVENTS_HELP                                                                             \
	"Events are cycles, instructions, ref-cycles, cache-references, cache-misses,\n"        \
	"branches, branch-misses; the names that `pmudev list` shows, with terms such as\n"     \
	"NAME/threshold=2/; and the CPU's own codes: rHEX, or PMU/event=0xc0,umask=0/, where\n" \
	"PMU is a PMU's name, or cpu for all. Behind an event may stand, in this order:\n"      \
	"\n"                                                                                    \
	"  @2        on counter 2 and no other; @fixed0 is the first fixed one (on arm64 the\n" \
	"            cycle counter), @0-3 one of these (`pmudev info` shows those there are)\n" \
	"  :u        count user mode, :k the kernel, :h the hypervisor (all without one),\n"    \
	"            :G guests, :H the host\n"                                                  \
	"\n"                                                                                    \
	"Events in braces are on counters together or not at all: '{instructions,cycles}:u'.\n" \
	"EVENT/threshold=N,threshold_count/ counts the cycles with at least N of the event;\n"  \
	"threshold_compare=lt those with less. name=TEXT between slashes names an event.\n"

/* The PMUs of this machine, from sysfs; none while the module is not loaded. */
const struct pmudev_pmus *known_pmus(void);

/*
 * Is there one PMU at most? What watches a command with one set misses what it does on other kinds
 * of CPUs. False has been told on stderr.
 */
bool one_kind_of_cpu(void);

/* Appends @more to a list that was allocated, or NULL, as if it had been given in one. */
char *join_events(char *list, const char *more);

/* Parses it. False if that cannot be done, and why has been told on stderr. */
bool read_events(const char *text, struct event_list *list);

/*
 * What can be done about a refusal: count less, and say so in the events' names. False if nothing.
 * @user_only, @cycles: set if it is that
 */
bool give_way(struct event_list *list, const struct pmudev_refusal *why, bool *user_only,
	      bool *cycles);

/*
 * Why the set's or the array's last call was refused, with the name of the event in place of its
 * number, on stderr.
 */
void complain_events(struct pmudev *set, const struct event_list *list);
void complain_array(struct pmudev_set_array *array, const struct event_list *list);

#endif /* CMD_H */
