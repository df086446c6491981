/* SPDX-License-Identifier: MIT */
/*
 * The descriptors that dltrace-record was started with. They are the command's: who reads from a pipe sees its end,
 * and who writes into one that nobody reads gets SIGPIPE, when the command is done with it. Ours all close on exec,
 * which those that an exec has left open do not: so they are told apart.
 */
#ifndef DLT_RECORD_INHERITED_H
#define DLT_RECORD_INHERITED_H

/* First of all: of 0, 1 and 2 those that are closed, so that none of ours lands there. */
void inherited_fill(void);

/* Closes them in this process, but for standard error. 0 and 1 become /dev/null. */
void inherited_let_go(void);

#endif
