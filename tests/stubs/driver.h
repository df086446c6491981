/* SPDX-License-Identifier: MIT */
/*
 * What of the driver the stub libcuda.so.1 really has: entry points by version, contexts of each
 * thread, modules and kernels with names. No export tables: nobody knows what is in them.
 *
 *   DLTRACE_STUB_CUDA=12000   the version that it says it is; newer forms are not there (13050).
 *                             Above 13050 it has "cuStubNewer", and gives forms of cuMemFree and
 *                             cuStubNewer that no table knows
 */
#ifndef DLT_TESTS_DRIVER_H
#define DLT_TESTS_DRIVER_H

#include <stddef.h>

#define STUB_DEVICES 2
#define STUB_NOT_FOUND 500

/* Generated: what cuGetProcAddress finds; by name, oldest first; the last one has none. */
struct stub_form {
	const char *name;
	int version;
	void *plain, *per_thread;
};

extern const struct stub_form stub_forms[];

int stub_proc_address(const char *name, void **p, int version, unsigned long long flags, int *status);
int stub_version(int *version);
int stub_device(int *device, int ordinal);
int stub_context(void **context, int device);
int stub_context_set(void *context);
int stub_context_get(void **context);
int stub_context_push(void *context);
int stub_context_pop(void **context);
int stub_context_device(int *device);
int stub_kernel(void **kernel, const void *module, const char *name);
int stub_unload(const void *module);
int stub_kernel_name(const char **name, const void *kernel);
int stub_new(void **handle);

#define DO_cuGetProcAddress(symbol, pfn, version, flags) stub_proc_address(symbol, pfn, version, flags, NULL)
#define DO_cuGetProcAddress_v2(symbol, pfn, version, flags, status) stub_proc_address(symbol, pfn, version, flags, status)
#define DO_cuGetExportTable(table, id) (*(const void **)(table) = NULL, STUB_NOT_FOUND)
#define DO_cuDriverGetVersion(version) stub_version(version)
#define DO_cuDeviceGet(device, ordinal) stub_device(device, ordinal)
#define DO_cuDeviceGetCount(count) (*(count) = STUB_DEVICES, 0)
#define DO_cuDevicePrimaryCtxRetain(context, device) stub_context(context, device)
#define DO_cuCtxCreate_v2(context, flags, device) stub_context(context, device)
#define DO_cuCtxCreate_v4(context, params, flags, device) stub_context(context, device)
#define DO_cuCtxSetCurrent(context) stub_context_set(context)
#define DO_cuCtxGetCurrent(context) stub_context_get(context)
#define DO_cuCtxPushCurrent_v2(context) stub_context_push(context)
#define DO_cuCtxPopCurrent_v2(context) stub_context_pop(context)
#define DO_cuCtxGetDevice(device) stub_context_device(device)
#define DO_cuModuleLoad(module, name) stub_new(module)
#define DO_cuModuleLoadData(module, image) stub_new(module)
#define DO_cuModuleLoadDataEx(module, image, count, options, values) stub_new(module)
#define DO_cuModuleLoadFatBinary(module, image) stub_new(module)
#define DO_cuModuleUnload(module) stub_unload(module)
#define DO_cuLibraryUnload(library) stub_unload(library)
#define DO_cuModuleGetFunction(function, module, name) stub_kernel(function, module, name)
#define DO_cuLibraryLoadData(library, ...) stub_new(library)
#define DO_cuLibraryLoadFromFile(library, ...) stub_new(library)
#define DO_cuLibraryGetKernel(kernel, library, name) stub_kernel(kernel, library, name)
#define DO_cuKernelGetFunction(function, kernel) (*(function) = (kernel), 0)
#define DO_cuKernelGetName(name, kernel) stub_kernel_name(name, kernel)
#define DO_cuFuncGetName(name, kernel) stub_kernel_name(name, kernel)

#endif
