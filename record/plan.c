/* SPDX-License-Identifier: MIT */
/* Levels, channels and their sizes. */
#include "plan.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "limits.h"

const char *const level_names[LEVELS] = { "summary", "calls", "full" };
const char *const gpu_names[GPUS] = { "off", "calls", "activity" };

const struct plan_event plan_events[] = {
	{ "dltrace_proc:*", LEVEL_SUMMARY, 0, GPU_OFF, false },
	{ "dltrace_sample:*", LEVEL_SUMMARY, 0, GPU_OFF, false },
	{ PLAN_NOTES, LEVEL_SUMMARY, 0, GPU_OFF, false },
	{ PLAN_OUTBOXES, LEVEL_SUMMARY, 1, GPU_OFF, false },
	{ "dltrace_heap:*", LEVEL_CALLS, 1, GPU_OFF, false },
	{ "dltrace_map:*", LEVEL_CALLS, 1, GPU_OFF, false },
	{ "dltrace_file:*", LEVEL_CALLS, 1, GPU_OFF, false },
	{ "dltrace_cuda:*", LEVEL_CALLS, 1, GPU_CALLS, false },
	{ "dltrace_cpu:*", LEVEL_CALLS, 1, GPU_OFF, false },
	{ "dltrace_mark:*", LEVEL_CALLS, 1, GPU_OFF, false },
	{ "dltrace_comm:*", LEVEL_CALLS, 1, GPU_OFF, false },
	{ PLAN_BATCHES, LEVEL_CALLS, 1, GPU_OFF, false },
	{ "dltrace_gpu:*", LEVEL_CALLS, 1, GPU_ACTIVITY, false },
	{ "dltracefull_heap:*", LEVEL_FULL, 1, GPU_OFF, false },
	{ "dltracefull_stack:*", LEVEL_CALLS, 1, GPU_OFF, true },
};

const size_t plan_event_count = sizeof(plan_events) / sizeof(*plan_events);

/*
 * What the channel of calls would like to have for each CPU: a burst of a million events a second
 * (about 40 MB/s) must survive some 50 ms in which the consumer daemon does not run, and what all processes
 * have put into their outboxes meanwhile goes through one CPU's. With --in-process more costs each
 * process 0.1 ms per MiB at its start, since LTTng maps buffers populated.
 */
static const uint64_t wanted[LEVELS] = { 64 << 10, 1 << 20, 4 << 20 };

/*
 * How often what is in the buffers is written, in us. Each time each CPU's packet is filled up to a
 * page: each second that would be 14 MB an hour, most of what summary would need.
 */
static const unsigned flush[LEVELS] = { 10000000, 1000000, 1000000 };

#define STATE_SUBBUF	(128 << 10)
#define SMALLEST	(4 << 10)
#define SUBBUFS		4
#define IN_SHM		4	/* buffers take at most so much of what is free: a quarter of /dev/shm ... */
#define ON_DISK		8	/* ... and an eighth of the disk */
#define THREADS		128	/* that must be allowed besides: LTTng's daemons have 30, and the command its own */
#define NO_MATTER	16384	/* a limit from that on is not a tight one */
#define TWO_CHANNELS	32	/* CPUs up to which names get a channel of their own */

static int find_word(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -EINVAL;
}

int level_parse(const char *name)
{
	return find_word(name, level_names, LEVELS);
}

int gpu_parse(const char *name)
{
	return find_word(name, gpu_names, GPUS);
}

bool plan_wants(const struct plan *p, const struct plan_event *event, enum level level)
{
	return event->from <= level && event->gpu <= p->gpu && (!event->stacks || p->stacks);
}

bool plan_is_recorder_s(const struct plan_event *event)
{
	return strcmp(event->pattern, PLAN_NOTES) == 0 || strcmp(event->pattern, PLAN_OUTBOXES) == 0;
}

uint64_t plan_memory(const struct plan *p, unsigned cpus)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->count; i++)
		sum += (p->channels[i].subbufs + 1) * p->channels[i].subbuf_size * cpus;
	return sum;
}

static void choose(struct plan *p, enum level level, unsigned cpus)
{
	*p = (struct plan){
		.count = level > LEVEL_SUMMARY && cpus <= TWO_CHANNELS ? 2 : 1,
		.channels = {
			{ "dltrace", STATE_SUBBUF, SUBBUFS, flush[level] },
			{ "dltrace-calls", wanted[level], SUBBUFS, flush[level] },
		},
	};
	if (p->count == 1)
		p->channels[0].subbuf_size = wanted[level];
}

