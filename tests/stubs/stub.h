/* SPDX-License-Identifier: MIT */
/*
 * What the stand-ins for CUDA, BLAS and OpenMP share: they keep their own exact account of calls,
 * failures, bytes and time, for tests to compare with what dltrace says.
 *
 *   DLTRACE_STUB_NS=1000,cudaMalloc=50000   each call takes that long, busy (default 0)
 *   DLTRACE_STUB_MEMORY=1048576             device memory in bytes; more is refused by error 2
 *   DLTRACE_STUB_REPORT=FILE                the account, appended at exit, by function:
 *                                           STUB NAME CALLS FAILED BYTES NS
 *
 * Without any of these a stub only returns, in a nanosecond or two.
 */
#ifndef DLT_TESTS_STUB_H
#define DLT_TESTS_STUB_H

#include <stddef.h>
#include <stdint.h>

#include "comm_types.h"
#include "cuda_types.h"

struct stub {
	const char *name;
	uint64_t wanted;		/* ns a call shall take */
	uint64_t calls, failed, bytes, ns;
};

/* Generated: all functions of this stub; the last one has no name. */
extern struct stub stubs[];

extern int stub_active;
uint64_t stub_begin_slow(struct stub *s);
void stub_end_slow(struct stub *s, uint64_t begin, int failed);

static inline uint64_t stub_begin(struct stub *s)
{
	return __builtin_expect(stub_active, 0) ? stub_begin_slow(s) : 0;
}

static inline void stub_end(struct stub *s, uint64_t begin, int failed)
{
	if (__builtin_expect(stub_active, 0))
		stub_end_slow(s, begin, failed);
}

/* The call that is running moves so many bytes. */
int stub_moves(size_t size);

/* The same, as work of the stub GPU (gpu.h), where there is one. direction: cudaMemcpyKind. */
int stub_copies(size_t size, int direction, const void *stream, int blocking);
int stub_sets(size_t size, const void *stream);
int stub_launches(const void *kernel, const void *stream);
int stub_waits(const void *stream, int all);
int stub_use(int device);

/* Memory of the device: 0, or a cudaError_t. */
int stub_alloc(void **p, size_t size);
int stub_free(void *p);
int stub_reset(void);
int stub_info(size_t *free, size_t *total);

/* Work of a captured stream is taken into a graph (graphs.c), not done. NULL: nothing was ever captured. */
extern int (*stub_taker)(int type, const void *stream);
/* A node of a graph that was launched: STUB_KERNEL, ... of gpu.h. */
void stub_node_runs(int type, const char *name, const void *stream);

/* Graphs: of graphs.c, only in the stubs of the runtime and the driver. */
int stub_graph(void **handle);
int stub_graph_copy(void **handle, const void *from);
int stub_graph_gone(const void *handle);
int stub_graph_launch(const void *exec, void *stream);
int stub_node(void **handle, const void *graph, int type, const void *child);
int stub_node_of(void **handle, const void *graph, void *params);
int stub_node_graph(const void *handle, void **graph);
int stub_node_in(void **handle, const void *original, const void *clone);
int stub_child_is(const void *exec, const void *node, const void *child);
int stub_graph_update(const void *exec, const void *from);
int stub_node_gone(const void *handle);
int stub_node_type(const void *handle, int *type);
int stub_node_on(const void *exec, const void *node, unsigned on);
int stub_nodes(const void *graph, void **nodes, size_t *count);
int stub_capture(const void *stream, const void *graph);
int stub_capture_again(const void *stream, const void *graph);
int stub_captured(const void *stream, void **graph);
int stub_capturing(const void *stream, void **graph);
int stub_records(const void *event, const void *stream);
int stub_joins(const void *stream, const void *event);

/* Memory by handles: another process's, always at the same address; the last that was created. */
int stub_shared(void **p, char handle);
int stub_physical(unsigned long long *handle);
int stub_retained(unsigned long long *handle);
int stub_reserved(unsigned long long *p, size_t size);	/* addresses that nobody has */

/* A new stream or event. */
int stub_handle(void **handle);

/* The same for each of several; an id that no other process and call gives. */
int stub_handles(void **handles, int count);
int stub_unique(struct dlt_nccl_id *id);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream);

#endif
