/* SPDX-License-Identifier: MIT */
/*
 * clEnqueueSVMFree, by hand, since it gives back any number of blocks: each leaves the ledger of GPU memory
 * before the call, as others may be given its address at once, and comes back if that fails. With a
 * callback it gives back nothing itself: what the callback frees counts there.
 */
#include <sys/mman.h>

#include "calls.h"
#include "export.h"
#include "ledger.h"
#include "streams.h"
#include "sys.h"

#define FEW 8		/* blocks that stand on the stack */

typedef int (*svm_free)(void *, unsigned, void **, void (*)(void *), void *, unsigned, const void **, void **);

struct given_back {
	struct dlt_ledger ledger, few[FEW], *blocks;
	unsigned count;
	void *first;		/* the list may lie in what it names */
};

static void take(struct given_back *g, unsigned count, void **list)
{
	*g = (struct given_back){ .ledger.memory = DLT_MEMORY_MANAGED, .blocks = g->few };
	if (!count || !list || !dlt_ledger_begin(&g->ledger))
		return;
	if (count > FEW)
		g->blocks = dlt_sys_map(NULL, count * sizeof(*g->blocks), PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!g->blocks)
		g->blocks = g->few;
	g->count = count > FEW && g->blocks == g->few ? FEW : count;
	g->first = list[0];
	for (unsigned i = 0; i < g->count; i++) {
		g->blocks[i] = g->ledger;
		dlt_ledger_take(&g->blocks[i], DLT_MEMORY_MANAGED, (uintptr_t)list[i], 0);
	}
}

/* What there is to tell of it is left in g->ledger: all bytes, and whose the first known block was. */
static void settle(struct given_back *g, bool ok, uint16_t library)
{
	uint64_t size = 0;

	for (unsigned i = g->count; i--; size += g->blocks[i].size) {
		dlt_ledger_freed(&g->blocks[i], ok, dlt_device(), library);
		if (g->blocks[i].found || !g->ledger.found)
			g->ledger = g->blocks[i];
	}
	g->ledger.size = size;
	if (g->blocks != g->few)
		dlt_sys_unmap(g->blocks, g->count * sizeof(*g->blocks));
}

DLT_EXPORT int clEnqueueSVMFree(void *queue, unsigned count, void **list, void (*callback)(void *), void *data,
				unsigned waits, const void **wait_list, void **event);
DLT_WRAPPER(clEnqueueSVMFree);
int clEnqueueSVMFree(void *queue, unsigned count, void **list, void (*callback)(void *), void *data,
		     unsigned waits, const void **wait_list, void **event)
{
	struct dlt_call call;
	struct given_back g;
	void *found;
	bool measured = dlt_call_begin(&call, DLT_FN_clEnqueueSVMFree, DLT_EV_CUDA_FREE,
				       __builtin_return_address(0), &found);
	int result;

	take(&g, callback ? 0 : count, list);
	result = ((svm_free)found)(queue, count, list, callback, data, waits, wait_list, event);
	measured = measured && dlt_call_end(&call, DLT_EV_CUDA_FREE, 0, result == 0, 0, 0);
	settle(&g, result == 0, call.library);
	if (!measured)
		return result;
	dlt_call_emit(&call, DLT_EV_CUDA_FREE, &(struct dlt_ev_cuda_free){
		.thread = call.thread->id, .function = call.function, .library = call.library,
		.duration = call.duration, .nested = call.nested, .nested_time = call.nested_time,
		.result = (int16_t)result, .ptr = (uintptr_t)g.first, .size = g.ledger.size,
		.memory = g.ledger.memory, .owner = g.ledger.library, .device = g.ledger.device,
	});
	return result;
}
