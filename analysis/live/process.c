/* SPDX-License-Identifier: MIT */
/* One process that is recorded: its black box and /proc. */
#include "analysis/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory_kinds.h"
#include "analysis/frameworks.h"
#include "analysis/model/memory.h"
#include "sampler/proc.h"
#include "sampler/ticks.h"

#define BOX_LEAST	4096
#define BOX_MOST	(64 << 20)
#define LOOK_AGAIN	10000000000ull	/* ns between looks for a framework's libraries */

/* ---- reading what may be cut under our hands ---- */

static sigjmp_buf bus_error;
static volatile sig_atomic_t reading;

static void on_bus_error(int number)
{
	if (reading)
		siglongjmp(bus_error, 1);
	signal(number, SIG_DFL);
	raise(number);
}

static bool guarded(struct live_process *p, void (*read)(struct live_process *p, void *data), void *data)
{
	struct sigaction action = { .sa_handler = on_bus_error, .sa_flags = SA_NODEFER };

	sigaction(SIGBUS, &action, NULL);
	if (sigsetjmp(bus_error, 1)) {
		reading = 0;
		p->broken = true;
		return false;
	}
	reading = 1;
	read(p, data);
	reading = 0;
	return true;
}

/* ---- the box ---- */

static void *map_box(int folder, const char *file, size_t *size, enum live_refusal *why)
{
	int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	void *box = MAP_FAILED;
	struct stat st;

	*why = fd < 0 && errno == EACCES ? LIVE_PERMISSION : LIVE_NO_BOX;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= BOX_LEAST && st.st_size <= BOX_MOST) {
		*size = (size_t)st.st_size;
		box = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
	}
	close(fd);
	return box == MAP_FAILED ? NULL : box;
}

static void read_identity(struct live_process *p, void *data)
{
	const struct dlt_box_header *h = p->box;

	*(bool *)data = box_view_init(&p->view, p->box, p->size);
	if (!*(bool *)data)
		return;
	p->id = box_value(h->process);
	p->parent = box_value(h->parent);
	p->rank = box_value(h->rank);
	p->pid = proc_number_here(box_value(h->pid_namespace), p->inner);
}

static void unmap(struct live_process *p)
{
	if (p->box)
		munmap(p->box, p->size);
	p->box = NULL;
}

struct live_process *live_process_new(int folder, const char *file, enum live_refusal *why)
{
	pid_t pid = box_view_pid(file);
	struct live_process *p;
	bool is_box = false;

	*why = LIVE_NO_BOX;
	if (!pid)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->inner = pid;
	p->framework = "";
	snprintf(p->file, sizeof(p->file), "%s", file);
	p->box = map_box(folder, file, &p->size, why);
	if (p->box && guarded(p, read_identity, &is_box) && !is_box)
		*why = LIVE_VERSION;
	if (!is_box) {
		live_process_free(p);
		return NULL;
	}
	p->now = xcalloc(DLT_FNS, sizeof(*p->now));
	p->before = xcalloc(DLT_FNS, sizeof(*p->before));
	return p;
}

void live_process_free(struct live_process *p)
{
	if (!p)
		return;
	unmap(p);
	free(p->now);
	free(p->before);
	period_release(&p->period);
	free(p);
}

/* ---- functions ---- */

static void add_sums(struct live_function *f, const struct dlt_box_sums *s)
{
	f->calls += box_value(s->calls);
	f->failed += box_value(s->failed);
	f->time += box_value(s->outer_total);
}

/* Totals that found no room for a thread's own: a hole of the file may not be touched. */
static void read_late(struct live_process *p)
{
	const struct dlt_box_late *late;

	for (size_t i = 1; (late = box_view_late(&p->view, &i)) && i < DLT_FNS; i++)
		add_sums(&p->now[i], &late->sums);
}

static void read_functions(struct live_process *p)
{
	size_t count = box_view_totals(&p->view);
	struct live_function *old = p->before;

	p->before = p->now;
	p->now = old;
	memset(p->now, 0, DLT_FNS * sizeof(*p->now));
	for (size_t i = 0; i < count; i++) {
		uint32_t function = box_value(p->view.totals[i].key) >> 16;

		if (function && function < DLT_FNS)
			add_sums(&p->now[function], &p->view.totals[i].sums);
	}
	read_late(p);
}

/* ---- memory ---- */

static int64_t live_heap(struct live_process *p, struct box_heap *h)
{
	box_view_heap(&p->view, h);
	return (int64_t)(box_value(p->view.header->inherited.bytes) + h->allocated.bytes - h->freed.bytes);
}

static int64_t live_gpu(const struct live_process *p)
{
	size_t rows = box_view_memory(&p->view);
	int64_t sum = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t key = __atomic_load_n(&p->view.memory[i].key, __ATOMIC_ACQUIRE);

		if (key && (key >> 24 & 255) == DLT_MEMORY_GPU)
			sum += dlt_box_memory_live(&p->view.memory[i]);
	}
	return sum;
}

static double rate(uint64_t now, uint64_t before, uint64_t elapsed)
{
	return elapsed && now > before ? (double)(now - before) * 1e9 / (double)elapsed : 0;
}

