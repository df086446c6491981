/* SPDX-License-Identifier: MIT */
/*
 * LTTng's descriptors in this process, kept out of the application's way.
 *
 * liblttng-ust-common keeps the set of its own descriptors (its "tracker") under a lock. Every
 * change goes through four exported functions, which are wrapped here: so a copy of the set can
 * be asked without the lock, and each descriptor moves to a high number as it comes, where
 * nobody's dup2(fd, 5) or `exec 9>lock` hits it.
 *
 * close, fclose, closefrom, close_range, dup2 and dup3 then treat those numbers as not open. The
 * cost for all others is two loads.
 */
#ifndef DLT_INTERPOSE_DESCRIPTORS_H
#define DLT_INTERPOSE_DESCRIPTORS_H

#include <stdbool.h>

/* This thread begins, or has ended, to load LTTng, which asks then how many there may be. */
void dlt_descriptors_opening(bool now);

/* Is it LTTng's? Waits while LTTng is opening one (2 ms at most). */
bool dlt_descriptor_is_ours(int fd);

#endif
