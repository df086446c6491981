/* SPDX-License-Identifier: MIT */
/*
 * Kinds of memory that CUDA's functions hand out, as the ledger of GPU memory keeps them apart.
 *
 * The tables of functions name a kind by its constant (field `memory` of alloc and free), events
 * and the black box carry its number, the report its name.
 *
 * Only what is physical takes room on the GPU. A pooling allocator of a framework asks for more
 * than it uses, so live bytes here are what it has *reserved*. What CUDA's own pools keep beyond
 * what was asked of them is not known to calls.
 */
#ifndef DLT_TRACEPOINTS_MEMORY_KINDS_H
#define DLT_TRACEPOINTS_MEMORY_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/* Handles of different spaces may be equal and mean different things. */
enum dlt_memory_space {
	DLT_SPACE_POINTER, DLT_SPACE_HANDLE, DLT_SPACE_RANGE, DLT_SPACE_MAPPING, DLT_SPACE_ARRAY,
};

enum dlt_memory {
	DLT_MEMORY_DEVICE,
	DLT_MEMORY_POOL,
	DLT_MEMORY_PHYSICAL,
	DLT_MEMORY_ARRAY,
	DLT_MEMORY_MANAGED,
	DLT_MEMORY_PINNED,
	DLT_MEMORY_REGISTERED,
	DLT_MEMORY_ADDRESS,
	DLT_MEMORY_MAPPED,
	DLT_MEMORY_FOREIGN,
	DLT_MEMORY_IMPORTED,
	DLT_MEMORY_STRAY,
	DLT_MEMORY_GPU,
	DLT_MEMORY_OPENCL,
	DLT_MEMORY_HOST,
	DLT_MEMORY_GRAPH,
	DLT_MEMORY_MULTICAST,
	DLT_MEMORIES
};

struct dlt_memory_kind {
	const char *name, *meaning;
	enum dlt_memory_space space;
	bool physical;		/* takes room on the GPU */
	bool context;		/* is freed with its context: cudaDeviceReset */
};

static inline const struct dlt_memory_kind *dlt_memory_kind(unsigned memory)
{
	static const struct dlt_memory_kind kinds[DLT_MEMORIES + 1] = {
		[DLT_MEMORY_DEVICE] = { "device", "cudaMalloc, cuMemAlloc and their kin",
					DLT_SPACE_POINTER, true, true },
		[DLT_MEMORY_POOL] = { "async", "asked of CUDA's pools: cudaMallocAsync",
				      DLT_SPACE_POINTER, true, true },
		[DLT_MEMORY_PHYSICAL] = { "physical", "cuMemCreate; mapped elsewhere",
					  DLT_SPACE_HANDLE, true, false },
		[DLT_MEMORY_ARRAY] = { "array", "cudaMallocArray; bytes before padding",
				       DLT_SPACE_ARRAY, true, true },
		[DLT_MEMORY_MANAGED] = { "managed", "on the GPU or the host, as it is used",
					 DLT_SPACE_POINTER, false, true },
		[DLT_MEMORY_PINNED] = { "pinned", "page-locked host memory",
					DLT_SPACE_POINTER, false, true },
		[DLT_MEMORY_REGISTERED] = { "registered", "the heap's own, page-locked",
					    DLT_SPACE_POINTER, false, true },
		[DLT_MEMORY_ADDRESS] = { "address", "cuMemAddressReserve: addresses, no memory",
					 DLT_SPACE_RANGE, false, false },
		[DLT_MEMORY_MAPPED] = { "mapped", "cuMemMap: where physical memory is seen",
					DLT_SPACE_MAPPING, false, false },
		[DLT_MEMORY_FOREIGN] = { "foreign", "another process's, opened here (IPC)",
					 DLT_SPACE_POINTER, false, true },
		[DLT_MEMORY_IMPORTED] = { "imported", "another process's, by a handle (cuMemImport...)",
					  DLT_SPACE_HANDLE, false, false },
		[DLT_MEMORY_STRAY] = { "stray", "frees of what nobody was seen to allocate, and "
				       "allocations that the ledger had no room for",
				       DLT_SPACE_POINTER, false, false },
		[DLT_MEMORY_GPU] = { "gpu", "the sum of what is physical, by device",
				     DLT_SPACE_POINTER, false, false },
		[DLT_MEMORY_OPENCL] = { "opencl", "buffers of OpenCL, on its device, which may be the CPU",
					DLT_SPACE_HANDLE, false, false },
		[DLT_MEMORY_HOST] = { "host", "cuMemCreate on the host", DLT_SPACE_HANDLE, false, false },
		[DLT_MEMORY_GRAPH] = { "graph", "allocated by nodes of CUDA graphs: there while they run",
				       DLT_SPACE_POINTER, false, true },
		[DLT_MEMORY_MULTICAST] = { "multicast", "cuMulticastCreate: memory of others, seen together",
					   DLT_SPACE_HANDLE, false, false },
		[DLT_MEMORIES] = { "unknown", "of a later version", DLT_SPACE_POINTER, false, false },
	};

	return &kinds[memory < DLT_MEMORIES ? memory : DLT_MEMORIES];
}

#endif
