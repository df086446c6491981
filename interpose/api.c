/* SPDX-License-Identifier: MIT */
/* What dltrace.h offers to programs: exported, found by name. */
#define DLTRACE_IMPLEMENTATION
#include "dltrace.h"

#include "export.h"
#include "marks.h"

static const char domain[] = "dltrace";

static void boundary(enum dlt_mark_kind kind, const char *name, int number)
{
	dlt_mark_moment(kind, &(struct dlt_mark){
		.domain = domain, .name = name, .payload_type = DLT_PAYLOAD_SIGNED,
		.payload = (uint64_t)(int64_t)number,
	});
}

DLT_EXPORT void dltrace_epoch(int number)
{
	boundary(DLT_MARK_EPOCH, "epoch", number);
}

DLT_EXPORT void dltrace_step(int number)
{
	boundary(DLT_MARK_STEP, "step", number);
}

DLT_EXPORT void dltrace_push(const char *name)
{
	dlt_mark_push(&(struct dlt_mark){ .domain = domain, .name = name });
}

DLT_EXPORT void dltrace_pop(void)
{
	dlt_mark_pop(domain);
}

DLT_EXPORT void dltrace_mark(const char *name)
{
	dlt_mark_moment(DLT_MARK_MOMENT, &(struct dlt_mark){ .domain = domain, .name = name });
}
