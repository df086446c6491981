/* SPDX-License-Identifier: MIT */
/* The command's environment: its own, and the few variables that make it record. */
#ifndef DLT_RECORD_ENVIRONMENT_H
#define DLT_RECORD_ENVIRONMENT_H

#include <stdint.h>

#include "options.h"

struct environment_setup {
	const char *library;	/* absolute path of libdltrace.so */
	const char *home;	/* the private folder */
	bool private_daemon;	/* LTTNG_HOME leads to it */
	uint64_t recording;
};

/* A new NULL-terminated array; strings and array live until exit. NULL: out of memory. */
char **environment_make(const struct options *o, const struct environment_setup *s);

#endif
