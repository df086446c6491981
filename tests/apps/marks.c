/* SPDX-License-Identifier: MIT */
/*
 * Names what it does, by dltrace.h and by NVTX: a stand-in for NVTX's own header (which is not
 * everywhere) that finds its tool in the same way. Prints what NVTX's functions returned.
 *
 *	marks [WHAT]...		all, or some of: header nvtx threads fork flood cost calls
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interpose/dltrace.h"
#include "interpose/nvtx_abi.h"

/* ---- NVTX, as a program has it inside ------------------------------------------------------- */

static nvtx_function core[16], core2[16], *core_places[16], *core2_places[16];

static int get_module(int module, nvtx_function ***table, unsigned *count)
{
	*table = module == NVTX_MODULE_CORE ? core_places : module == NVTX_MODULE_CORE2 ? core2_places : NULL;
	*count = 16;
	return *table != NULL;
}

static const void *get_table(uint32_t table)
{
	static const struct nvtx_callbacks callbacks = { sizeof(callbacks), get_module };

	return table == NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}

static bool nvtx_init(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *tool = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(nvtx_get_table) = NULL;

	for (int i = 1; i < 16; i++) {
		core_places[i] = &core[i];
		core2_places[i] = &core2[i];
	}
	if (tool)
		*(void **)&initialize = dlsym(tool, "InitializeInjectionNvtx2");
	if (initialize && initialize(get_table))
		return true;
	if (tool)
		dlclose(tool);
	return false;
}

#define CALL(table, place, none, type, ...) \
	((table)[place] ? ((type)(table)[place])(__VA_ARGS__) : none)

static int push(const char *name)
{
	return CALL(core, NVTX_PUSH_A, -2, int (*)(const char *), name);
}

static int pop(void)
{
	return CALL(core, NVTX_POP, -2, int (*)(void));
}

static uint64_t start(const char *name)
{
	return CALL(core, NVTX_START_A, 0, uint64_t (*)(const char *), name);
}

static void end(uint64_t id)
{
	CALL(core, NVTX_END, (void)0, void (*)(uint64_t), id);
}

static void mark_wide(const wchar_t *name)
{
	CALL(core, NVTX_MARK_W, (void)0, void (*)(const wchar_t *), name);
}

static const void *text(int place, const void *domain, const char *name)
{
	return place == NVTX_DOMAIN_CREATE_A ?
		CALL(core2, place, NULL, const void *(*)(const char *), name) :
		CALL(core2, place, NULL, const void *(*)(const void *, const char *), domain, name);
}

static int domain_push(const void *domain, const struct nvtx_attributes *a)
{
	return CALL(core2, NVTX_DOMAIN_PUSH_EX, -2,
		    int (*)(const void *, const struct nvtx_attributes *), domain, a);
}

static int domain_pop(const void *domain)
{
	return CALL(core2, NVTX_DOMAIN_POP, -2, int (*)(const void *), domain);
}

static void use_domain(void)
{
	const void *domain = text(NVTX_DOMAIN_CREATE_A, NULL, "domain");
	struct nvtx_attributes a = {
		.version = 3, .size = sizeof(a), .category = 7, .payload_type = NVTX_I32,
		.payload.i32 = -5, .message_type = NVTX_MESSAGE_REGISTERED,
		.message.registered = text(NVTX_DOMAIN_STRING_A, domain, "registered"),
	};

	CALL(core2, NVTX_DOMAIN_CATEGORY_A, (void)0,
	     void (*)(const void *, uint32_t, const char *), domain, 7, "category");
	push("default");
	domain_push(domain, &a);
	a.category = 8;
	a.payload_type = NVTX_FLOAT;
	a.payload.real32 = 0.5f;
	a.message_type = NVTX_MESSAGE_WIDE;
	a.message.wide = L"weit";
	domain_push(domain, &a);
	pop();		/* a domain's ranges need not nest in another's */
	domain_pop(domain);
	domain_pop(domain);
	domain_pop(domain);	/* one too many: nothing */
}

