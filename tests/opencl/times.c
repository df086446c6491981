/* SPDX-License-Identifier: MIT */
/*
 * Commands in queues of all kinds, and what a program may ask about them: the output must be the same
 * with and without dltrace. On standard error, a line for each command of the queues that it profiles
 * itself, as far as it has read how long it took: "KIND NAME-OR-DIRECTION NS".
 *
 *	times [fork | exit]
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 65536
#define COMMANDS 20

static cl_context context;
static cl_device_id device;
static cl_kernel kernel;
static cl_mem buffer, part;
static float data[N];
static volatile int gone;

static const char *source =
	"__kernel void slow(__global float *a, int n)\n"
	"{ float x = a[get_global_id(0)]; for (int i = 0; i < n; i++) x = x * 1.0001f + 1; a[get_global_id(0)] = x; }\n";

static void check(cl_int error, const char *what)
{
	if (error) {
		printf("%s: %d\n", what, error);
		exit(1);
	}
}

static unsigned references(cl_event event)
{
	cl_uint count = 0;

	check(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL), "references");
	return count;
}

static unsigned queue_references(cl_command_queue queue)
{
	cl_uint count = 0;

	check(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count, NULL), "count");
	return count;
}

/* OpenCL's own threads give theirs back a moment after all is done; it may keep one of the last command. */
#define SETTLED(count) \
	for (int i = 0; (count) > 2 && i < 30000; i++) \
		usleep(1000)

/* What the program may read of a command: its time, if it has asked for times. */
static void show(cl_event event, const char *what)
{
	cl_ulong begin = 0, end = 0;
	cl_int error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL);

	if (!error)
		check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL), "end");
	printf("%s: %d\n", what, error);
	if (!error)
		fprintf(stderr, "%s %llu\n", what, (unsigned long long)(end - begin));
}

static void launch(cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event)
{
	size_t items = N;

	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, waits, list, event), "launch");
}

/* Every kind of command; what the program keeps of each is released when it was read. */
static void work(cl_command_queue queue)
{
	static const char *const names[] = { "copy 1", "kernel slow", "copy 2", "set 5", "copy 3" };
	float zero = 0;
	cl_event events[5];

	for (int i = 0; i < COMMANDS; i++) {
		check(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof(data), data, 0, NULL, &events[0]), "write");
		launch(queue, 1, events, &events[1]);
		check(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(data) / 2, data, 1, &events[1], &events[2]), "read");
		check(clEnqueueFillBuffer(queue, part, &zero, sizeof(zero), 0, 1024, 1, &events[2], &events[3]), "fill");
		check(clEnqueueCopyBuffer(queue, part, buffer, 0, sizeof(data) / 2, 1024, 1, &events[3], &events[4]), "copy");
		check(clWaitForEvents(5, events), "wait");
		for (int e = 0; e < 5; e++) {
			show(events[e], names[e]);
			check(clReleaseEvent(events[e]), "release");
		}
	}
}

static void ask(cl_command_queue queue)
{
	cl_command_queue_properties properties = 0, list[16] = { 0 };
	size_t size = 0;

	check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL), "properties");
	SETTLED(queue_references(queue));
	printf("properties %llu, references left: %d\n", (unsigned long long)properties, queue_references(queue) > 2);
	if (clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &size) == 0)
		printf("list of %zu: %llu %llu %llu\n", size, (unsigned long long)list[0],
		       (unsigned long long)list[1], (unsigned long long)list[2]);
	printf("list, no room: %d\n", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 1, list, &size));
}

/* Commands that nobody has an event of, some behind an event of the program's own. */
static void unseen(cl_command_queue queue)
{
	cl_int error;
	cl_event mine = clCreateUserEvent(context, &error), last;

	check(error, "user event");
	printf("times of a user event: %d\n", clGetEventProfilingInfo(mine, CL_PROFILING_COMMAND_START, 8, &(cl_ulong){ 0 }, NULL));
	launch(queue, 0, NULL, NULL);
	launch(queue, 1, &mine, NULL);
	launch(queue, 1, &mine, &last);
	printf("references of one that waits: %u\n", references(last));
	printf("its times: %d\n", clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_START, 8, &(cl_ulong){ 0 }, NULL));
	printf("no such command: %d\n", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(data) * 2, data, 0, NULL, NULL));
	check(clSetUserEventStatus(mine, CL_COMPLETE), "status");
	check(clFinish(queue), "finish");
	SETTLED(references(last));
	SETTLED(references(mine));
	printf("references left: %d %d\n", references(last) > 2, references(mine) > 2);
	check(clReleaseEvent(last), "release");
	check(clReleaseEvent(mine), "release");
}

static void CL_CALLBACK context_gone(cl_context c, void *unused)
{
	(void)c;
	(void)unused;
	gone = 1;
}

/* Everything is let go while it runs; the context tells when it goes. */
static void let_go(int do_exit)
{
	cl_int error;
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);

	check(error, "queue");
	for (int i = 0; i < 10; i++)
		launch(queue, 0, NULL, NULL);
	check(clFlush(queue), "flush");
	if (do_exit)
		return;
	printf("asked to be told: %d\n", clSetContextDestructorCallback(context, context_gone, NULL));
	clReleaseMemObject(part);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	check(clReleaseCommandQueue(queue), "release queue");
	check(clReleaseContext(context), "release context");
}

static void made(cl_command_queue queue, cl_int error, const char *what)
{
	check(error, what);
	printf("-- %s\n", what);
	ask(queue);
	work(queue);
	unseen(queue);
	ask(queue);
	check(clReleaseCommandQueue(queue), "release queue");
}

int main(int argc, char **argv)
{
	const cl_queue_properties plain[] = { CL_QUEUE_PROPERTIES, 0, 0 },
		timed[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 },
		mixed[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	const char *how = argc > 1 ? argv[1] : "";
	const cl_buffer_region region = { 0, N };
	int rounds = 20, child, status;
	cl_platform_id platform;
	cl_command_queue queue;
	cl_program program;
	cl_int error;

	if (clGetPlatformIDs(1, &platform, NULL))
		return 77;
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "context");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
	kernel = clCreateKernel(program, "slow", &error);
	check(error, "kernel");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(data), NULL, &error);
	check(error, "buffer");
	part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
	check(error, "part");
	check(clReleaseProgram(program), "release program");
	check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "argument");
	check(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds), "argument");

	queue = clCreateCommandQueue(context, device, 0, &error);
	made(queue, error, "plain");
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	made(queue, error, "timed");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	made(queue, error, "no list");
	queue = clCreateCommandQueueWithProperties(context, device, plain, &error);
	made(queue, error, "plain list");
	queue = clCreateCommandQueueWithProperties(context, device, timed, &error);
	made(queue, error, "timed list");
	queue = clCreateCommandQueueWithProperties(context, device, mixed, &error);
	if (!error)
		made(queue, error, "out of order");
	queue = clCreateCommandQueue(context, device, (cl_command_queue_properties)1 << 40, &error);
	printf("no such queue: %d %d\n", queue != NULL, error);

	if (!strcmp(how, "fork")) {
		fflush(NULL);
		child = fork();
		if (!child)
			_exit(7);
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
			return 1;
	}
	let_go(!strcmp(how, "exit"));
	for (int i = 0; !gone && strcmp(how, "exit") && i < 30000; i++)
		usleep(1000);
	printf("context gone: %d\n", gone);
	return 0;
}
