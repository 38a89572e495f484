// SPDX-License-Identifier: GPL-2.0
#include "json.h"
#include "openmetrics.h"

/* @quotes: they are escaped, too */
static void write_escaped(FILE *out, const char *text, bool quotes)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int len;

	for (; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len)
			fputs("\xef\xbf\xbd", out);
		else if (*s == '\n')
			fputs("\\n", out);
		else if ((*s == '"' && quotes) || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fwrite(s, 1, len, out);
	}
}

static const char *suffix(const struct metric_family *family)
{
	static const char *const suffixes[] = {
		[METRIC_GAUGE] = "",
		[METRIC_COUNTER] = "_total",
		[METRIC_INFO] = "_info",
	};

	return suffixes[family->type];
}

void openmetrics_family(FILE *out, const struct metric_family *family, bool text)
{
	static const char *const types[] = {
		[METRIC_GAUGE] = "gauge",
		[METRIC_COUNTER] = "counter",
		[METRIC_INFO] = "info",
	};
	const char *more = text ? suffix(family) : "", *type = types[family->type];

	/* It has no such type. */
	if (text && family->type == METRIC_INFO)
		type = "gauge";
	fprintf(out, "# TYPE %s%s %s\n", family->name, more, type);
	if (family->unit && !text)
		fprintf(out, "# UNIT %s %s\n", family->name, family->unit);
	fprintf(out, "# HELP %s%s ", family->name, more);
	write_escaped(out, family->help, !text);
	fputc('\n', out);
}

void openmetrics_name(FILE *out, const struct metric_family *family)
{
	fprintf(out, "%s%s", family->name, suffix(family));
}

void openmetrics_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	write_escaped(out, value, true);
	fputc('"', out);
}
