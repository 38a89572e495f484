// SPDX-License-Identifier: GPL-2.0
/*
 * The socket that listens. systemd hands one over as descriptor 3 and says so in the environment
 * (sd_listen_fds(3)).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "exporter.h"

#define FIRST_FD 3
#define BACKLOG	 64

#define DEFAULT_ADDRESS "127.0.0.1:10345"

/* An address of either kind. */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* "ADDRESS:PORT" or "[ADDRESS]:PORT" in numbers. Return: its length, 0: it is none. */
static socklen_t parse_address(const char *text, union address *to)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2], *end;
	unsigned long port;
	size_t len;

	memset(to, 0, sizeof(*to));
	len = colon ? colon - text : 0;
	if (!len || len >= sizeof(host) || colon[1] < '0' || colon[1] > '9')
		return 0;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port > 65535)
		return 0;
	memcpy(host, text, len);
	host[len] = '\0';
	if (*host == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		to->v6.sin6_family = AF_INET6;
		to->v6.sin6_port = htons(port);
		return inet_pton(AF_INET6, host + 1, &to->v6.sin6_addr) == 1 ? sizeof(to->v6) : 0;
	}
	to->v4.sin_family = AF_INET;
	to->v4.sin_port = htons(port);
	return inet_pton(AF_INET, host, &to->v4.sin_addr) == 1 ? sizeof(to->v4) : 0;
}

const char *listen_name(int fd, char *buf, size_t len)
{
	char host[INET6_ADDRSTRLEN] = "?";
	union address own = { .any.sa_family = AF_UNSPEC };
	socklen_t size = sizeof(own);

	getsockname(fd, &own.any, &size);
	if (own.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &own.v6.sin6_addr, host, sizeof(host));
		snprintf(buf, len, "[%s]:%u", host, ntohs(own.v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &own.v4.sin_addr, host, sizeof(host));
		snprintf(buf, len, "%s:%u", host, ntohs(own.v4.sin_port));
	}
	return buf;
}

/* How many sockets systemd hands over. */
static unsigned long handed_over(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || strtol(pid, NULL, 10) != getpid())
		return 0;
	return strtoul(fds, NULL, 10);
}

static bool listens(int fd)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len) && value;
}

static int take_over(unsigned long nr)
{
	if (nr == 1 && listens(FIRST_FD) && !fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) &&
	    !fcntl(FIRST_FD, F_SETFL, fcntl(FIRST_FD, F_GETFL) | O_NONBLOCK))
		return FIRST_FD;
	complain("LISTEN_FDS: one socket that listens is expected");
	return -1;
}

int listen_on(const char *address)
{
	const unsigned long given = handed_over();
	const int on = 1;
	union address to;
	socklen_t len;
	int fd;

	if (given && !address)
		return take_over(given);
	if (!address)
		address = DEFAULT_ADDRESS;
	len = parse_address(address, &to);
	fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	    !bind(fd, &to.any, len) && !listen(fd, BACKLOG))
		return fd;
	complain("cannot listen on %s: %s", address, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

bool listen_possible(const char *address)
{
	union address to;

	if (parse_address(address, &to))
		return true;
	complain("'%s' is not an address and a port such as 127.0.0.1:10345 or [::1]:10345",
		 address);
	return false;
}
