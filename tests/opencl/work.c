/* SPDX-License-Identifier: MIT */
/*
 * Work for an OpenCL device: buffers, copies, kernels by name, waiting. Prints what it computed and,
 * on standard error, a line "FUNCTION CALLS" for each function that it called.
 *
 *	work [dlsym]		linked, or everything looked up in libOpenCL.so.1
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define _GNU_SOURCE
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 4096

static struct count {
	const char *name;
	unsigned calls;
} counts[64];

static void *library;

static void *called(const char *name, void *linked)
{
	struct count *c = counts;

	while (c->name && strcmp(c->name, name))
		c++;
	c->name = name;
	c->calls++;
	return library ? dlsym(library, name) : linked;
}

#define CALL(function, ...) \
	((__typeof__(&function))called(#function, (void *)function))(__VA_ARGS__)
/* It waits, and stands for itself in a report. */
#define CALL_BLOCKING(function, ...) \
	((__typeof__(&function))(called(#function "(blocking)", NULL), \
	 library ? dlsym(library, #function) : (void *)function))(__VA_ARGS__)

static const char *source =
	"__kernel void scale(__global float *a, float by) { a[get_global_id(0)] *= by; }\n"
	"__kernel void add(__global float *a, __global const float *b)\n"
	"{ int i = get_global_id(0) + get_global_id(1) * 64; a[i] += b[i]; }\n";

static void check(cl_int error, const char *what)
{
	if (error) {
		fprintf(stderr, "%s: %d\n", what, error);
		exit(1);
	}
}

/* An image of 64 x 16 with four bytes an element. */
static void use_image(cl_context context, cl_command_queue queue)
{
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64,
					    .image_height = 16 };
	const size_t origin[3] = { 0, 0, 0 }, region[3] = { 64, 8, 1 };
	static unsigned char pixels[64 * 16 * 4];
	cl_int error;
	cl_mem image = CALL(clCreateImage, context, CL_MEM_READ_WRITE, &format, &description, NULL, &error);

	check(error, "image");
	check(CALL_BLOCKING(clEnqueueWriteImage, queue, image, CL_TRUE, origin, region, 0, 0, pixels, 0,
			    NULL, NULL), "write image");
	CALL(clReleaseMemObject, image);
}

/* What is let go of while a part of it, and an image of that part, are still there lives as long as they. */
static void use_part(cl_context context)
{
	const cl_buffer_region region = { 0, 4096 };
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	cl_mem whole = CALL(clCreateBuffer, context, CL_MEM_READ_WRITE, 8192, NULL, NULL);
	cl_mem part = CALL(clCreateSubBuffer, whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
	cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .buffer = whole };
	cl_mem image = CALL(clCreateImage, context, CL_MEM_READ_WRITE, &format, &description, NULL, NULL);

	CALL(clReleaseMemObject, whole);
	CALL(clReleaseMemObject, part);
	if (image)
		CALL(clReleaseMemObject, image);
}

int main(int argc, char **argv)
{
	size_t line = N, group = 64, plane[2] = { 64, N / 64 };
	static float a[N], b[N];
	float by = 2, sum = 0, *mapped;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel scale, add;
	cl_mem x, y;
	cl_event event;
	cl_int error;

	if (argc > 1 && !strcmp(argv[1], "dlsym"))
		library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (CALL(clGetPlatformIDs, 1, &platform, NULL))
		return 77;
	check(CALL(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	context = CALL(clCreateContext, NULL, 1, &device, NULL, NULL, &error);
	check(error, "context");
	queue = CALL(clCreateCommandQueue, context, device, 0, NULL);
	program = CALL(clCreateProgramWithSource, context, 1, &source, NULL, &error);
	check(CALL(clBuildProgram, program, 1, &device, "", NULL, NULL), "build");
	scale = CALL(clCreateKernel, program, "scale", &error);
	check(error, "scale");
	add = CALL(clCreateKernel, program, "add", NULL);
	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 1;
	}
	x = CALL(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof(a), NULL, &error);
	check(error, "x");
	y = CALL(clCreateBuffer, context, CL_MEM_READ_ONLY, sizeof(b), NULL, NULL);
	if (CALL(clCreateBuffer, context, CL_MEM_READ_WRITE, 0, NULL, &error) || error != -61)
		return 1;
	check(CALL_BLOCKING(clEnqueueWriteBuffer, queue, x, CL_TRUE, 0, sizeof(a), a, 0, NULL, NULL), "write");
	check(CALL(clEnqueueWriteBuffer, queue, y, CL_FALSE, 0, sizeof(b), b, 0, NULL, NULL), "write");
	CALL(clSetKernelArg, scale, 0, sizeof(x), &x);
	CALL(clSetKernelArg, scale, 1, sizeof(by), &by);
	CALL(clSetKernelArg, add, 0, sizeof(x), &x);
	CALL(clSetKernelArg, add, 1, sizeof(y), &y);
	for (int i = 0; i < 5; i++)
		check(CALL(clEnqueueNDRangeKernel, queue, scale, 1, NULL, &line, &group, 0, NULL, NULL), "scale");
	for (int i = 0; i < 3; i++)
		check(CALL(clEnqueueNDRangeKernel, queue, add, 2, NULL, plane, NULL, 0, NULL, &event), "add");
	check(CALL(clWaitForEvents, 1, &event), "wait");
	CALL(clReleaseEvent, event);
	check(CALL(clEnqueueCopyBuffer, queue, x, y, 0, 0, sizeof(a) / 2, 0, NULL, NULL), "copy");
	check(CALL(clFlush, queue), "flush");
	check(CALL(clFinish, queue), "finish");
	check(CALL_BLOCKING(clEnqueueReadBuffer, queue, x, CL_TRUE, 0, sizeof(a), a, 0, NULL, NULL), "read");
	mapped = CALL_BLOCKING(clEnqueueMapBuffer, queue, y, CL_TRUE, CL_MAP_READ, 0, sizeof(b), 0, NULL, NULL, &error);
	check(error, "map");
	sum = mapped[1] + mapped[N - 1];
	check(CALL(clEnqueueUnmapMemObject, queue, y, mapped, 0, NULL, NULL), "unmap");
	check(CALL(clFinish, queue), "finish");
	for (int i = 0; i < N; i++)
		sum += a[i];
	printf("%.1f\n", (double)sum);

	use_image(context, queue);
	use_part(context);
	CALL(clRetainMemObject, x);
	CALL(clReleaseMemObject, x);
	CALL(clReleaseMemObject, x);
	CALL(clReleaseKernel, scale);
	CALL(clReleaseKernel, add);
	CALL(clReleaseProgram, program);
	CALL(clReleaseCommandQueue, queue);
	CALL(clReleaseContext, context);
	if (CALL(clGetExtensionFunctionAddress, "clNoSuchFunctionKHR"))
		return 1;
	for (struct count *c = counts; c->name; c++)
		fprintf(stderr, "%s: %u\n", c->name, c->calls);
	return 0;
}
