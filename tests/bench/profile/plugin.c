// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of the emulator's: how often each piece of code was executed between the two marks that
 * bench.c sets around calls that it times. At each second mark a segment is written: its number,
 * then for each piece its address, its instructions and how often it was begun. For one CPU.
 *
 * plugin.so,out=FILE
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"
#include "qemu.h"

#if API >= 3
static bool is(const struct qemu_plugin_insn *insn, const char *mark, size_t size)
{
	char bytes[16];

	return qemu_plugin_insn_size(insn) == size &&
	       qemu_plugin_insn_data(insn, bytes, size) == size && !memcmp(bytes, mark, size);
}
#else
static bool is(const struct qemu_plugin_insn *insn, const char *mark, size_t size)
{
	return qemu_plugin_insn_size(insn) == size &&
	       !memcmp(qemu_plugin_insn_data(insn), mark, size);
}
#endif

EXPORT int qemu_plugin_version = API;

/* User addresses, where the marks are looked for. */
#define USER_END 0x800000000000ULL

struct piece {
	struct piece *next;
	uint64_t address;
	size_t insns;
	uint64_t count;
};

static struct piece *pieces;
static FILE *out;
static bool counting;
static unsigned int segment;

static void executed(unsigned int cpu, void *data)
{
	struct piece *piece = data;

	if (counting)
		piece->count++;
}

static void begin(unsigned int cpu, void *data)
{
	struct piece *piece;

	for (piece = pieces; piece; piece = piece->next)
		piece->count = 0;
	counting = true;
}

static void end(unsigned int cpu, void *data)
{
	struct piece *piece;

	counting = false;
	fprintf(out, "segment %u\n", segment++);
	for (piece = pieces; piece; piece = piece->next)
		if (piece->count)
			fprintf(out, "%" PRIx64 " %zu %" PRIu64 "\n", piece->address, piece->insns,
				piece->count);
	fflush(out);
}

static void look_for_marks(struct qemu_plugin_insn *insn)
{
	if (is(insn, MARK_BEGIN, MARK_BYTES))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (is(insn, MARK_END, MARK_BYTES))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, end, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct piece *piece = calloc(1, sizeof(*piece));
	size_t i;

	if (!piece)
		abort();
	piece->address = qemu_plugin_tb_vaddr(tb);
	piece->insns = qemu_plugin_tb_n_insns(tb);
	piece->next = pieces;
	pieces = piece;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, piece);
	if (piece->address < USER_END)
		for (i = 0; i < piece->insns; i++)
			look_for_marks(qemu_plugin_tb_get_insn(tb, i));
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
			       char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = fopen(argv[0] + 4, "w");
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
