/* SPDX-License-Identifier: MIT */
/* One sampled process: what a tick does. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emit_sample.h"
#include "sampled.h"
#include "ticks.h"

#define SECOND		1000000000ull
#define SHORT		(10 * SECOND)
#define LONG		(60 * SECOND)
#define FULL		(300 * SECOND)
#define PSS_BIGGEST	(2ull << 30)	/* bytes; reading takes 12 ms per GiB, and mmap waits for it */
#define PSS_SHARE	200		/* at most 1/200 of the time ... */
#define PSS_ALL_SHARE	100		/* and of all processes together at most 1/100 of the machine's time ... */
#define PSS_CREDIT	(10 * SECOND)	/* ... of so long: after a fork several readings follow each other */
#define PSS_FIRST	(SECOND / 10)	/* pause after the first reading */
#define LONGEST_PAUSE	(SECOND / 10)
#define SHORTEST_PAUSE	(SECOND / 200)
#define SHMEM_STEP	(256u << 10)	/* bytes that RssShmem grows before somebody looks whose they are */
#define PORTION_BYTES	(256u << 10)
#define REASON_FORK	1		/* as in dltrace_proc:process */

/* Without the mapping's untouched parts it takes some 20 KiB. */
struct sampled_process *sampled_process_new(pid_t pid, const void *box, size_t size,
					    enum sampled_access access)
{
	struct box_view view;
	struct sampled_process *p;

	if (!box_view_init(&view, box, size))
		return NULL;
	p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	ticks_init();
	p->box = view;
	p->box_size = size;
	p->pid = pid;
	p->inner = (pid_t)box_value(view.header->pid);
	p->access = access;
	p->again = true;
	if (access == SAMPLED_TAKES)
		outbox_enter(p);
	return p;
}

void sampled_process_free(struct sampled_process *p)
{
	if (!p)
		return;
	outbox_leave(p);
	proc_file_close(&p->stat_file);
	proc_file_close(&p->status_file);
	munmap(p, sizeof(*p));
}

void sampled_process_again(struct sampled_process *p)
{
	p->again = true;
}

void sampled_process_state(const struct sampled_process *p, struct sampled_state *s)
{
	const struct dlt_box_header *h = p->box.header;
	const struct dlt_box_outbox *o = box_view_outbox(&p->box);

	*s = (struct sampled_state){
		.process = box_value(h->process), .parent = box_value(h->parent), .pid = box_value(h->pid),
		.threads = p->threads, .events = p->heap.events, .rss_anon = p->status.rss_anon,
		.lost = o ? box_value(o->lost) : 0,
		.live = box_value(h->inherited.bytes) + p->heap.allocated.bytes - p->heap.freed.bytes,
	};
	snprintf(s->name, sizeof(s->name), "%s", p->stat.name);
}

size_t sampled_process_calls(const struct sampled_process *p, uint64_t now, uint64_t least,
			     struct sampled_call *calls, size_t max)
{
	size_t slots = box_view_slots(&p->box), count = 0;

	for (size_t i = 1; i < slots && count < max; i++) {
		struct sampled_call call = threads_call(p, &p->box.slots[i]);

		if (call.thread && call.function && call.since && now > call.since && now - call.since >= least)
			calls[count++] = call;
	}
	return count;
}

/* ---- /proc --------------------------------------------------------------------------------- */

/* What does not change, but by exec, which makes a new box. */
static void read_identity(struct sampled_process *p)
{
	char path[64];
	long n;

	proc_path(p->pid, p->thread, "exe", path, sizeof(path));
	if (proc_link(path, p->exe, sizeof(p->exe)) <= 0 && proc_find_thread(p->pid, &p->thread)) {
		proc_path(p->pid, p->thread, "exe", path, sizeof(path));
		proc_link(path, p->exe, sizeof(p->exe));
	}
	proc_path(p->pid, p->thread, "cwd", path, sizeof(path));
	proc_link(path, p->folder, sizeof(p->folder));
	proc_path(p->pid, p->thread, "cmdline", path, sizeof(path));
	n = proc_read(path, p->command, sizeof(p->command));
	while (n > 0 && p->command[n - 1] == '\0')
		n--;
	for (long i = 0; i < n; i++)
		if (p->command[i] == '\0')
			p->command[i] = 0x1f;
}

/* Processes that came or went and shared pages, so far. */
static uint32_t changes;

