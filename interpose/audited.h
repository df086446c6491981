/* SPDX-License-Identifier: MIT */
/* What libdltrace-audit.so calls in libdltrace.so, across namespaces. */
#ifndef DLT_INTERPOSE_AUDITED_H
#define DLT_INTERPOSE_AUDITED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A reference to `name` by the object that holds the address `from` would be bound to `real`:
 * what to bind it to. Called by the loader, under its lock; allocates nothing. `name` NULL: once, to
 * say that it will be asked.
 */
typedef uintptr_t dlt_audited_bind(const char *name, uintptr_t real, uintptr_t from);

#define DLT_AUDITED_BIND "dltrace_audited"

/* An object that defines one of these is one whose functions are wrapped. */
static const char *const dlt_audited_marks[] = { "cudaMalloc", "cuInit", "ncclGetVersion" };

/* True from then on. */
extern bool dlt_audited_active __attribute__((visibility("hidden")));

#endif
