/* SPDX-License-Identifier: MIT */
/*
 * libstaticplugin.so: a plugin with a CUDA runtime linked in, as cuDNN or an extension of CuPy has
 * one. The library exports work() alone; its runtime gets at the driver by dlsym.
 */
#include <stddef.h>

#include "cuda_types.h"

int cudaMalloc(void **p, size_t size);
int cudaFree(void *p);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream);
int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamSynchronize(void *stream);
void __cudaRegisterFunction(void **handle, const char *function, char *device_function,
			    const char *name, int threads, void *thread_id, void *block_id,
			    void *block, void *grid, int *warp);
__attribute__((visibility("default"))) void work(int steps);

static void kernel(void)
{
}

/* What the compiler makes of a kernel's definition. */
__attribute__((constructor)) static void begin(void)
{
	__cudaRegisterFunction(NULL, (const char *)kernel, NULL, "_Z12plugin_addPfi", -1, NULL, NULL,
			       NULL, NULL, NULL);
}

void work(int steps)
{
	const struct dlt_cuda_dim3 grid = { 4, 2, 1 }, block = { 64, 1, 1 };
	char host[16] = "";
	void *stream, *p;

	cudaStreamCreateWithFlags(&stream, 1);
	while (steps-- > 0) {
		cudaMalloc(&p, 4096);
		cudaMemcpyAsync(p, host, sizeof(host), 1, stream);
		cudaLaunchKernel((const void *)kernel, grid, block, NULL, 32, stream);
		cudaLaunchKernel((const void *)kernel, grid, block, NULL, 32, stream);
		cudaStreamSynchronize(stream);
		cudaFree(p);
	}
}