static void read_box(struct live_process *p, void *data)
{
	const struct dlt_box_header *h = p->view.header;
	uint64_t elapsed = *(uint64_t *)data, allocations = p->allocations, events = p->events;
	struct box_heap heap;
	int64_t published;

	p->state = box_value(h->state);
	p->exit_code = box_value(h->exit_code);
	p->heap_known = box_value(h->heap) == DLT_HEAP_EXACT;
	p->heap = live_heap(p, &heap);
	p->own = (int64_t)(heap.allocated.bytes - heap.freed.bytes);
	published = box_value(h->heap_published.peak);
	p->peak = published > p->peak ? published : p->peak;
	p->peak = p->heap > p->peak ? p->heap : p->peak;
	p->allocations = heap.allocated.count;
	p->events = heap.events;
	p->allocations_rate = rate(p->allocations, allocations, elapsed);
	p->events_rate = rate(p->events, events, elapsed);
	p->gpu = live_gpu(p);
	read_functions(p);
	if (!elapsed)
		memcpy(p->before, p->now, DLT_FNS * sizeof(*p->now));
}

static void read_heap(struct live_process *p, void *data)
{
	struct live_heap *now = data;
	struct box_heap heap;

	now->live = live_heap(p, &heap);
	now->allocations = heap.allocated.count;
}

bool live_process_heap(struct live_process *p, struct live_heap *now)
{
	return p->box && guarded(p, read_heap, now);
}

/* ---- /proc ---- */

static void find_framework(void *data, char *line)
{
	struct live_process *p = data;
	const char *path = strchr(line, '/');
	const struct framework_rule *rule;

	if (!path || (*p->framework && strcmp(p->framework, "")))
		return;
	line[strcspn(line, "\n")] = '\0';
	rule = strstr(path, ".so") ? library_framework(path) : NULL;
	if (rule && !strcmp(rule->role, "engine"))
		p->framework = rule->name;
}

static void look_for_framework(struct live_process *p, uint64_t now)
{
	char path[64];

	if (*p->framework || (p->looked && now - p->looked < LOOK_AGAIN))
		return;
	p->looked = now;
	proc_path(p->pid, p->thread, "maps", path, sizeof(path));
	proc_lines(path, find_framework, p);
}

/* False: this process is not there any more; its pid may be another's by now. */
static bool read_proc(struct live_process *p, uint64_t now, uint64_t elapsed)
{
	struct proc_status status = { .rss_anon = 0 };
	struct proc_file file = { .kept = 0 };
	struct proc_stat stat;
	uint64_t cpu = p->cpu;
	uint32_t helpers;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)p->pid);
	if (!proc_read_stat(path, &stat) || proc_has_ended(&stat) || stat.start > box_value(p->view.header->boottime))
		return false;
	snprintf(p->name, sizeof(p->name), "%s", stat.name);
	p->cpu = stat.user + stat.system;
	p->cores = elapsed && p->cpu > cpu ? (double)(p->cpu - cpu) / (double)elapsed : 0;
	helpers = box_value(p->view.header->helpers);
	p->threads = stat.threads > helpers ? stat.threads - helpers : 1;
	if (proc_read_process(&file, p->pid, &p->thread, &status))
		p->rss = status.rss_anon + status.rss_file + status.rss_shmem;
	proc_file_close(&file);
	look_for_framework(p, now);
	return true;
}

struct reading {
	uint64_t now, elapsed;
	bool alive;
};

static void read_all(struct live_process *p, void *data)
{
	struct reading *r = data;

	r->alive = read_proc(p, r->now, r->elapsed);
	read_box(p, &r->elapsed);
}

bool live_process_read(struct live_process *p, uint64_t now, uint64_t elapsed)
{
	struct reading r = { now, elapsed, false };

	if (p->ended || !p->box)
		return false;
	if (!guarded(p, read_all, &r) || !r.alive) {
		p->ended = true;
		p->ended_at = now;
		p->cores = p->allocations_rate = p->events_rate = 0;
		unmap(p);
		return false;
	}
	return true;
}

/* ---- calls in flight ---- */

struct looking {
	uint64_t now, least;
	struct live_call *calls;
	size_t *count, max;
};

/* Longest first; the shortest falls out. */
static void insert(struct looking *l, const struct live_call *call)
{
	size_t at = *l->count;

	while (at && l->calls[at - 1].lasts < call->lasts)
		at--;
	if (at == l->max)
		return;
	if (*l->count < l->max)
		++*l->count;
	memmove(&l->calls[at + 1], &l->calls[at], (*l->count - at - 1) * sizeof(*call));
	l->calls[at] = *call;
}

static void read_calls(struct live_process *p, void *data)
{
	struct looking *l = data;
	size_t slots = box_view_slots(&p->view);
	bool ticks = box_value(p->view.header->clock_is_tsc);

	for (size_t i = 1; i < slots; i++) {
		const struct dlt_box_slot *slot = &p->view.slots[i];
		uint16_t function = (uint16_t)__atomic_load_n(&slot->call, __ATOMIC_ACQUIRE);
		uint64_t since = __atomic_load_n(&slot->since, __ATOMIC_ACQUIRE);
		struct live_call call = { .pid = p->pid, .tid = box_value(slot->tid), .function = function };

		/* Has it ended meanwhile? Then `since` may be the next one's. */
		if (!function || function >= DLT_FNS || !box_value(slot->thread) || box_value(slot->helper) ||
		    (uint16_t)box_value(slot->call) != function)
			continue;
		if (since < DLT_BOX_UNTIMED)	/* no time: one of those that are not timed */
			continue;
		since = ticks ? ticks_to_ns(since) : since;
		if (since > l->now || l->now - since < l->least)
			continue;
		call.lasts = l->now - since;
		insert(l, &call);
	}
}

void live_process_calls(struct live_process *p, uint64_t now, uint64_t least, struct live_call *calls,
			size_t *count, size_t max)
{
	struct looking l = { now, least, calls, count, max };

	if (p->box)
		guarded(p, read_calls, &l);
}
