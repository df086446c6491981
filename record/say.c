/* SPDX-License-Identifier: MIT */
/* Messages on stderr, each in one write(2), so that they do not mix with the command's. */
#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum loudness loudness = NORMAL;

/* Of a name that somebody gave, it would be no line any more, or command the terminal: C0, DEL, and C1 in UTF-8. */
static bool is_control(const unsigned char *c)
{
	return *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

static void write_line(const char *format, va_list args)
{
	char text[4096], line[4096] = "dltrace-record: ";
	size_t at = strlen(line);

	if (vsnprintf(text, sizeof(text), format, args) < 0)
		return;
	for (const char *c = text; *c && at + sizeof("\\xff\\xff\n") < sizeof(line); c++) {
		const unsigned char *byte = (const unsigned char *)c;

		if (*c == '\n')
			at += (size_t)sprintf(line + at, "\\n");
		else if (is_control(byte))
			at += (size_t)sprintf(line + at, "\\x%02x", *byte == 0xc2 ? *(unsigned char *)++c : *byte);
		else
			line[at++] = *c;
	}
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
