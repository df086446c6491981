/* SPDX-License-Identifier: MIT */
/* Parts of libdltrace.so that speak on standard error where DLTRACE_DEBUG names them: files of interpose/. */
#ifndef DLT_TRACEPOINTS_LOG_DOMAINS_H
#define DLT_TRACEPOINTS_LOG_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define DLT_LOG_DOMAINS(X) \
	X(BOX, "box") \
	X(CALLS, "calls") \
	X(CUPTI, "cupti") \
	X(DESCRIPTORS, "descriptors") \
	X(EMIT, "emit") \
	X(FORK, "fork") \
	X(GUARD, "guard") \
	X(HEAP, "heap") \
	X(IDS, "ids") \
	X(MPI, "mpi") \
	X(OUTBOX, "outbox") \
	X(PROCESS, "process") \
	X(STACKS, "stacks") \
	X(THREAD, "thread")

#define DLT_LOG_ID(id, name) DLT_LOG_##id,
#define DLT_LOG_NAME(id, name) name,
#define DLT_LOG_LISTED(id, name) name ", "

enum dlt_log_domain { DLT_LOG_DOMAINS(DLT_LOG_ID) DLT_LOG_ALL };

static inline const char *dlt_log_domain_name(enum dlt_log_domain domain)
{
	static const char *const names[] = { DLT_LOG_DOMAINS(DLT_LOG_NAME) "all" };

	return names[domain];
}

/* Is it the name of one, or of all? `name` needs no end. */
static inline bool dlt_log_domain_known(const char *name, size_t length)
{
	for (int i = 0; i <= DLT_LOG_ALL; i++)
		if (strlen(dlt_log_domain_name(i)) == length && !memcmp(dlt_log_domain_name(i), name, length))
			return true;
	return false;
}

#endif