/* It has forked, or was forked: somebody has the same pages. */
static bool shares_pages(const struct sampled_process *p)
{
	const struct dlt_box_header *h = p->box.header;

	return box_value(h->forks) || (box_value(h->reason) == REASON_FORK && box_value(h->parent));
}

/* It changes how many have a page: the reading before is of no use. A child may go unsampled: forks count, too. */
static void look_for_change(struct sampled_process *p)
{
	uint32_t forks = box_value(p->box.header->forks);

	if (forks == p->forks && changes == p->changes)
		return;
	p->forks = forks;
	p->changes = changes;
	p->pss_pause = p->next_pss = 0;
	p->is_alone = false;
}

/* Bytes of shared memory, LTTng's and ours left out; of less than SHMEM_STEP nobody has looked whose they are. */
static uint64_t shared_memory(const struct sampled_process *p)
{
	return p->status.rss_shmem > p->own_shmem ? p->status.rss_shmem - p->own_shmem : 0;
}

/* Of anonymous and shared memory, less our own part of the latter. */
static uint64_t pss_of(const struct sampled_process *p, const char *text)
{
	uint64_t shmem = proc_value(text, "Pss_Shmem:") << 10, all = p->status.rss_shmem;

	return (proc_value(text, "Pss_Anon:") << 10) +
	       (all ? (uint64_t)((unsigned __int128)shmem * shared_memory(p) / all) : 0);
}

/* ns of the calling thread's: on a busy machine much of a reading is waiting for a turn. */
static uint64_t cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static uint64_t cpus(void)
{
	static long count;

	if (!count)
		count = sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (uint64_t)count : 1;
}

/* A share of the time is used up until *paid; of what was not used, that of PSS_CREDIT is left. */
static void pay(uint64_t *paid, uint64_t now, uint64_t time)
{
	if (*paid + PSS_CREDIT < now)
		*paid = now - PSS_CREDIT;
	*paid += time;
}

/*
 * Pages part while parent and child write: after a fork it is read at the next tick, then after
 * pauses that double up to a second, but never for more than its share of the time, and theirs
 * together: where a child is forked for each image, those that find nothing left go without. Once the children
 * have become other programs or ended, nothing parts any more: no reading until the next fork.
 */
static void read_pss(struct sampled_process *p)
{
	static uint64_t all_paid;
	uint64_t begin = ticks_monotonic(), cost;
	char path[64], text[2048];

	p->pss = 0;
	look_for_change(p);
	if (!shares_pages(p) || (p->is_alone && shared_memory(p) <= SHMEM_STEP) ||
	    begin < p->next_pss || begin < p->pss_paid || begin < all_paid ||
	    p->status.rss_anon + p->status.rss_shmem > PSS_BIGGEST)
		return;
	cost = cpu_time();
	proc_path(p->pid, p->thread, "smaps_rollup", path, sizeof(path));
	if (proc_read(path, text, sizeof(text)) > 0) {
		p->pss = pss_of(p, text);
		p->is_alone = proc_value(text, "Pss_Anon:") >= proc_value(text, "Anonymous:");
	}
	cost = cpu_time() - cost;
	pay(&p->pss_paid, begin, cost * PSS_SHARE);
	pay(&all_paid, begin, cost * PSS_ALL_SHARE / cpus());
	p->pss_pause = p->pss_pause ? 2 * p->pss_pause : PSS_FIRST;
	if (p->pss_pause > SECOND)
		p->pss_pause = SECOND;
	p->next_pss = begin + p->pss_pause;
}

/* Files are most of what a tick costs, in caches that are the application's: of our own, system calls. */
static void read_stat(struct sampled_process *p)
{
	if (p->access == SAMPLED_OWN)
		proc_own_stat(&p->stat);
	else
		proc_read_stat_again(&p->stat_file, p->pid, &p->stat);
}

static void read_io(struct sampled_process *p, uint64_t now)
{
	char path[64];

	p->last_io = now;
	proc_path(p->pid, 0, "io", path, sizeof(path));
	proc_read_io(path, &p->io);
}

static void take_larger(uint64_t *known, uint64_t said)
{
	if (said > *known)
		*known = said;
}

