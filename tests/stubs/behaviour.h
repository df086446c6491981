/* SPDX-License-Identifier: MIT */
/* What the stubs' functions do: DO_<function>(arguments); those without a line here return 0. */
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

#define DO_cudaMemcpy(to, from, size, direction) stub_moves(size)
#define DO_cudaMemcpyAsync(to, from, size, direction, stream) stub_moves(size)
#define DO_cudaMemcpyPeer(to, to_device, from, from_device, size) stub_moves(size)
#define DO_cudaMemset(to, value, size) stub_moves(size)
#define DO_cudaMemsetAsync(to, value, size, stream) stub_moves(size)

#define DO_cudaStreamCreate(stream) stub_handle(stream)
#define DO_cudaStreamCreateWithFlags(stream, flags) stub_handle(stream)
#define DO_cudaStreamCreateWithPriority(stream, flags, priority) stub_handle(stream)
#define DO_cudaEventCreate(event) stub_handle(event)
#define DO_cudaEventCreateWithFlags(event, flags) stub_handle(event)

/* These call back at once, so that a test can nest calls. */
#define DO_cudaLaunchHostFunc(stream, function, data) (function(data), 0)
#define DO_GOMP_parallel(function, data, width, flags) (function(data), 0)

/* The handle of a kernel is no address in the program. */
#define DO___cudaGetKernel(kernel, function) (*(kernel) = (char *)(function) + (1ULL << 46), 0)
