/* SPDX-License-Identifier: MIT */
/* The command's environment: its own, and the few variables that make it record. */
#ifndef DLT_RECORD_ENVIRONMENT_H
#define DLT_RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

struct environment_setup {
	const char *library;	/* absolute path of libdltrace.so */
	const char *audit;	/* of libdltrace-audit.so; NULL: not wanted */
	const char *home;	/* the private folder */
	bool private_daemon;	/* LTTNG_HOME leads to it */
	uint64_t recording;
};

/* library[PATH_MAX]: what is preloaded; "": not there, which is said. -EINVAL and why where its path cannot be. */
int environment_library(char *library, char *why, size_t size);

/*
 * What CUDA_INJECTION64_PATH shall be, for the library at `library`; NULL: to be left alone (not
 * asked for, set by the user, or not built; then it says so). Valid until the next call.
 */
const char *environment_injection(const struct options *o, const char *library);

/*
 * Variables by which processes learn of options: the i-th one's name, NULL after the last, and its value, NULL where
 * nobody asked for it.
 */
const char *environment_option(const struct options *o, size_t i, const char **value);

/* A new NULL-terminated array; strings and array live until exit. NULL: out of memory. */
char **environment_make(const struct options *o, const struct environment_setup *s);

#endif
