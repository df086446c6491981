/* SPDX-License-Identifier: MIT */
/* What dltrace-record tells its user, on stderr: one line a matter, with what and why. */
#ifndef DLT_RECORD_SAY_H
#define DLT_RECORD_SAY_H

#define EXIT_OWN	125	/* dltrace-record itself failed; like env and timeout */
#define EXIT_NOT_RUN	126	/* the command cannot be executed */
#define EXIT_NOT_FOUND	127

enum loudness { QUIET = -1, NORMAL, VERBOSE };

extern enum loudness loudness;

/* Problems; with -q too. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Of a command line that is wrong: ends with EXIT_OWN. */
_Noreturn void say_and_end(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Unless -q. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With -v only. */
void say_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
