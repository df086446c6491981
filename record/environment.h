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

/*
 * library[PATH_MAX]: what is preloaded; "": not there, which is said, or `program`, the command's file, would not take
 * it (remark.c). -EINVAL and why where its path cannot be.
 */
int environment_library(const char *program, char *library, char *why, size_t size);

/* What a command needs to be recorded into any session: so many at most. */
#define ENVIRONMENT_RECORDS 8

/*
 * Those, as NAME=value, beside what the user has in them; they live until exit, NULL: out of memory. `audit`: NULL: not
 * wanted. Returns how many; says so where --gpu=activity cannot be had.
 */
size_t environment_records(const struct options *o, const char *library, const char *audit, char **added);

/* A new NULL-terminated array; strings and array live until exit. NULL: out of memory. */
char **environment_make(const struct options *o, const struct environment_setup *s);

#endif
