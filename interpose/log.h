/* SPDX-License-Identifier: MIT */
/*
 * What dltrace tells its developers: DLTRACE_DEBUG=domain,... (or "all"), to stderr.
 *
 * One domain a file, named after it: tracepoints/log_domains.h. Safe in hooks: a stack buffer and one write(2), errno
 * kept.
 */
#ifndef DLT_INTERPOSE_LOG_H
#define DLT_INTERPOSE_LOG_H

#include <stdbool.h>

#include "tracepoints/log_domains.h"

/* `list` is DLTRACE_DEBUG's value; copied. */
void dlt_log_init(const char *list);

/* "dltrace: DOMAIN: TEXT DETAIL (VALUE)"; detail may be NULL. */
void dlt_log_write(enum dlt_log_domain domain, const char *text, const char *detail, long value);

extern bool dlt_log_any;

static inline void dlt_log(enum dlt_log_domain domain, const char *text, const char *detail, long value)
{
	if (__builtin_expect(dlt_log_any, 0))
		dlt_log_write(domain, text, detail, value);
}

#endif