/* What it has read and written since its last reading: nobody has waited for it yet. */
static void read_last_io(struct sampled_process *p)
{
	struct proc_io last = p->io;
	char path[64];

	proc_path(p->pid, 0, "io", path, sizeof(path));
	if (!proc_read_io(path, &last))
		return;
	take_larger(&p->io.read_bytes, last.read_bytes);
	take_larger(&p->io.write_bytes, last.write_bytes);
}

/* What the process has said itself at its end, and what the kernel says of it if it still does. */
static void read_usage(struct sampled_process *p)
{
	const struct dlt_box_header *h = p->box.header;

	take_larger(&p->stat.user, box_value(h->usage.user));
	take_larger(&p->stat.system, box_value(h->usage.system));
	take_larger(&p->stat.minor_faults, box_value(h->usage.minor_faults));
	take_larger(&p->stat.major_faults, box_value(h->usage.major_faults));
	take_larger(&p->voluntary, box_value(h->usage.voluntary));
	take_larger(&p->involuntary, box_value(h->usage.involuntary));
	take_larger(&p->status.rss_most, box_value(h->usage.rss_most));
	take_larger(&p->io.read_bytes, box_value(h->usage.read_bytes));
	take_larger(&p->io.write_bytes, box_value(h->usage.write_bytes));
	/* By exec it is another program by now, whose is what the kernel says. */
	if (p->pid && box_value(h->state) != DLT_BOX_EXEC && proc_read_end(p->pid, box_value(h->boottime), &p->stat))
		read_last_io(p);
}

/* all: of all threads, else of those whose turn it is. */
static void read_proc(struct sampled_process *p, uint64_t now, bool all)
{
	read_stat(p);
	/* It has given back its memory, it is ending: the last that was seen stays. */
	if (!proc_read_process(&p->status_file, p->pid, &p->thread, &p->status))
		return;
	if (all || now - p->last_io >= SAMPLED_EACH - SAMPLED_EACH / 10)
		read_io(p, now);
	threads_read(p, now, all);
	if (p->access == SAMPLED_OWN)
		proc_own_switches(&p->voluntary, &p->involuntary);
	read_pss(p);
}

/* ---- the tick ------------------------------------------------------------------------------ */

/* An unpublished rest of up to the step in each thread; ended ones have published theirs. */
static uint64_t peak_error(const struct sampled_process *p)
{
	size_t slots = box_view_slots(&p->box);
	uint64_t threads = 1;	/* the late slot's */

	for (size_t i = 1; i < slots; i++)
		threads += box_value(p->box.slots[i].thread) != 0;
	return threads * DLT_BOX_PEAK_STEP;
}

static uint64_t peak(struct sampled_process *p)
{
	const struct dlt_box_header *h = p->box.header;
	int64_t published = box_value(h->heap_published.peak);
	uint64_t live = box_value(h->inherited.bytes) + p->heap.allocated.bytes - p->heap.freed.bytes;

	if ((int64_t)live > 0 && live > p->peak)
		p->peak = live;
	if (published > 0 && (uint64_t)published > p->peak)
		p->peak = (uint64_t)published;
	return p->peak;
}

static void emit_process(struct sampled_process *p, uint64_t now, bool due, bool final)
{
	uint64_t memory[DLT_BOX_MEMORY * DLT_BOX_MEMORY_WORDS];
	const struct dlt_box_header *h = p->box.header;
	const struct proc_status *s = &p->status;
	struct dlt_ev_sample_process e = {
		.process = box_value(h->process), .final = final, .time = now,
		.tsc = box_value(h->clock_is_tsc) ? ticks_from_ns(now) : 0, .threads = p->threads,
		.user = p->stat.user, .system = p->stat.system, .rss_anon = s->rss_anon,
		.rss_file = s->rss_file,
		.rss_shmem = shared_memory(p),
		.pss = p->pss, .rss_most = s->rss_most,
		.minor_faults = p->stat.minor_faults, .major_faults = p->stat.major_faults,
		.voluntary = p->voluntary, .involuntary = p->involuntary, .read_bytes = p->io.read_bytes,
		.write_bytes = p->io.write_bytes, .allocated = p->heap.allocated.bytes,
		.freed = p->heap.freed.bytes, .allocations = p->heap.allocated.count,
		.frees = p->heap.freed.count, .failed_allocations = box_value(h->heap_published.failed),
		.heap_peak = peak(p), .peak_error = peak_error(p),
		.mapped = box_value(h->mapped.bytes), .gpu_memory = memory, .events = p->heap.events,
	};

	e.gpu_memory_count = memory_read(p, memory, due);
	outbox_pass_on(p, false);
	/* It was ending or gone when it was first looked at: that is no reading, and the last one follows. */
	if (final || p->threads)
		sample_emit(DLT_EV_SAMPLE_PROCESS, &e);
}

