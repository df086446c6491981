/* SPDX-License-Identifier: MIT */
/* What a reference that the loader would bind past us is bound to (see audit.c). */
#include "audited.h"

#include "export.h"
#include "lookup.h"
#include "targets.h"

bool dlt_audited_active;

DLT_EXPORT dlt_audited_bind dltrace_audited;

uintptr_t dltrace_audited(const char *name, uintptr_t real, uintptr_t from)
{
	unsigned function;

	if (!name) {
		dlt_audited_active = true;
		return 0;
	}
	function = dlt_lookup_name(name);
	if (function == DLT_FN_NONE)
		return real;
	return (uintptr_t)dlt_target_hand_out(function, (const void *)from, (void *)real);
}
