/* SPDX-License-Identifier: MIT */
/* Utilisation, memory, power and clocks of NVIDIA's GPUs. */
#include "gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "sampler/emit_sample.h"

#define GPUS		32
#define PROCESSES	256
#define SECOND		((uint64_t)1000000000)
#define CLOCK_SM	1	/* nvmlClockType_t */

/* As in nvml.h, which is not needed to build. */
struct utilisation { unsigned gpu, memory; };
struct memory { unsigned long long total, free, used; };
struct process { unsigned pid; unsigned long long used; unsigned instance, compute_instance; };

/* Every function returns 0 when it has worked. Those that are missing are not called. */
static struct {
	int (*init)(void);
	int (*count)(unsigned *count);
	int (*handle)(unsigned index, void **device);
	int (*name)(void *device, char *name, unsigned length);
	int (*utilisation)(void *device, struct utilisation *u);
	int (*memory)(void *device, struct memory *m);
	int (*power)(void *device, unsigned *milliwatts);
	int (*clock)(void *device, int type, unsigned *mhz);
	int (*processes)(void *device, unsigned *count, struct process *list);
} nvml;

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define NVML(member, symbol) { symbol, offsetof(__typeof__(nvml), member) }
	NVML(init, "nvmlInit_v2"),
	NVML(count, "nvmlDeviceGetCount_v2"),
	NVML(handle, "nvmlDeviceGetHandleByIndex_v2"),
	NVML(name, "nvmlDeviceGetName"),
	NVML(utilisation, "nvmlDeviceGetUtilizationRates"),
	NVML(memory, "nvmlDeviceGetMemoryInfo"),
	NVML(power, "nvmlDeviceGetPowerUsage"),
	NVML(clock, "nvmlDeviceGetClockInfo"),
	NVML(processes, "nvmlDeviceGetComputeRunningProcesses_v3"),
};

static struct {
	void *device;
	char name[96];
} gpus[GPUS];
static unsigned gpu_count;	/* set when all else is known */

static unsigned find_gpus(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	unsigned count;

	if (!library)
		return 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		*(void **)((char *)&nvml + functions[i].offset) = dlsym(library, functions[i].name);
	if (!nvml.init || !nvml.count || !nvml.handle || nvml.init() != 0 || nvml.count(&count) != 0)
		return 0;
	if (count > GPUS)
		count = GPUS;
	for (unsigned i = 0; i < count; i++) {
		if (nvml.handle(i, &gpus[i].device) != 0)
			gpus[i].device = NULL;
		else if (!nvml.name || nvml.name(gpus[i].device, gpus[i].name, sizeof(gpus[i].name)) != 0)
			gpus[i].name[0] = '\0';
	}
	return count;
}

static void *open_driver(void *unused)
{
	(void)unused;
	__atomic_store_n(&gpu_count, find_gpus(), __ATOMIC_RELEASE);
	return NULL;
}

void gpu_init(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, open_driver, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void emit_gpu(unsigned index)
{
	void *device = gpus[index].device;
	struct dlt_ev_record_gpu e = {
		.gpu = index, .name = gpus[index].name,
		.utilisation = UINT32_MAX, .power = UINT32_MAX, .clock = UINT32_MAX,	/* not known */
	};
	struct utilisation utilisation = { 0, 0 };
	struct memory memory = { 0, 0, 0 };
	unsigned value = 0;

	if (nvml.utilisation && nvml.utilisation(device, &utilisation) == 0)
		e.utilisation = utilisation.gpu;
	if (nvml.memory && nvml.memory(device, &memory) == 0) {
		e.memory = memory.total;
		e.used = memory.used;
	}
	if (nvml.power && nvml.power(device, &value) == 0)
		e.power = value;
	if (nvml.clock && nvml.clock(device, CLOCK_SM, &value) == 0)
		e.clock = value;
	sample_emit(DLT_EV_RECORD_GPU, &e);
}

static void emit_processes(unsigned index)
{
	struct process list[PROCESSES];
	unsigned count = PROCESSES;

	if (!nvml.processes || nvml.processes(gpus[index].device, &count, list) != 0)
		return;
	for (unsigned i = 0; i < count && i < PROCESSES; i++) {
		struct dlt_ev_record_gpu_process e = { .gpu = index, .pid = list[i].pid, .used = list[i].used };

		/* All ones: not available (as under Windows, or in another container). */
		if (e.used == UINT64_MAX)
			e.used = 0;
		sample_emit(DLT_EV_RECORD_GPU_PROCESS, &e);
	}
}

void gpu_tick(uint64_t now)
{
	static uint64_t next;
	unsigned count = __atomic_load_n(&gpu_count, __ATOMIC_ACQUIRE);
	uint64_t due = next;

	for (unsigned i = 0; i < count; i++) {
		if (!gpus[i].device)
			continue;
		if (sample_enabled(DLT_EV_RECORD_GPU))
			emit_gpu(i);
		if (now >= due && sample_enabled(DLT_EV_RECORD_GPU_PROCESS))
			emit_processes(i);
	}
	if (now >= due)
		next = now + SECOND;
}