/* True when everything must be said: at first sight, and when a session has just begun. */
static bool is_news(struct sampled_process *p)
{
	bool enabled = sample_enabled(DLT_EV_PROC_PROCESS), news = enabled && (!p->was_enabled || p->again);

	p->was_enabled = enabled;
	if (enabled)
		p->again = false;
	return news;
}

static void announce_if_due(struct sampled_process *p, uint64_t now, bool gone)
{
	bool news = is_news(p);

	if (!p->was_enabled)
		return;
	if (gone)
		announce_missed(p);
	if (news)
		p->last_buckets = 0;
	if (news || now - p->last_full >= FULL)
		announce(p, now, ANNOUNCE_ALL, gone);
	else if (now - p->last_long >= LONG || (p->was_sparse && !sampler_is_sparse()))
		announce(p, now, ANNOUNCE_LONG, gone);
	else if (now - p->last_short >= SHORT)
		announce(p, now, ANNOUNCE_SHORT, gone);
	else if (!gone && p->pid && (p->status.libraries != p->scanned_libraries ||
				      p->status.rss_shmem > p->scanned_shmem + SHMEM_STEP))
		libraries_scan(p, false);
	p->was_sparse = sampler_is_sparse();
}

/* Distributions are most of the bytes: where all is sparse they come every minute. */
static void emit_functions(struct sampled_process *p, uint64_t now, bool final)
{
	bool buckets = now - p->last_buckets >= LONG || !sampler_is_sparse();

	p->last_functions = now;
	if (buckets)
		p->last_buckets = now;
	functions_emit(p, buckets, final);
}

void sampled_process_tick(struct sampled_process *p, uint64_t now, bool final)
{
	/* What is only counted is said at its beginning, every ten seconds, and at its end. */
	bool due = now - p->last_functions >= SHORT || final || p->again;
	/* /proc has nothing left; our own process waits for us. */
	bool gone = final && p->access != SAMPLED_OWN;

	p->tick++;
	p->outbox_passed = 0;
	if (box_value(p->box.header->counted) && !due)
		return;
	/* One that has replaced itself has another's, and no box yet, or never. */
	if (!p->exe[0] && p->pid && !gone && box_value(p->box.header->state) != DLT_BOX_EXEC)
		read_identity(p);
	rings_harvest(p, now, final ? HARVEST_FINAL : HARVEST_IDLE);
	box_view_heap(&p->box, &p->heap);
	if ((final || p->tick == 1) && shares_pages(p))
		changes++;
	if (p->pid && !gone)
		read_proc(p, now, final || p->tick == 1);
	if (gone)
		read_usage(p);
	announce_if_due(p, now, gone);
	if (p->was_enabled) {
		announce_new_threads(p, gone);
		announce_libraries(p, true);
	}
	threads_emit(p, now, due || !sampler_is_sparse(), final);
	if (due)
		emit_functions(p, now, final);
	emit_process(p, now, due, final);
}

uint64_t sampled_pass_on_pause(uint64_t now)
{
	static uint64_t before, last;
	uint64_t bytes = outbox_bytes() - before, passed = now - last, pause = LONGEST_PAUSE;

	before += bytes;
	last = now;
	if (bytes && passed < SECOND)
		pause = passed * PORTION_BYTES / bytes;
	return pause < SHORTEST_PAUSE ? SHORTEST_PAUSE : pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
}

bool sampled_process_other_broke(const struct sampled_process *p)
{
	struct sampled_process *broken = outbox_reading();

	if (!broken)
		return false;
	outbox_leave(broken);
	return broken != p;
}

void sampled_process_pass_on(struct sampled_process *p)
{
	outbox_pass_on(p, false);
}

void sampled_process_leave(struct sampled_process *p, uint64_t now)
{
	rings_harvest(p, now, HARVEST_LEAVE);
	box_view_heap(&p->box, &p->heap);
	threads_emit(p, now, true, true);
	functions_emit(p, true, true);
	emit_process(p, now, true, false);
	outbox_give_up(p);
}
