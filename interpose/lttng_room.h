/* SPDX-License-Identifier: MIT */
/*
 * Whether a process has room for LTTng inside: two threads and its addresses. Where it has not, liblttng-ust waits
 * three seconds for threads that were never made, ends with a segmentation fault for cancelling them, and forked
 * children fail an assertion of its (all seen with 2.13). The program goes on without.
 */
#ifndef DLT_INTERPOSE_LTTNG_ROOM_H
#define DLT_INTERPOSE_LTTNG_ROOM_H

#include <stdbool.h>

/* Before it is opened. Makes two threads and ends them, some 0.1 ms; they run nothing of the program's. */
bool dlt_lttng_has_room(void);

#endif
