// SPDX-License-Identifier: GPL-2.0
/*
 * Samples, written. A line says by itself what it is about: file and offset for what lies in a
 * file, which has its symbols; the symbol for the kernel, whose addresses are gone after a reboot.
 */
#include <inttypes.h>
#include <string.h>

#include "../common/csv.h"
#include "../common/json.h"
#include "kallsyms.h"
#include "record.h"

/**
 * struct line - of the table
 * @mode: user, kernel, entry or end
 * @sample: what it is about; of the last line only time, value, dropped and counts
 * @place: where it was
 * @symbol: in the kernel
 */
struct line {
	const char *mode;
	const struct pmudev_sample *sample;
	struct place place;
	const char *symbol;
};

void record_begin(struct record *record)
{
	unsigned int i;

	if (record->json)
		return;
	fputs("time,event,period,value,pid,tid,cpu,mode,ip,file,offset,symbol,dropped",
	      record->out);
	for (i = 0; i < record->list.nr; i++) {
		fputc(',', record->out);
		csv_text(record->out, ",", record->list.events[i].name);
	}
	fputc('\n', record->out);
}

static void write_csv(const struct record *record, const struct line *line)
{
	const struct pmudev_sample *sample = line->sample;
	FILE *out = record->out;
	unsigned int i;

	fprintf(out, "%" PRIu64 ",", (uint64_t)sample->time);
	csv_text(out, ",", record->list.events[0].name);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%d,%d,%u,%s,0x%" PRIx64 ",", record->period,
		(uint64_t)sample->value, sample->pid, sample->tid, sample->cpu, line->mode,
		(uint64_t)sample->ip);
	csv_text(out, ",", line->place.file);
	fprintf(out, ",0x%" PRIx64 ",%s,%" PRIu64, line->place.offset, line->symbol,
		(uint64_t)sample->dropped);
	for (i = 0; i < record->list.nr; i++)
		fprintf(out, ",%" PRIu64, (uint64_t)sample->counts[i]);
	fputc('\n', out);
}

static void hexadecimal(struct json *json, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(json, key, text);
}

static void write_json(const struct record *record, const struct line *line)
{
	const struct pmudev_sample *sample = line->sample;
	struct json json = { .out = record->out };
	unsigned int i;

	json_open(&json, NULL, '{');
	json_unsigned(&json, "time", sample->time);
	json_string(&json, "event", record->list.events[0].name);
	json_unsigned(&json, "period", record->period);
	json_unsigned(&json, "value", sample->value);
	json_signed(&json, "pid", sample->pid);
	json_signed(&json, "tid", sample->tid);
	json_unsigned(&json, "cpu", sample->cpu);
	json_string(&json, "mode", line->mode);
	hexadecimal(&json, "ip", sample->ip);
	json_string(&json, "file", *line->place.file ? line->place.file : NULL);
	hexadecimal(&json, "offset", line->place.offset);
	json_string(&json, "symbol", *line->symbol ? line->symbol : NULL);
	json_unsigned(&json, "dropped", sample->dropped);
	json_open(&json, "counts", '{');
	for (i = 0; i < record->list.nr; i++)
		json_unsigned(&json, record->list.events[i].name, sample->counts[i]);
	json_close(&json, '}');
	json_close(&json, '}');
	json_line(&json);
}

static void write_line(const struct record *record, const struct line *line)
{
	if (record->json)
		write_json(record, line);
	else
		write_csv(record, line);
}

void record_sample(struct record *record, struct maps *maps, const struct pmudev_sample *sample)
{
	struct line line = { .mode = "user", .sample = sample, .place.file = "", .symbol = "" };
	struct kernel_place kernel;

	if (sample->flags & PMUDEV_SAMPLE_KERNEL) {
		kernel = kallsyms_find(sample->ip);
		line.mode = "kernel";
		line.place.file = kernel.file;
		line.symbol = kernel.symbol;
	} else {
		if (sample->flags & PMUDEV_SAMPLE_ENTRY)
			line.mode = "entry";
		maps_find(maps, sample->pid, sample->tid, sample->ip, &line.place);
		record->unknown += !*line.place.file;
	}
	record->samples++;
	write_line(record, &line);
}

void record_end(struct record *record, uint64_t time, const uint64_t *counts)
{
	union {
		struct pmudev_sample sample;
		uint64_t room[PMUDEV_SAMPLE_ROOM / 8];
	} last = {
		.sample.time = time,
		.sample.value = counts[0],
		.sample.dropped = record->lost,
	};
	struct line line = {
		.mode = "end",
		.sample = &last.sample,
		.place.file = "",
		.symbol = "",
	};

	memcpy(last.sample.counts, counts, record->list.nr * sizeof(*counts));
	write_line(record, &line);
}
