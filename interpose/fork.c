/* SPDX-License-Identifier: MIT */
/* Handlers around fork. */
#include "fork.h"

static bool prepared;

bool dlt_fork_is_prepared(void)
{
	return prepared;
}