/* ---- what it names -------------------------------------------------------------------------- */

static void header(void)
{
	for (int epoch = 1; epoch <= 2; epoch++) {
		dltrace_epoch(epoch);
		for (int step = 1; step <= 3; step++) {
			dltrace_step(step);
			dltrace_push("load \"data\"\n");
			dltrace_push("inner");
			dltrace_pop();
			dltrace_pop();
		}
	}
	dltrace_epoch(-1);
	dltrace_mark("saved");
	dltrace_pop();		/* nothing to pop */
}

static void nvtx(void)
{
	uint64_t id;

	CALL(core, NVTX_OS_THREAD_A, (void)0, void (*)(uint32_t, const char *),
	     (uint32_t)gettid(), "the thread that begins it all");

	printf("push %d\n", push("outer"));
	id = start("started");
	printf("pop %d\n", pop());
	mark_wide(L"\x17e\x20ac\x1f600");
	use_domain();
	end(id);
	end(id);	/* not again */
	start("never ended");
	push("never popped");
}

static void *leave_open(void *unused)
{
	push("left by its thread");
	return unused;
}

static void *wait_open(void *unused)
{
	push("left by the process");
	*(volatile int *)unused = 1;
	pause();
	return NULL;
}

static void threads(void)
{
	static volatile int ready;
	pthread_t thread;

	pthread_create(&thread, NULL, leave_open, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, wait_open, (void *)&ready);
	while (!ready)
		usleep(100);
}

/* The parent's range is not the child's, who pops it all the same. */
static void forks(void)
{
	int status;

	push("around fork");
	if (fork() == 0) {
		pop();
		push("in child");
		pop();
		exit(0);
	}
	wait(&status);
	pop();
}

static void flood(void)
{
	char name[200];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "name %d %0150d", i, i);
		push(name);
		pop();
	}
	for (int i = 0; i < 40; i++)
		push("deep");
	for (int i = 0; i < 40; i++)
		pop();
	for (int i = 0; i < 1000; i++)
		start("many");
}

/* Calls of CUDA inside ranges, outside of all, and in a step. */
static void calls(void)
{
	char path[4096];
	void *runtime, *p;
	int (*allocate)(void **, size_t), (*synchronise)(void);

	snprintf(path, sizeof(path), "%s/libcudart.so.13", getenv("STUBS"));
	runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!runtime) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&allocate = dlsym(runtime, "cudaMalloc");
	*(void **)&synchronise = dlsym(runtime, "cudaDeviceSynchronize");
	synchronise();
	push("with calls");
	for (int i = 0; i < 3; i++)
		allocate(&p, 1000);
	push("inner calls");
	synchronise();
	synchronise();
	pop();
	dltrace_step(1);
	allocate(&p, 1000);
	dltrace_step(2);
	pop();
	synchronise();
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* ns a push and pop, best of 9 */
static void cost(void)
{
	double nvtx_best = 1e9, header_best = 1e9, t;

	for (int round = 0; round < 9; round++) {
		t = now();
		for (int i = 0; i < 20000; i++) {
			push("range");
			pop();
		}
		t = (now() - t) / 20000;
		nvtx_best = t < nvtx_best ? t : nvtx_best;
		t = now();
		for (int i = 0; i < 20000; i++) {
			dltrace_push("range");
			dltrace_pop();
		}
		t = (now() - t) / 20000;
		header_best = t < header_best ? t : header_best;
	}
	printf("nvtx %.1f ns, dltrace.h %.1f ns\n", nvtx_best, header_best);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "header", header }, { "nvtx", nvtx }, { "threads", threads }, { "fork", forks },
		{ "flood", flood }, { "cost", cost }, { "calls", calls },
	};

	nvtx_init();
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (int k = 1; k < (argc > 1 ? argc : 2); k++)
			if ((argc == 1 && i < 4) ||
			    (argc > 1 && !strcmp(argv[k], parts[i].name)))
				parts[i].run();
	return 0;
}
