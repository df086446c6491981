/* SPDX-License-Identifier: MIT */
/* --print: the same with lttng's own commands, for those who drive LTTng themselves. */
#ifndef DLT_RECORD_PRINT_H
#define DLT_RECORD_PRINT_H

#include "options.h"

/* library, audit: paths of libdltrace.so and libdltrace-audit.so (NULL: no --audit). */
void print_commands(const struct options *o, const struct plan *plan, const char *output, const char *library,
		    const char *audit);

#endif