/* The largest buffer is halved first, so that names and samples keep their place longest. */
static bool halve(struct plan *p)
{
	struct plan_channel *largest = &p->channels[0];

	for (unsigned i = 1; i < p->count; i++)
		if (p->channels[i].subbuf_size >= largest->subbuf_size)
			largest = &p->channels[i];
	if (largest->subbuf_size <= SMALLEST)
		return false;
	largest->subbuf_size /= 2;
	return true;
}

/* In every process that gives its events to LTTng. */
static uint64_t descriptors_of(const struct plan *p, unsigned cpus)
{
	return 7 + p->count * (2ULL * cpus + 1);
}

enum level plan_level(enum level level, const struct plan_machine *m)
{
	return m->disk_free && m->disk_free < PLAN_EVENTS_ROOM ? LEVEL_SUMMARY : level;
}

int plan_make(struct plan *p, enum level level, const struct plan_machine *m)
{
	uint64_t budget = m->shm_free / IN_SHM;

	if (m->crowded)
		return -EAGAIN;
	if (m->shm_closed)
		return -EROFS;
	if (m->too_tight)
		return -EDQUOT;

	/* 512 MiB are enough for anybody: 128 CPUs at `calls` with a sub-buffer of 512 KiB. */
	if (budget > 512u << 20)
		budget = 512u << 20;
	/* What is in the buffers must fit on the disk when that is full. */
	if (m->disk_free && budget > m->disk_free / ON_DISK)
		budget = m->disk_free / ON_DISK;
	choose(p, level, m->cpus);
	if (descriptors_of(p, m->cpus) > m->descriptors / 4)
		p->count = 1;
	if (descriptors_of(p, m->cpus) > m->descriptors / 2)
		return -EMFILE;
	while (plan_memory(p, m->cpus) > budget)
		if (!halve(p))
			return -ENOSPC;
	return 0;
}

void plan_explain(int err, const struct plan_machine *m, char *why, size_t size)
{
	if (err == -EROFS)
		snprintf(why, size, "/dev/shm, where LTTng has its buffers, cannot be written");
	else if (err == -ENOSPC && m->disk_free && m->disk_free / ON_DISK < m->shm_free / IN_SHM)
		snprintf(why, size, "too little room for the trace (%" PRIu64 " KiB free)", m->disk_free >> 10);
	else if (err == -ENOSPC)
		snprintf(why, size, "too little room in /dev/shm (%" PRIu64 " KiB free)", m->shm_free >> 10);
	else if (err == -EAGAIN)
		snprintf(why, size, "too few processes are allowed (ulimit -u): LTTng's daemons would take them from "
			 "the command");
	else if (err == -EDQUOT)
		snprintf(why, size, "%s", m->too_tight);
	else
		snprintf(why, size, "too few file descriptors for this many CPUs (ulimit -n)");
}

unsigned plan_channel_of(const struct plan *p, const struct plan_event *event)
{
	return event->channel < p->count ? event->channel : 0;
}

/* "0-7" or "0-3,8-11": the highest number counts, as LTTng counts. */
static unsigned possible_cpus(void)
{
	unsigned last = 0, number;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");

	if (f) {
		while (fscanf(f, "%u%*[-,]", &number) == 1)
			last = number;
		fclose(f);
	}
	if (last)
		return last + 1;
	return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

/* The user's, as the limit counts them: those that /proc shows here. */
static uint64_t threads_of(uid_t user)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	uint64_t count = 0;

	while (processes && (entry = readdir(processes))) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%.20s/task", entry->d_name);
		if (*entry->d_name > '0' && *entry->d_name <= '9' && stat(path, &st) == 0 && st.st_uid == user)
			count += st.st_nlink - 2;
	}
	if (processes)
		closedir(processes);
	return count;
}

void plan_read_machine(struct plan_machine *m, const char *output, bool in_process)
{
	struct statvfs shm, disk;
	struct rlimit files, threads;

	m->cpus = possible_cpus();
	m->shm_free = statvfs("/dev/shm", &shm) == 0 ? (uint64_t)shm.f_bavail * shm.f_frsize : 0;
	m->shm_closed = access("/dev/shm", W_OK | X_OK) < 0;
	/* Root is not held to it. */
	m->crowded = getuid() && getrlimit(RLIMIT_NPROC, &threads) == 0 && threads.rlim_cur < NO_MATTER &&
		     threads_of(getuid()) + THREADS > threads.rlim_cur;
	m->disk_free = *output && statvfs(output, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : 0;
	m->descriptors = 1024;
	m->too_tight = limits_too_tight();
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		m->descriptors = in_process ? files.rlim_cur : files.rlim_max;
	if (m->descriptors > 1 << 20)
		m->descriptors = 1 << 20;
}
