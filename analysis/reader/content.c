/* SPDX-License-Identifier: MIT */
/*
 * A FIFO is opened without waiting for its writer, and read without waiting: whoever names one that nobody writes to is
 * told so, instead of a report that never comes.
 */
#include "analysis/reader/content.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/reader/must.h"

#define CHUNK 65536		/* bytes at first */
#define WRITER_LIMIT 5000	/* ms until a FIFO has a writer */
#define SILENCE_LIMIT 60000	/* ms in which that writes nothing */

struct content {
	char *text;
	size_t used, capacity;
};

/* As read(2), but that it waits for a pipe's writer; -1 and ETIMEDOUT, and `why`. */
static ssize_t read_some(int fd, void *buffer, size_t size, bool is_first, const char **why)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n = read(fd, buffer, size);
	bool late = false;

	if (n == 0 && is_first) {
		late = poll(&p, 1, WRITER_LIMIT) == 0;
		n = read(fd, buffer, size);
		*why = "nobody writes to it";
	}
	late = late && n == 0;
	while (!late && n < 0 && (errno == EINTR || errno == EAGAIN)) {
		late = poll(&p, 1, SILENCE_LIMIT) == 0;
		*why = "its writer has been silent for a minute";
		n = late ? -1 : read(fd, buffer, size);
	}
	if (late)
		errno = ETIMEDOUT;
	else if (n < 0)
		*why = strerror(errno);
	return late ? -1 : n;
}

static bool may_be_ours(const struct content *c, const char *mark, size_t last)
{
	if (memchr(c->text + c->used - last, '\0', last))
		return false;
	c->text[c->used] = '\0';
	return c->used < CHUNK || c->used - last >= CHUNK || strstr(c->text, mark);
}

static bool read_content(struct content *c, int fd, const char *mark, const char **why)
{
	ssize_t n;

	do {
		if (c->capacity - c->used < CHUNK) {
			c->capacity = c->capacity ? 2 * c->capacity : CHUNK;
			c->text = must(realloc(c->text, c->capacity + 1));
		}
		n = read_some(fd, c->text + c->used, c->capacity - c->used, !c->used, why);
		if (n < 0)
			return false;
		c->used += (size_t)n;
	} while (n && may_be_ours(c, mark, (size_t)n));
	c->text[c->used] = '\0';
	return true;
}

char *content_read(const char *path, const char *mark, uint64_t *size, const char **why)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = 0;
	struct content c = { .text = NULL };

	if (fd < 0) {
		*why = strerror(errno);
		return NULL;
	}
	if (!read_content(&c, fd, mark, why)) {
		err = errno;
		free(c.text);
		c.text = NULL;
	}
	close(fd);
	*size = c.used;
	errno = err;
	return c.text;
}
