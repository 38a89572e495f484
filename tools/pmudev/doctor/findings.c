// SPDX-License-Identifier: GPL-2.0
/* What the checks of `pmudev doctor` have found. */
#include <stdarg.h>

#include "doctor.h"

struct finding *doctor_find(struct doctor *doctor, const char *check, enum verdict verdict,
			    const char *format, ...)
{
	static struct finding spare;
	struct finding *f = doctor->nr < MAX_FINDINGS ? &doctor->findings[doctor->nr++] : &spare;
	va_list args;

	*f = (struct finding){ .check = check, .verdict = verdict };
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
	return f;
}

void doctor_advise(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->advice, sizeof(finding->advice), format, args);
	va_end(args);
}
