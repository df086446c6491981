/* SPDX-License-Identifier: MIT */
/* Daemons of recordings whose every process was killed: a session daemon that comes up is deaf to SIGTERM. */
#ifndef DLT_RECORD_ORPHANS_H
#define DLT_RECORD_ORPHANS_H

/* Ends what writes to the log of this private folder, whose recording is dead, and is no daemon of several. */
void orphans_end(const char *home);

#endif
