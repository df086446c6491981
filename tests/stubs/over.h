/* SPDX-License-Identifier: MIT */
/*
 * The stub runtime over the stub driver, as the real one works: it opens libcuda.so.1 at its first
 * call, asks dlsym for cuGetProcAddress_v2, that for itself, and that for all the rest.
 *
 *   DLTRACE_STUB_OVER=1     each runtime function that has an OVER_ line here calls the driver
 *
 * Compiled with STUB_STATIC it always does: that is libcudart_static.a.
 */
#ifndef DLT_TESTS_OVER_H
#define DLT_TESTS_OVER_H

#include <stddef.h>

typedef unsigned long long stub_address;

/* What the runtime asks for: name, since which CUDA version, prototype. */
#define STUB_DRIVER(X) \
	X(cuInit, 2000, (unsigned)) \
	X(cuDeviceGet, 2000, (int *, int)) \
	X(cuDevicePrimaryCtxRetain, 7000, (void **, int)) \
	X(cuCtxSetCurrent, 4000, (void *)) \
	X(cuCtxGetDevice, 2000, (int *)) \
	X(cuCtxSynchronize, 2000, (void)) \
	X(cuModuleLoadData, 2000, (void **, const void *)) \
	X(cuModuleGetFunction, 2000, (void **, void *, const char *)) \
	X(cuMemAlloc, 3020, (stub_address *, size_t)) \
	X(cuMemFree, 3020, (stub_address)) \
	X(cuMemAllocManaged, 6000, (stub_address *, size_t, unsigned)) \
	X(cuMemHostAlloc, 2020, (void **, size_t, unsigned)) \
	X(cuMemFreeHost, 2000, (void *)) \
	X(cuMemAllocAsync, 11020, (stub_address *, size_t, void *)) \
	X(cuMemFreeAsync, 11020, (stub_address, void *)) \
	X(cuMemcpyHtoD, 3020, (stub_address, const void *, size_t)) \
	X(cuMemcpyAsync, 4000, (stub_address, stub_address, size_t, void *)) \
	X(cuMemsetD8, 3020, (stub_address, unsigned char, size_t)) \
	X(cuMemsetD8Async, 3020, (stub_address, unsigned char, size_t, void *)) \
	X(cuLaunchKernel, 4000, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
				 unsigned, void *, void **, void **)) \
	X(cuStreamCreate, 2000, (void **, unsigned)) \
	X(cuStreamDestroy, 4000, (void *)) \
	X(cuStreamSynchronize, 2000, (void *)) \
	X(cuEventCreate, 2000, (void **, unsigned)) \
	X(cuEventRecord, 2000, (void *, void *)) \
	X(cuGraphCreate, 10000, (void **, unsigned)) \
	X(cuGraphDestroy, 10000, (void *)) \
	X(cuGraphAddKernelNode, 12000, (void **, void *, const void **, size_t, const void *)) \
	X(cuGraphInstantiateWithFlags, 11040, (void **, void *, unsigned long long)) \
	X(cuGraphExecDestroy, 10000, (void *)) \
	X(cuGraphLaunch, 10000, (void *, void *))

struct stub_driver {
#define STUB_FIELD(name, version, args) int (*name) args;
	STUB_DRIVER(STUB_FIELD)
#undef STUB_FIELD
	/* What cudaGetDriverEntryPoint asks in its turn. */
	int (*ask)(const char *, void **, int, unsigned long long, int *);
};

#ifdef STUB_STATIC
#define stub_over 1
#else
extern int stub_over;
#endif

/* Found at the first call. */
const struct stub_driver *stub_driver(void);

/* The driver's handle of what the compiler registered under a host function; or itself. */
void *stub_function(const void *host);
int stub_register(const void *host, const char *name);

