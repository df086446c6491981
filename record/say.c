/* SPDX-License-Identifier: MIT */
/* Messages on stderr, each in one write(2), so that they do not mix with the command's. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum loudness loudness = NORMAL;

static void write_line(const char *format, va_list args)
{
	char line[4096] = "dltrace-record: ";
	size_t at = strlen(line), room = sizeof(line) - at - 1;
	int n = vsnprintf(line + at, room, format, args);

	if (n < 0)
		return;
	at += (size_t)n < room ? (size_t)n : room - 1;
	line[at++] = '\n';
	if (write(STDERR_FILENO, line, at) < 0)
		return;		/* nowhere left to complain */
}

#define SAY(name, least)				\
	void name(const char *format, ...)		\
	{						\
		va_list args;				\
							\
		if (loudness < (least))			\
			return;				\
		va_start(args, format);			\
		write_line(format, args);		\
		va_end(args);				\
	}

SAY(say_error, QUIET)
SAY(say, NORMAL)
SAY(say_verbose, VERBOSE)

void say_and_end(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args);
	va_end(args);
	exit(EXIT_OWN);
}
