/* SPDX-License-Identifier: MIT */
/* Sending and receiving lines of text over a socket pair. */
#include "message.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int message_pair(int fds[2])
{
	struct timeval limit = { .tv_sec = 1 };

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		setsockopt(fds[i], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return 0;
}

int message_send(int fd, const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list args;
	int n;

	if (fd < 0)
		return -EBADF;
	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		return -EINVAL;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	return send(fd, text, (size_t)n, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int message_receive(int fd, char *text, int limit)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;
	int ready;

	if (fd < 0)
		return 0;
	do {
		ready = poll(&p, 1, limit);
	} while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return ready == 0 ? -ETIMEDOUT : -errno;
	n = recv(fd, text, MESSAGE_MAX - 1, 0);
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	text[n] = '\0';
	return (int)n;
}

const char *message_is(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0 || (text[length] != ' ' && text[length] != '\0'))
		return NULL;
	return text[length] ? text + length + 1 : text + length;
}
