/* SPDX-License-Identifier: MIT */
/* The machine at one moment: cores, memory, run queues, and the cgroup's limits. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "emit_sample.h"
#include "proc.h"
#include "sampler.h"

#define CPUS 1024
#define EACH 500000000	/* ns; three files, in caches that are the application's */

struct cores {
	uint64_t busy[CPUS];
	uint32_t count;		/* of words in busy: the highest number + 1 */
	uint32_t online;
	uint32_t runnable;
};

static void core_line(void *data, char *text)
{
	struct cores *c = data;
	unsigned long long user, nice, system, idle, wait, irq, soft, steal;
	unsigned cpu;
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

	if (sscanf(text, "procs_running %u", &c->runnable) == 1)
		return;
	/* The line of all cores has blanks there, which %u would pass over. */
	if (strncmp(text, "cpu", 3) != 0 || text[3] < '0' || text[3] > '9')
		return;
	if (sscanf(text, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user, &nice, &system, &idle,
		   &wait, &irq, &soft, &steal) != 9 || cpu >= CPUS)
		return;
	/* Time that the hypervisor took is neither busy nor idle. */
	c->busy[cpu] = (user + nice + system + irq + soft) * tick;
	c->online++;
	if (cpu + 1 > c->count)
		c->count = cpu + 1;
}

/* ---- cgroups: version 2, and the version 1 of older machines -------------------------------- */

#define LIMITS_EACH 10000000000ull	/* ns; paths and limits are a dozen files, and hardly ever change */

struct cgroup {
	char memory[512], cpu[512];	/* folders; "" not found */
	char used_in[512];		/* the folder whose limit is the tightest, else the lowest that tells */
	bool version2;
	uint64_t limit, used, milli_cpus;	/* limits: 0 none */
	uint64_t read_at;		/* ns, when all but `used` was read; 0 never */
};

static void cgroup_line(void *data, char *text)
{
	struct cgroup *g = data;
	char *controllers = strchr(text, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return;
	*path++ = '\0';
	controllers++;
	if (*controllers == '\0' && !*g->memory) {
		g->version2 = true;
		snprintf(g->memory, sizeof(g->memory), "/sys/fs/cgroup%s", path);
		snprintf(g->cpu, sizeof(g->cpu), "/sys/fs/cgroup%s", path);
	} else if (strcmp(controllers, "memory") == 0) {
		g->version2 = false;
		snprintf(g->memory, sizeof(g->memory), "/sys/fs/cgroup/memory%s", path);
	} else if (strncmp(controllers, "cpu", 3) == 0 && !strstr(controllers, "cpuset")) {
		snprintf(g->cpu, sizeof(g->cpu), "/sys/fs/cgroup/cpu%s", path);
	}
}

/* False when the file has no number ("max") or is not there. */
static bool number_in(const char *folder, const char *file, uint64_t *value, uint64_t *second)
{
	char path[600], text[128], *end;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (proc_read(path, text, sizeof(text)) <= 0)
		return false;
	*value = strtoull(text, &end, 10);
	if (end == text)
		return false;
	if (second)
		*second = strtoull(end, NULL, 10);
	return true;
}

static const char *usage_file(const struct cgroup *g)
{
	return g->version2 ? "memory.current" : "memory.usage_in_bytes";
}

/* The tightest limit of the folder and all above it holds, for what is used there. */
static void limits_at(struct cgroup *g, const char *memory, const char *cpu)
{
	uint64_t limit = 0, quota = 0, period = 0;

	if (number_in(memory, g->version2 ? "memory.max" : "memory.limit_in_bytes", &limit, NULL) &&
	    limit < 1ull << 60 && (!g->limit || limit < g->limit)) {
		g->limit = limit;
		strcpy(g->used_in, memory);
	} else if (!*g->used_in && number_in(memory, usage_file(g), &limit, NULL)) {
		strcpy(g->used_in, memory);
	}
	if (g->version2)
		number_in(cpu, "cpu.max", &quota, &period);
	else if (number_in(cpu, "cpu.cfs_quota_us", &quota, NULL) && (int64_t)quota > 0)
		number_in(cpu, "cpu.cfs_period_us", &period, NULL);
	if (quota && period && (int64_t)quota > 0 && (!g->milli_cpus || quota * 1000 / period < g->milli_cpus))
		g->milli_cpus = quota * 1000 / period;
}

static bool up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || strlen(path) <= strlen("/sys/fs/cgroup"))
		return false;
	*slash = '\0';
	return true;
}

static void read_limits(struct cgroup *g)
{
	char memory[512], cpu[512];
	bool more_memory, more_cpu;

	proc_lines("/proc/self/cgroup", cgroup_line, g);
	strcpy(memory, g->memory);
	strcpy(cpu, g->cpu);
	/* Inside a container the path may not be visible; its own root is the limit then. */
	do {
		limits_at(g, memory, cpu);
		more_memory = up(memory);
		more_cpu = up(cpu);
	} while (more_memory || more_cpu);
}

static void read_cgroup(struct cgroup *g, uint64_t now)
{
	if (!g->read_at || now - g->read_at >= LIMITS_EACH) {
		*g = (struct cgroup){ .read_at = now };
		read_limits(g);
	}
	number_in(g->used_in, usage_file(g), &g->used, NULL);
}

void sampled_machine_tick(uint64_t now, bool always)
{
	static uint64_t last;
	struct cores cores = { .count = 0 };
	static struct cgroup cgroup;	/* only one thread samples */
	struct utsname name;
	char text[4096];
	struct dlt_ev_sample_machine e = { .time = now, .host = name.nodename, .busy = cores.busy };

	/* Ticks come at full periods, but for some delay. */
	if (!sample_enabled(DLT_EV_SAMPLE_MACHINE) || (!always && now - last < EACH - EACH / 10))
		return;
	last = now;
	if (uname(&name) < 0)
		name.nodename[0] = '\0';
	proc_lines("/proc/stat", core_line, &cores);
	proc_read("/proc/meminfo", text, sizeof(text));
	read_cgroup(&cgroup, now);
	e.cpus = cores.online;
	e.busy_count = cores.count;
	e.runnable = cores.runnable;
	e.memory = proc_value(text, "MemTotal:") << 10;
	e.available = proc_value(text, "MemAvailable:") << 10;
	e.cgroup_limit = cgroup.limit;
	e.cgroup_used = cgroup.used;
	e.cgroup_cpu = cgroup.milli_cpus;
	sample_emit(DLT_EV_SAMPLE_MACHINE, &e);
}
