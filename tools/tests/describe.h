/* SPDX-License-Identifier: MIT */
/* What a list of events means, as text. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdio.h>
#include <string.h>

#include "../pmudev/common/events.h"
#include "tap.h"

/*
 * For each event "group:type/config/flags", and what is said of "@counter", "&allowed counters",
 * "~threshold.comparison" and "#mask of its PMUs".
 */
static inline void describe(const struct event_list *list, char *buf, size_t len)
{
	unsigned int i;
	size_t used = 0;

	buf[0] = '\0';
	for (i = 0; i < list->nr && used < len - 120; i++) {
		const struct pmudev_event_attr *attr = &list->attrs[i];

		used += sprintf(buf + used, "%s%u:%u/%llx/%x", i ? " " : "", attr->group,
				attr->type, (unsigned long long)attr->config, attr->flags);
		if (attr->flags & PMUDEV_COUNTER || attr->counter)
			used += sprintf(buf + used, "@%u", attr->counter);
		if (attr->allowed)
			used += sprintf(buf + used, "&%llx", (unsigned long long)attr->allowed);
		if (attr->threshold || attr->threshold_compare)
			used += sprintf(buf + used, "~%u.%u", attr->threshold,
					attr->threshold_compare);
		if (list->events[i].pmus)
			used += sprintf(buf + used, "#%x", list->events[i].pmus);
	}
}

/* On a machine of these PMUs @text means what describe() says. */
static inline void expect_meaning(const struct pmudev_pmus *pmus, const char *text,
				  const char *wanted)
{
	struct pmudev_events_error error;
	struct event_list list;
	char meaning[512];

	if (!parse_events(text, pmus, &list, &error)) {
		is(error.text, "", text);
		return;
	}
	describe(&list, meaning, sizeof(meaning));
	is(meaning, wanted, text);
}

/* What is said of libpfm4, which may not be there, or not know this machine, is left out. */
static inline void forget_pfm(char *sentence)
{
	char *remark = strstr(sentence, " (libpfm4");

	if (!remark)
		remark = strstr(sentence, " (this libpmudev was built");
	if (remark)
		*remark = '\0';
}

/* It is refused there, with this sentence, about what stands at @position. */
static inline void expect_wrong(const struct pmudev_pmus *pmus, const char *text,
				unsigned int position, const char *sentence)
{
	struct pmudev_events_error error;
	struct event_list list;
	char what[128];

	snprintf(what, sizeof(what), "refused: '%s'", text);
	if (!ok(!parse_events(text, pmus, &list, &error), what))
		return;
	forget_pfm(error.text);
	is(error.text, sentence, "  its sentence");
	is_number(error.position, position, "  its position");
}

#endif /* DESCRIBE_H */
