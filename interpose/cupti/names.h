/* SPDX-License-Identifier: MIT */
/*
 * Kernels by the name that CUPTI gives them: small ids, announced as dltrace_proc:object of type 5
 * at first sight and again every minute. One caller at a time (records.c's lock).
 */
#ifndef DLT_INTERPOSE_CUPTI_NAMES_H
#define DLT_INTERPOSE_CUPTI_NAMES_H

#include <stdint.h>

#include "interpose/cupti.h"

/* 0: no room is left for more. */
uint32_t names_id(const struct dlt_cupti_host *host, const char *name);

/* Announces all of them once more. */
void names_again(const struct dlt_cupti_host *host);

#endif
