/* SPDX-License-Identifier: MIT */
/*
 * What programs seldom do, on the OpenCL of standin.c: the output must be the same with and without dltrace.
 *
 *	odd svm | kernels | queues | callbacks
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#include "standin.h"

#define BLOCK 1000
#define MANY 20		/* blocks in a list; more than have a place on the stack */
#define QUEUES 800	/* more than are measured */

static cl_command_queue queue;

static void allocate(void **list, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		list[i] = clSVMAlloc(NULL, 0, BLOCK, 0);
}

static void CL_CALLBACK free_all(cl_command_queue q, cl_uint count, void **list, void *data)
{
	(void)q;
	(void)data;
	for (unsigned i = 0; i < count; i++)
		clSVMFree(NULL, list[i]);
}

/* Two blocks are left. */
static void svm(void)
{
	void *list[MANY];

	printf("no list: %d\n", clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
	printf("no list, two: %d\n", clEnqueueSVMFree(queue, 2, NULL, NULL, NULL, 0, NULL, NULL));
	printf("nothing: %d\n", clEnqueueSVMFree(queue, 0, NULL, NULL, NULL, 0, NULL, NULL));
	printf("none of a list: %d\n", clEnqueueSVMFree(queue, 0, list, NULL, NULL, 0, NULL, NULL));
	allocate(list, 1);
	printf("one: %d\n", clEnqueueSVMFree(queue, 1, list, NULL, NULL, 0, NULL, NULL));
	allocate(list, 3);
	printf("three: %d\n", clEnqueueSVMFree(queue, 3, list, NULL, NULL, 0, NULL, NULL));
	allocate(list, MANY);
	printf("many: %d\n", clEnqueueSVMFree(queue, MANY, list, NULL, NULL, 0, NULL, NULL));
	allocate(list, 4);
	printf("by a callback: %d\n", clEnqueueSVMFree(queue, 4, list, free_all, NULL, 0, NULL, NULL));
	allocate(list, 2);
	printf("no queue: %d\n", clEnqueueSVMFree(NULL, 2, list, NULL, NULL, 0, NULL, NULL));
}

static void launch(cl_command_queue q, cl_kernel kernel, cl_event *event)
{
	const size_t items = 64;

	clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, 0, NULL, event);
}

/* The one that has a name runs once, others at its address, made in any way, three times. */
static void names(void)
{
	cl_kernel first = clCreateKernel(NULL, "first", NULL), made[4] = { NULL };
	cl_uint count = 0;

	launch(queue, first, NULL);
	clReleaseKernel(first);
	printf("how many: %d, ", clCreateKernelsInProgram(NULL, 0, NULL, &count));
	printf("%u\nno number: %d, ", count, clCreateKernelsInProgram(NULL, 4, made, NULL));
	printf("its address: %d\n", made[0] == first);
	launch(queue, made[0], NULL);
	launch(queue, made[1], NULL);
	clReleaseKernel(made[1]);
	clReleaseKernel(made[0]);
	first = clCreateKernel(NULL, "second", NULL);
	clReleaseKernel(first);
	printf("a number: %d, ", clCreateKernelsInProgram(NULL, 2, made, &count));
	printf("%u\n", count);
	launch(queue, made[0], NULL);
	clFinish(queue);
}

static void profile(cl_command_queue q, const char *what)
{
	cl_ulong time = 0;
	cl_event event;

	launch(q, NULL, &event);
	clFinish(q);
	printf("%s: times %d", what, clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(time), &time, NULL));
	clReleaseEvent(event);
}

static void recycled(cl_command_queue q, const char *what)
{
	cl_command_queue_properties properties = 0;

	profile(q, what);
	clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL);
	printf(", properties %u\n", (unsigned)properties);
}

/* There are more than dltrace measures: what comes then, at the places of those it does, is the program's own. */
static void many_queues(void)
{
	const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	static cl_command_queue all[QUEUES];
	cl_command_queue again;

	recycled(queue, "plain");
	for (unsigned i = 0; i < QUEUES; i++)
		all[i] = clCreateCommandQueue(NULL, NULL, 0, NULL);
	clReleaseCommandQueue(all[0]);
	again = clCreateCommandQueue(NULL, NULL, CL_QUEUE_PROFILING_ENABLE, NULL);
	printf("again: %d\n", again == all[0]);
	recycled(again, "profiled");
	clReleaseCommandQueue(all[1]);
	again = clCreateCommandQueueWithProperties(NULL, NULL, list, NULL);
	printf("again: %d\n", again == all[1]);
	recycled(again, "profiled, by a list");
	clReleaseCommandQueue(all[2]);
	again = clCreateCommandQueue(NULL, NULL, 0, NULL);
	recycled(again, "plain");
}

/* On standard error, what dltrace alone does. */
static void let_go(void)
{
	cl_command_queue other = clCreateCommandQueue(NULL, NULL, 0, NULL);

	for (unsigned i = 0; i < 20; i++)
		launch(queue, NULL, NULL);
	for (unsigned i = 0; i < 50; i++) {
		clRetainCommandQueue(queue);
		clReleaseCommandQueue(queue);
	}
	printf("callbacks: %s\n", standin_callbacks() > 20 ? "more than commands" : "as expected");
	clFinish(queue);
	printf("events left: %u\n", standin_events());
	launch(other, NULL, NULL);
	clRetainCommandQueue(other);
	clReleaseCommandQueue(other);
	standin_end_when_asked(true);
	clFlush(other);		/* dltrace looks, and hears that it runs */
	fprintf(stderr, "%u left, ", standin_events());
	standin_end_when_asked(false);
	clFinish(other);
	for (unsigned i = 0; i < 20; i++)	/* its place is used again */
		launch(queue, NULL, NULL);
	clRetainCommandQueue(queue);
	clReleaseCommandQueue(queue);
	fprintf(stderr, "%u callbacks\n", standin_callbacks());
	clFinish(queue);
	printf("events left: %u\n", standin_events());
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	queue = clCreateCommandQueue(NULL, NULL, 0, NULL);
	if (!strcmp(how, "svm"))
		svm();
	else if (!strcmp(how, "kernels"))
		names();
	else if (!strcmp(how, "queues"))
		many_queues();
	else
		let_go();
	return 0;
}
