/* SPDX-License-Identifier: MIT */
/*
 * /proc/self/stat as it is read through a stream: how many threads there are, without LTTng's and ours.
 *
 * CPython looks there at os.fork(), since 3.12, and warns of a process that has more than one. The number is changed
 * in the buffer of the stream, which is the file's in all else: who empties the buffer and reads again has what the
 * kernel says now.
 */
#include "stat.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "box_private.h"
#include "process.h"

#define THREADS 20		/* the field, from 1; the second one, in (), may have spaces inside */

static char *find_threads(char *text, char *end)
{
	char *p = memrchr(text, ')', (size_t)(end - text));

	for (int field = 2; p && field < THREADS; field++) {
		p = memchr(p, ' ', (size_t)(end - p));
		if (p)
			p++;
	}
	return p;
}

/* What is left over of a shorter number goes to the end of the line: the stream knows how much it has read. */
static void leave_out(char *text, char *end, uint32_t helpers)
{
	char *number = find_threads(text, end);
	char *after = number ? memchr(number, ' ', (size_t)(end - number)) : NULL;
	unsigned long threads = after ? strtoul(number, NULL, 10) : 0;
	char less[24];
	size_t length;

	if (threads <= helpers)
		return;		/* a child that LTTng knows nothing of */
	length = (size_t)snprintf(less, sizeof(less), "%lu", threads - helpers);
	memcpy(number, less, length);
	memmove(number + length, after, (size_t)(end - after));
	memset(number + length + (end - after), ' ', (size_t)(after - number) - length);
}

void dlt_stat_opened(FILE *file, const char *path)
{
	uint32_t helpers;
	int first;

	if (strcmp(path, "/proc/self/stat") != 0 || !dlt_process.traced)
		return;
	helpers = __atomic_load_n(&dlt_box->helpers, __ATOMIC_RELAXED);
	first = helpers ? getc(file) : EOF;
	/* Now the buffer has the line, and the stream goes back to its begin. */
	if (first != EOF && ungetc(first, file) != EOF && file->_IO_read_end[-1] == '\n')
		leave_out(file->_IO_read_ptr, file->_IO_read_end - 1, helpers);
}
