/* SPDX-License-Identifier: MIT */
/*
 * Totals whose caller is not known: where the box had no room for an entry, or the thread had given its entries back as
 * the process ended. Those of these calls that are events are known by their library too, and count only there.
 */
#ifndef DLT_ANALYSIS_MODEL_LATE_H
#define DLT_ANALYSIS_MODEL_LATE_H

#include "analysis/model/model.h"

/* Once, when all is read. */
void late_end(struct trace *t);

#endif
