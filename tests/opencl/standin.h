/* SPDX-License-Identifier: MIT */
/* What standin.c tells, and how it is told what to do. */
#include <stdbool.h>

unsigned standin_events(void);		/* that somebody holds a reference of */
unsigned standin_callbacks(void);	/* that were ever set */
/* A command's status is told, and it ends before that is returned. */
void standin_end_when_asked(bool yes);
