/* SPDX-License-Identifier: MIT */
/* What the stubs' functions do: DO_<function>(arguments); those without a line here return 0. */
#include "driver.h"
#include "over.h"

#define DO_cudaMalloc(p, size) stub_alloc(p, size)
#define DO_cudaMallocManaged(p, size, flags) stub_alloc(p, size)
#define DO_cudaMallocHost(p, size) stub_alloc(p, size)
#define DO_cudaHostAlloc(p, size, flags) stub_alloc(p, size)
#define DO_cudaMallocAsync(p, size, stream) stub_alloc(p, size)
#define DO_cudaMallocFromPoolAsync(p, size, pool, stream) stub_alloc(p, size)
#define DO_cudaHostRegister(p, size, flags) stub_moves(size)
#define DO_cudaFree(p) stub_free(p)
#define DO_cudaFreeHost(p) stub_free(p)
#define DO_cudaFreeAsync(p, stream) stub_free(p)
#define DO_cudaMallocPitch(p, pitch, width, height) (*(pitch) = ((width) + 511) / 512 * 512, stub_alloc(p, *(pitch) * (height)))
#define DO_cudaDeviceReset() stub_reset()
#define DO_cudaMemGetInfo(free, total) stub_info(free, total)

#define DO_cudaMemcpy(to, from, size, direction) stub_copies(size, direction, NULL, 1)
#define DO_cudaMemcpyAsync(to, from, size, direction, stream) stub_copies(size, direction, stream, 0)
#define DO_cudaMemcpyPeer(to, to_device, from, from_device, size) stub_copies(size, 3, NULL, 1)
#define DO_cudaMemset(to, value, size) stub_sets(size, NULL)
#define DO_cudaMemsetAsync(to, value, size, stream) stub_sets(size, stream)

#define DO_cudaLaunchKernel(kernel, grid, block, args, shared, stream) stub_launches(kernel, stream)
#define DO_cudaLaunchCooperativeKernel(kernel, grid, block, args, shared, stream) stub_launches(kernel, stream)
#define DO_cudaLaunchKernelExC(config, kernel, args) stub_launches(kernel, (config)->stream)
#define DO___cudaLaunchKernel(kernel, grid, block, args, shared, stream) \
	stub_launches((char *)(kernel) - (1ULL << 46), stream)
#define DO_cudaDeviceSynchronize() stub_waits(NULL, 1)
#define DO_cudaStreamSynchronize(stream) stub_waits(stream, 0)

#define DO_cudaStreamCreate(stream) stub_handle(stream)
#define DO_cudaStreamCreateWithFlags(stream, flags) stub_handle(stream)
#define DO_cudaStreamCreateWithPriority(stream, flags, priority) stub_handle(stream)
#define DO_cudaEventCreate(event) stub_handle(event)
#define DO_cudaEventCreateWithFlags(event, flags) stub_handle(event)

#define DO_cuMemAlloc_v2(p, size) stub_alloc((void **)(p), size)
#define DO_cuMemAllocManaged(p, size, flags) stub_alloc((void **)(p), size)
#define DO_cuMemAllocAsync(p, size, stream) stub_alloc((void **)(p), size)
#define DO_cuMemAllocFromPoolAsync(p, size, pool, stream) stub_alloc((void **)(p), size)
#define DO_cuMemAllocHost_v2(pp, size) stub_alloc(pp, size)
#define DO_cuMemHostAlloc(pp, size, flags) stub_alloc(pp, size)
#define DO_cuMemFree_v2(p) stub_free((void *)(p))
#define DO_cuMemFreeHost(p) stub_free(p)
#define DO_cuMemFreeAsync(p, stream) stub_free((void *)(p))

#define DO_cuMemcpy(to, from, size) stub_moves(size)
#define DO_cuMemcpyAsync(to, from, size, stream) stub_moves(size)
#define DO_cuMemcpyHtoD_v2(to, from, size) stub_copies(size, 1, NULL, 1)
#define DO_cuMemcpyDtoH_v2(to, from, size) stub_copies(size, 2, NULL, 1)
#define DO_cuMemcpyDtoD_v2(to, from, size) stub_copies(size, 3, NULL, 1)
#define DO_cuMemcpyHtoDAsync_v2(to, from, size, stream) stub_copies(size, 1, stream, 0)
#define DO_cuMemcpyDtoHAsync_v2(to, from, size, stream) stub_copies(size, 2, stream, 0)
#define DO_cuMemcpyDtoDAsync_v2(to, from, size, stream) stub_copies(size, 3, stream, 0)
#define DO_cuMemsetD8_v2(to, uc, n) stub_sets(n, NULL)
#define DO_cuMemsetD8Async(to, uc, n, stream) stub_sets(n, stream)
#define DO_cuMemsetD32_v2(to, ui, n) stub_moves((n) * 4)
#define DO_cuMemsetD32Async(to, ui, n, stream) stub_moves((n) * 4)

#define DO_cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, args, extra) stub_launches(function, stream)
#define DO_cuLaunchKernelEx(config, function, args, extra) stub_launches(function, (config)->stream)
#define DO_cuCtxSynchronize() stub_waits(NULL, 1)
#define DO_cuStreamSynchronize(stream) stub_waits(stream, 0)

#define DO_cuStreamCreate(stream, flags) stub_handle(stream)
#define DO_cuStreamCreateWithPriority(stream, flags, priority) stub_handle(stream)
#define DO_cuEventCreate(event, flags) stub_handle(event)

/* These call back at once, so that a test can nest calls. */
#define DO_cudaLaunchHostFunc(stream, function, data) (function(data), 0)
#define DO_cuLaunchHostFunc(stream, fn, user_data) (fn(user_data), 0)
#define DO_GOMP_parallel(function, data, width, flags) (function(data), 0)

/* Of NCCL: every element has four bytes. */
#define DO_ncclGetUniqueId(id) stub_unique(id)
#define DO_ncclCommInitRank(comm, ranks, id, rank) stub_handle(comm)
#define DO_ncclCommInitRankConfig(comm, ranks, id, rank, config) stub_handle(comm)
#define DO_ncclCommInitRankScalable(comm, ranks, rank, id_count, ids, config) stub_handle(comm)
#define DO_ncclCommInitAll(comms, devices, list) stub_handles(comms, devices)
#define DO_ncclCommSplit(comm, color, key, made, config) ((color) < 0 ? (*(made) = NULL, 0) : stub_handle(made))
#define DO_ncclAllReduce(from, to, count, type, op, comm, stream) stub_moves((count) * 4)
#define DO_ncclAllGather(from, to, count, type, comm, stream) stub_moves((count) * 4)
#define DO_ncclBroadcast(from, to, count, type, root, comm, stream) stub_moves((count) * 4)
#define DO_ncclSend(from, count, type, to, comm, stream) stub_moves((count) * 4)
#define DO_ncclRecv(p, count, type, from, comm, stream) stub_moves((count) * 4)

/* The handle of a kernel is no address in the program. */
#define DO___cudaGetKernel(kernel, function) (*(kernel) = (char *)(function) + (1ULL << 46), 0)
#define DO_cudaLibraryGetKernel(kernel, library, name) stub_handle(kernel)
#define DO_cudaFuncGetName(name, function) (*(name) = "N", 0)
