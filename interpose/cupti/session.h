/* SPDX-License-Identifier: MIT */
/*
 * Who has CUPTI's activity records: nobody, we, or another profiler in the process.
 *
 * CUPTI has one pair of callbacks and one set of enabled kinds. From the first time that we take
 * it, the callbacks that CUPTI knows are ours for good, and pass on what belongs to others: an
 * empty buffer is asked of whoever's turn it is, a filled one goes to whoever gave it. So while
 * another profiler has the turn its buffers pass through here, and are read on their way.
 *
 * Another one's turn begins with its first call that would change who gets what; before that call
 * is made our kinds are switched off and our buffers fetched. It is over when nothing that it has
 * enabled is left and all of its buffers are back. What we miss meanwhile is a gap.
 *
 * Since CUPTI 13.2 a subscriber may have callbacks and kinds of its own, and records of a layout that
 * it chose; CUPTI does not let the two ways be mixed. Nothing of theirs passes through here then.
 */
#ifndef DLT_INTERPOSE_CUPTI_SESSION_H
#define DLT_INTERPOSE_CUPTI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "find.h"
#include "records.h"

/* `reason` of dltrace_gpu:gap */
enum gap {
	GAP_NONE, GAP_NOT_FOUND, GAP_UNKNOWN_VERSION, GAP_REFUSED, GAP_OTHERS, GAP_NOT_ASKED, GAP_LOST,
	GAP_UNTOLD,
};

extern const struct dlt_cupti_host *session_host;
extern struct cupti session_cupti;

/* At cuInit, in that thread. False: there is no CUPTI that could be used, which was said. */
bool session_init(const struct dlt_cupti_host *host);

/* There will be no helper: nothing can be recorded. */
void session_stop(void);

/*
 * The helper, again and again: reads CUPTI's clock, takes the turn where it is free, gives it up where nobody
 * listens. Not while another one's call is going on, which may end CUPTI.
 */
void session_look(void);

/*
 * Fetches what CUPTI has finished (all: unfinished work too). Nothing while others have the turn. False: another
 * one's call is going on, which may end CUPTI; it is waited for if `all` is wanted, for 2 s at most.
 */
bool session_flush(bool all);

/* What was told so far, and a gap that is open. */
void session_say_account(void);

/* The process ends, and what CUPTI has recorded since then is not all there. Waits for nobody. */
void session_say_untold(uint64_t since);

/* ---- others' calls (others.c), between session_lock and session_unlock ---- */

/* False: somebody has held it for too long; then the call just goes on. */
bool session_lock(void);
void session_unlock(void);

/* Another profiler's turn begins, if it has not. */
void session_step_back(void);
/* It registers these callbacks: what it gets is through ours. The real function's result. */
int session_register(dlt_cupti_request request, dlt_cupti_complete complete);
/* It has switched a kind on or off; in one context only, unless that is NULL. */
void session_their_kind(const void *context, int kind, bool on);
/* It has chosen a function whose calls are told of without the kind, which is CUPTI_DRIVER or CUPTI_RUNTIME. */
void session_their_call(int kind, uint32_t function, bool on);
/* It wants queries among the synchronisations even if what they ask for is not done, or does not. */
void session_their_queries(bool all);
/*
 * The same of a subscriber's own kinds (CUPTI 13.2 and later): what it gets does not pass through us,
 * since its records may be of any layout.
 */
void session_subscribers_kind(const void *subscriber, int kind, bool on);
/* It has registered callbacks of its own kind in place of ours: its turn lasts until it unsubscribes. */
void session_replaced(const void *subscriber);
void session_unsubscribed(const void *subscriber);
/* It has asked for records of its own layout: while it has them nothing can be read. */
void session_user_defined(bool on);
/* CUPTI forgets everything. */
void session_finalized(void);

void session_after_fork(void);

#endif
