// SPDX-License-Identifier: GPL-2.0
#include <sys/ioctl.h>

#include "json.h"
#include "wrap.h"

/* A narrower column is not wrapped. */
#define LEAST 20

/* How much of @text fits into @room, up to a blank unless all does; 0 if there is no blank. */
static int fit(const char *text, int room)
{
	int at = 0, blank = 0, width, len;

	for (width = 0; text[at] && width <= room; width++) {
		if (text[at] == ' ')
			blank = at;
		len = utf8_length((const unsigned char *)text + at);
		at += len ? len : 1;
	}
	return width > room ? blank : at;
}

void print_wrapped(FILE *out, int at, const char *text)
{
	struct winsize size = { .ws_col = 0 };
	int len;

	ioctl(fileno(out), TIOCGWINSZ, &size);
	while (size.ws_col >= at + LEAST && (len = fit(text, size.ws_col - at)) && text[len]) {
		fprintf(out, "%.*s\n%*s", len, text, at, "");
		text += len + 1;
	}
	fprintf(out, "%s\n", text);
}
