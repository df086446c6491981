/* SPDX-License-Identifier: MIT */
/* Limits of resources: those of whoever started dltrace-record are meant for the command, not for its helpers. */
#ifndef DLT_RECORD_LIMITS_H
#define DLT_RECORD_LIMITS_H

/* For this process and what it execs: as much as it may have and does it good. */
void limits_set(void);

/* What even then is too little for LTTng's daemons, for a sentence; NULL: nothing is. */
const char *limits_too_tight(void);

#endif