#define OVER_cudaMalloc(p, size) stub_driver()->cuMemAlloc((stub_address *)(p), size)
#define OVER_cudaFree(p) stub_driver()->cuMemFree((stub_address)(p))
#define OVER_cudaMallocManaged(p, size, flags) stub_driver()->cuMemAllocManaged((stub_address *)(p), size, flags)
#define OVER_cudaMallocHost(p, size) stub_driver()->cuMemHostAlloc(p, size, 0)
#define OVER_cudaHostAlloc(p, size, flags) stub_driver()->cuMemHostAlloc(p, size, flags)
#define OVER_cudaFreeHost(p) stub_driver()->cuMemFreeHost(p)
#define OVER_cudaMallocAsync(p, size, stream) stub_driver()->cuMemAllocAsync((stub_address *)(p), size, stream)
#define OVER_cudaFreeAsync(p, stream) stub_driver()->cuMemFreeAsync((stub_address)(p), stream)
#define OVER_cudaMemcpy(to, from, size, direction) stub_driver()->cuMemcpyHtoD((stub_address)(to), from, size)
#define OVER_cudaMemcpyAsync(to, from, size, direction, stream) \
	stub_driver()->cuMemcpyAsync((stub_address)(to), (stub_address)(from), size, stream)
#define OVER_cudaMemset(to, value, size) stub_driver()->cuMemsetD8((stub_address)(to), (unsigned char)(value), size)
#define OVER_cudaMemsetAsync(to, value, size, stream) \
	stub_driver()->cuMemsetD8Async((stub_address)(to), (unsigned char)(value), size, stream)
#define OVER_cudaLaunchKernel(kernel, grid, block, args, shared, stream) \
	stub_driver()->cuLaunchKernel(stub_function(kernel), (grid).x, (grid).y, (grid).z, (block).x, \
				      (block).y, (block).z, (unsigned)(shared), stream, args, NULL)
#define OVER_cudaStreamCreate(stream) stub_driver()->cuStreamCreate(stream, 0)
#define OVER_cudaStreamCreateWithFlags(stream, flags) stub_driver()->cuStreamCreate(stream, flags)
#define OVER_cudaStreamDestroy(stream) stub_driver()->cuStreamDestroy(stream)
#define OVER_cudaStreamSynchronize(stream) stub_driver()->cuStreamSynchronize(stream)
#define OVER_cudaDeviceSynchronize() stub_driver()->cuCtxSynchronize()
#define OVER_cudaEventCreateWithFlags(event, flags) stub_driver()->cuEventCreate(event, flags)
#define OVER_cudaGraphCreate(graph, flags) stub_driver()->cuGraphCreate(graph, flags)
#define OVER_cudaGraphDestroy(graph) stub_driver()->cuGraphDestroy(graph)
#define OVER_cudaGraphAddKernelNode(node, graph, dependencies, count, params) \
	stub_driver()->cuGraphAddKernelNode(node, graph, dependencies, count, params)
#define OVER_cudaGraphInstantiateWithFlags(exec, graph, flags) \
	stub_driver()->cuGraphInstantiateWithFlags(exec, graph, flags)
#define OVER_cudaGraphExecDestroy(exec) stub_driver()->cuGraphExecDestroy(exec)
#define OVER_cudaGraphLaunch(exec, stream) stub_driver()->cuGraphLaunch(exec, stream)
#define OVER_cudaGetDevice(device) stub_driver()->cuCtxGetDevice(device)
#define OVER_cudaEventRecord(event, stream) stub_driver()->cuEventRecord(event, stream)

#define OVER___cudaRegisterFunction(handle, function, device_function, name, ...) stub_register(function, name)
#define OVER_cudaGetDriverEntryPoint(symbol, func_ptr, flags, status) \
	stub_driver()->ask(symbol, func_ptr, STUB_CUDA, flags, status)
#define OVER_cudaGetDriverEntryPointByVersion(symbol, func_ptr, version, flags, status) \
	stub_driver()->ask(symbol, func_ptr, (int)(version), flags, status)

#define STUB_CUDA 12000		/* the runtime's version, where it is asked for none */

#endif
