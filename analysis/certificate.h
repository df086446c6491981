/* SPDX-License-Identifier: MIT */
/*
 * What `--verify` prints: the table `certificate`, which says of each trace what it is (the hash of
 * its content, command, host, date) and how the checks went; with `checks` and `exactness`.
 */
#ifndef DLT_ANALYSIS_CERTIFICATE_H
#define DLT_ANALYSIS_CERTIFICATE_H

#include "analysis/options.h"

struct model;

/*
 * After all analyses: adds the table and drops all others but the three. STATUS_OK when all checks
 * have passed, else STATUS_PARTLY.
 */
int certificate_make(const struct options *o, const struct model *m, struct report *r,
		     void (*progress)(void));

#endif
