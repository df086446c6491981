/* SPDX-License-Identifier: MIT */
/*
 * Messages between dltrace-record and its two helpers: one line of text each, over a
 * SOCK_SEQPACKET pair, the first word says what. A helper whose peer is gone cleans up and ends.
 */
#ifndef DLT_RECORD_MESSAGE_H
#define DLT_RECORD_MESSAGE_H

#include <stddef.h>

#define MESSAGE_MAX 8192

/* 0 or -errno. Longer ones are cut. Never blocks for more than a second, never raises SIGPIPE. */
int message_send(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Waits at most `limit` ms (< 0: as long as it takes). Length; 0: the peer is gone; -ETIMEDOUT;
 * -errno. `text` has MESSAGE_MAX bytes and is NUL-terminated.
 */
int message_receive(int fd, char *text, int limit);

/* What follows `word` and a space when the message begins so; else NULL. */
const char *message_is(const char *text, const char *word);

/* A pair of descriptors, closed on exec. 0 or -errno. */
int message_pair(int fds[2]);

#endif
