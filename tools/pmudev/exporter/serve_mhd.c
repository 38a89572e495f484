// SPDX-License-Identifier: GPL-2.0
/* The server, with libmicrohttpd. */
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "exporter.h"

#define OPENMETRICS "application/openmetrics-text"

/*
 * How many there may be, and for how many seconds one may say nothing. There is no limit for one
 * address: all users of this machine have the same one, and one could keep Prometheus out.
 */
#define CONNECTIONS 256
#define TIMEOUT	    5

static const char start_page[] = "<!DOCTYPE html>\n<title>pmudev exporter</title>\n"
				 "<p><a href=\"/metrics\">Metrics</a></p>\n";

bool serve_possible(void)
{
	return true;
}

/* @response: it is given away */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, struct MHD_Response *response)
{
	enum MHD_Result result = MHD_NO;

	if (!response)
		return MHD_NO;
	if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) &&
	    (status != MHD_HTTP_METHOD_NOT_ALLOWED ||
	     MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD")))
		result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned int status,
				   const char *type, const char *text)
{
	return answer(connection, status, type,
		      MHD_create_response_from_buffer(strlen(text), (void *)text,
						      MHD_RESPMEM_PERSISTENT));
}

/* No memory for it: the connection is closed. */
static enum MHD_Result answer_metrics(struct MHD_Connection *connection, struct server *server)
{
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	const bool text = !accept || !strstr(accept, OPENMETRICS);
	char *page = NULL;
	size_t len;
	FILE *out = open_memstream(&page, &len);
	bool written;

	if (!out)
		return MHD_NO;
	server->write(out, server->context, text);
	written = !ferror(out);
	if (fclose(out) || !written) {
		free(page);
		return MHD_NO;
	}
	return answer(connection, MHD_HTTP_OK,
		      text ? "text/plain; version=0.0.4; charset=utf-8" :
			     OPENMETRICS "; version=1.0.0; charset=utf-8",
		      MHD_create_response_from_buffer(len, page, MHD_RESPMEM_MUST_FREE));
}

/* The first call is for the head of a request. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **request)
{
	static int seen;

	(void)version;
	(void)data;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
				   "GET only\n");
	if (!*request || *size) {
		*request = &seen;
		*size = 0;
		return MHD_YES;
	}
	if (!strcmp(url, "/metrics"))
		return answer_metrics(connection, context);
	if (!strcmp(url, "/"))
		return answer_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", start_page);
	return answer_text(connection, MHD_HTTP_NOT_FOUND, "text/plain", "see /metrics\n");
}

bool serve_begin(struct server *server, int fd)
{
	const unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ITC;

	server->daemon =
		MHD_start_daemon(flags, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, fd,
				 MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				 MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT, MHD_OPTION_END);
	return server->daemon;
}

/* Without quiescing it would shut the socket down, which is systemd's, too. That needs the ITC. */
void serve_end(struct server *server)
{
	MHD_quiesce_daemon(server->daemon);
	MHD_stop_daemon(server->daemon);
}
