/* SPDX-License-Identifier: MIT */
/*
 * dltrace-record --control PID REQUEST: a stream socket `control` in the private folder, which only
 * its owner and root can enter. One line is asked, lines are answered until the end of the stream;
 * the first begins with "ok" or "error".
 */
#ifndef DLT_RECORD_CONTROL_H
#define DLT_RECORD_CONTROL_H

#include <stdbool.h>

/* Descriptor to listen on, or -errno. */
int control_listen(const char *home);

/* Takes the next caller and its request (of `size` bytes). Descriptor to answer to, or -errno. */
int control_accept(int listener, char *request, int size);

bool control_answer(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The answer comes later, from a helper that is sent `message` (NULL: nothing). The caller becomes *waiting, which
 * is -1 while nobody waits. False: it has been told at once that there is no answer, and is gone.
 */
bool control_hand_over(int *waiting, int fd, int helper, const char *message);

/* "PREFIX TEXT" for who waits, if somebody does; nobody waits any more. */
void control_end(int *waiting, const char *prefix, const char *text);

/* The client: prints what is answered; exit status. */
int control_ask(int pid, char *const *words);

#endif
