/* SPDX-License-Identifier: GPL-2.0 */
/* A small client of `pmudev exporter` on the loopback interface, and what its answers say. */
#ifndef PMUDEV_TEST_SCRAPE_H
#define PMUDEV_TEST_SCRAPE_H

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "common.h"

/* An answer, its head included. */
struct reply {
	size_t len;
	char text[32768];
};

/* 0 or -errno. */
static inline int loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = ioctl(fd, SIOCGIFFLAGS, &ifr);
	ifr.ifr_flags |= IFF_UP;
	if (!error)
		error = ioctl(fd, SIOCSIFFLAGS, &ifr);
	error = error ? -errno : 0;
	close(fd);
	return error;
}

static inline bool ask(unsigned int port, const char *request, struct reply *reply)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	const size_t len = strlen(request);
	ssize_t got = -1;

	reply->len = 0;
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to)) &&
	    send(fd, request, len, MSG_NOSIGNAL) == (ssize_t)len)
		while (reply->len < sizeof(reply->text) - 1 &&
		       (got = read(fd, reply->text + reply->len,
				   sizeof(reply->text) - 1 - reply->len)) > 0)
			reply->len += got;
	if (fd >= 0)
		close(fd);
	reply->text[reply->len] = '\0';
	return !got;
}

#define REQUEST(method, path, more) \
	method " " path " HTTP/1.1\r\nHost: localhost\r\n" more "Connection: close\r\n\r\n"
#define AS_OPENMETRICS "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n"

static inline bool ends_with(const struct reply *reply, const char *end)
{
	const size_t len = strlen(end);

	return reply->len >= len && !strcmp(reply->text + reply->len - len, end);
}

/* The exporter serves counts again that are younger. */
#define READ_AGE_US 250000

/* All of it arrived, and was read after this began. */
static inline bool scrape(unsigned int port, struct reply *reply)
{
	usleep(READ_AGE_US + 10000);
	return ask(port, REQUEST("GET", "/metrics", AS_OPENMETRICS), reply) &&
	       !strncmp(reply->text, "HTTP/1.1 200 ", 13) && ends_with(reply, "\n# EOF\n");
}

/* The line of a sample that begins so, behind it; NULL if there is none. */
static const char *sample(const struct reply *reply, const char *begin)
{
	char line[128];
	const char *at;

	snprintf(line, sizeof(line), "\n%s", begin);
	at = strstr(reply->text, line);
	return at ? at + strlen(line) : NULL;
}

/* pmudev_NAME{cpu="CPU"}; ~0: there is none */
static inline __u64 count_of(const struct reply *reply, const char *name, int cpu)
{
	char begin[96];
	const char *at;

	snprintf(begin, sizeof(begin), "pmudev_%s{cpu=\"%d\"} ", name, cpu);
	at = sample(reply, begin);
	return at ? strtoull(at, NULL, 10) : ~0ULL;
}

/* Is the CPU up, or not up for this reason? */
static inline bool is_up(const struct reply *reply, int cpu, const char *reason)
{
	char up[64], down[160];

	snprintf(up, sizeof(up), "pmudev_up{cpu=\"%d\"} %d\n", cpu, !reason);
	snprintf(down, sizeof(down), "pmudev_down_info{cpu=\"%d\",reason=\"%s", cpu,
		 reason ? reason : "");
	return sample(reply, up) && !sample(reply, down) == !reason;
}

#endif /* PMUDEV_TEST_SCRAPE_H */
