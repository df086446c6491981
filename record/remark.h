/* SPDX-License-Identifier: MIT */
/* What is worth a note of the recording before the command starts: "SEVERITY KIND VALUE TEXT". False: there is none. */
#ifndef DLT_RECORD_REMARK_H
#define DLT_RECORD_REMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

struct remark_about {
	const struct options *options;	/* with the level that there is room for */
	enum level wanted;		/* the level that was asked for */
	const char *output;		/* the folder */
	const char *program;		/* the command's file */
};

/* The next one; *at: 0 before the first. */
bool remark_next(unsigned *at, const struct remark_about *about, char *text, size_t size);

#endif
