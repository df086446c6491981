/* SPDX-License-Identifier: MIT */
/* Which traces the command line names. */
#ifndef DLT_ANALYSIS_INPUTS_H
#define DLT_ANALYSIS_INPUTS_H

#include <stddef.h>

#include "analysis/options.h"

/*
 * The traces of the options become: the baselines first, each of them a glob, then the others that are none of these;
 * a folder of recordings stands for each of them, and one that comes again, under whatever name, counts once. They
 * live as long as we do. Returns the index of the baseline that cannot be looked for, or `count`.
 */
size_t inputs_choose(struct options *o, const char *const *baselines, size_t count);

#endif
