/* SPDX-License-Identifier: MIT */
/*
 * A libOpenCL of a few functions, for what a real one does only now and then: handles come again at once, a
 * command runs until its queue is finished, and the last moment of one can be in the middle of a question.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "standin.h"

#define EVENTS 4096
#define QUEUES 2048
#define KERNELS 4

struct _cl_command_queue {
	unsigned references;
	cl_command_queue_properties properties;
};

struct _cl_event {
	cl_command_queue queue;
	unsigned references;
	bool running;
	cl_ulong queued, ended;
	void (CL_CALLBACK *notify)(cl_event, cl_int, void *);
	void *data;
};

static struct _cl_command_queue queues[QUEUES];
static struct _cl_event events[EVENTS];
static struct _cl_kernel {
	bool used;
} kernels[KERNELS];
static unsigned callbacks;
static bool ends_when_asked;

unsigned standin_events(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < EVENTS; i++)
		count += events[i].references != 0;
	return count;
}

unsigned standin_callbacks(void)
{
	return callbacks;
}

void standin_end_when_asked(bool yes)
{
	ends_when_asked = yes;
}

static cl_ulong now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (cl_ulong)t.tv_sec * 1000000000 + (cl_ulong)t.tv_nsec;
}

static void end(cl_event e)
{
	e->running = false;
	e->ended = now();
	if (e->notify)
		e->notify(e, CL_COMPLETE, e->data);
	e->references--;
}

/* ---- queues and events ---- */

static cl_command_queue new_queue(cl_command_queue_properties properties)
{
	cl_command_queue q = queues;

	while (q->references)
		q++;
	q->references = 1;
	q->properties = properties;
	return q;
}

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *error)
{
	if (error)
		*error = 0;
	return new_queue(properties);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_queue_properties *list, cl_int *error)
{
	if (error)
		*error = 0;
	return new_queue(list && list[0] == CL_QUEUE_PROPERTIES ? list[1] : 0);
}

cl_int clRetainCommandQueue(cl_command_queue q)
{
	q->references++;
	return 0;
}

cl_int clReleaseCommandQueue(cl_command_queue q)
{
	q->references--;
	return 0;
}

cl_int clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info name, size_t size, void *value, size_t *size_ret)
{
	if (name != CL_QUEUE_PROPERTIES || size < sizeof(q->properties))
		return CL_INVALID_VALUE;
	*(cl_command_queue_properties *)value = q->properties;
	return 0;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dim, const size_t *offset, const size_t *global,
			      const size_t *local, cl_uint waits, const cl_event *list, cl_event *event)
{
	cl_event e = events;

	while (e->references)
		e++;
	*e = (struct _cl_event){ .queue = q, .references = event ? 2 : 1, .running = true, .queued = now() };
	if (event)
		*event = e;
	return 0;
}

cl_int clFlush(cl_command_queue q)
{
	return 0;
}

cl_int clFinish(cl_command_queue q)
{
	for (unsigned i = 0; i < EVENTS; i++)
		if (events[i].references && events[i].running && events[i].queue == q)
			end(&events[i]);
	return 0;
}

cl_int clRetainEvent(cl_event e)
{
	e->references++;
	return 0;
}

cl_int clReleaseEvent(cl_event e)
{
	e->references--;
	return 0;
}

cl_int clSetEventCallback(cl_event e, cl_int type, void (CL_CALLBACK *notify)(cl_event, cl_int, void *), void *data)
{
	callbacks++;
	e->notify = notify;
	e->data = data;
	return 0;
}

cl_int clGetEventInfo(cl_event e, cl_event_info name, size_t size, void *value, size_t *size_ret)
{
	if (name == CL_EVENT_COMMAND_QUEUE)
		*(cl_command_queue *)value = e->queue;
	else if (name == CL_EVENT_REFERENCE_COUNT)
		*(cl_uint *)value = e->references;
	else
		*(cl_int *)value = e->running ? CL_RUNNING : CL_COMPLETE;
	if (name == CL_EVENT_COMMAND_EXECUTION_STATUS && e->running && ends_when_asked)
		end(e);
	return 0;
}

cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info name, size_t size, void *value, size_t *size_ret)
{
	if (e->running || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	*(cl_ulong *)value = name == CL_PROFILING_COMMAND_END ? e->ended : e->queued;
	return 0;
}

/* ---- kernels ---- */

static cl_kernel new_kernel(void)
{
	cl_kernel k = kernels;

	while (k->used)
		k++;
	k->used = true;
	return k;
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error)
{
	if (error)
		*error = 0;
	return new_kernel();
}

cl_int clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *made, cl_uint *count)
{
	for (unsigned i = 0; made && i < 2; i++)
		made[i] = new_kernel();
	if (count)
		*count = 2;
	return 0;
}

cl_int clReleaseKernel(cl_kernel k)
{
	k->used = false;
	return 0;
}

/* ---- shared virtual memory ---- */

void *clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	return malloc(size);
}

void clSVMFree(cl_context c, void *block)
{
	free(block);
}

cl_int clEnqueueSVMFree(cl_command_queue q, cl_uint count, void **list,
			void (CL_CALLBACK *callback)(cl_command_queue, cl_uint, void **, void *), void *data,
			cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	if (!q)
		return CL_INVALID_COMMAND_QUEUE;
	if (!count != !list)
		return CL_INVALID_VALUE;
	if (callback)
		callback(q, count, list, data);
	for (unsigned i = 0; !callback && i < count; i++)
		free(list[i]);
	return 0;
}
