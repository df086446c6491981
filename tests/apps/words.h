/* SPDX-License-Identifier: MIT */
/* Words of a test program's command line. */
#ifndef DLT_TESTS_WORDS_H
#define DLT_TESTS_WORDS_H

#include <stdbool.h>
#include <string.h>

static inline bool has(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], word))
			return true;
	return false;
}

#endif
