// SPDX-License-Identifier: GPL-2.0
#include "exporter.h"

bool serve_possible(void)
{
	return false;
}

bool serve_begin(struct server *server, int fd)
{
	(void)server;
	(void)fd;
	return false;
}

void serve_end(struct server *server)
{
	(void)server;
}
