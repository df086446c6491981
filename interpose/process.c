/* SPDX-License-Identifier: MIT */
/* The process's identity: from its environment, its own id, its announcement; anew after a fork. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "config.h"

#include "box_private.h"
#include "children.h"
#include "clock.h"
#include "emit.h"
#include "fork.h"
#include "init.h"
#include "log.h"
#include "objects.h"
#include "outbox.h"
#include "stack_places.h"
#include "sys.h"
#include "thread.h"
#include "tracepoints/units.h"

#define DEFAULT_THRESHOLD (64 * 1024)

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

extern void *__libc_stack_end;

struct dlt_process dlt_process = { .heap = DLT_HEAP_UNKNOWN };

static bool wiped;		/* dlt_alive is, in each child */
static char **first_argv, **first_envp;
static char box_folder[256];	/* a copy: programs overwrite their environment (setproctitle) */

/* The kernel's layout: argc, arguments, NULL, environment, NULL. */
static void find_stack(void)
{
	long *end = __libc_stack_end;
	long argc = *end;

	first_argv = (char **)(end + 1);
	if (argc < 0 || argc > 1 << 22 || first_argv[argc]) {
		first_argv = NULL;
		first_envp = environ;
		return;
	}
	first_envp = first_argv + argc + 1;
}

uintptr_t dlt_process_stack_end(void)
{
	return dlt_sys(SYS_gettid, 0, 0, 0, 0, 0) == dlt_process.pid ? (uintptr_t)__libc_stack_end : 0;
}

const char *dlt_process_env(const char *name)
{
	size_t length = strlen(name);

	for (char **e = first_envp; e && *e; e++)
		if (**e == *name && strncmp(*e, name, length) == 0 && (*e)[length] == '=')
			return *e + length + 1;
	return NULL;
}

const char *dlt_process_boxes(void)
{
	return box_folder;
}

static const char *env_or_empty(const char *name)
{
	const char *value = dlt_process_env(name);

	return value ? value : "";
}

static uint64_t parse_hex(const char *text)
{
	uint64_t n = 0;

	for (; *text; text++) {
		char c = *text | 0x20;

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (uint64_t)(c - 'a' + 10);
	}
	return n;
}

static void read_settings(void)
{
	const char *folder = env_or_empty("DLTRACE_BOX");

	dlt_log_init(dlt_process_env("DLTRACE_DEBUG"));
	dlt_process.off = strcmp(env_or_empty("DLTRACE"), "off") == 0;
	dlt_process.recording = parse_hex(env_or_empty("DLTRACE_RECORDING"));
	dlt_process.threshold = dlt_units_bytes(env_or_empty("DLTRACE_THRESHOLD"));
	dlt_process.rank = dlt_rank_find(dlt_process_env);
	if (dlt_process.rank.rank >= 0)
		dlt_process.job = dlt_rank_job(dlt_process_env, &dlt_process.rank);
	if (!dlt_process.threshold)
		dlt_process.threshold = DEFAULT_THRESHOLD;
	dlt_process.traced = !dlt_process.off &&
			     dlt_children_traced(env_or_empty("DLTRACE_CHILDREN"), first_argv);
	/* What is only counted leaves nothing behind: no file, no ids taken. */
	dlt_process.counted = dlt_process.traced;
	if (dlt_process.traced && strlen(folder) < sizeof(box_folder))
		strcpy(box_folder, folder);
}

/* From now on hooks count into this box; in a forked child the kernel clears the mask, since Linux 4.14. */
static void arm(void)
{
	wiped = dlt_sys_madvise(&dlt_alive, sizeof(dlt_alive), MADV_WIPEONFORK) == 0;
	if (!wiped)
		dlt_log(DLT_LOG_PROCESS, "no MADV_WIPEONFORK: only fork() is followed", NULL, 0);
	__atomic_store_n(&dlt_alive.mask, ~(uintptr_t)0, __ATOMIC_RELEASE);
}

static void first_call(void)
{
	find_stack();
	read_settings();
	if (dlt_process.traced)
		dlt_clock_begin();
	dlt_process.pid = dlt_sys_pid();
	dlt_process.begin = dlt_clock_ns();
	dlt_process.reason = DLT_REASON_START;
	dlt_children_find_parent();
	if (dlt_process.traced)
		dlt_ids_init(box_folder);
	dlt_process.id = dlt_thread_new_id();
	dlt_box_make(box_folder);
	arm();
	dlt_box_publish(box_folder);
}

/* The nearest one that is traced: others say nothing of themselves. */
static void keep_parent(void)
{
	if (dlt_process.traced)
		dlt_process.parent = dlt_process.id;
}

/* Everything that a child has of its own. */
static void remake(void)
{
	struct dlt_box_pair live, inherited;

	live = dlt_thread_live();
	inherited = dlt_box->inherited;
	inherited.bytes += live.bytes;
	inherited.count += live.count;
	keep_parent();
	dlt_process.pid = dlt_sys_pid();
	dlt_process.begin = dlt_clock_ns();
	dlt_process.reason = DLT_REASON_FORK;
	if (dlt_process.traced)
		dlt_process.traced = dlt_process.counted = dlt_children_fork_traced();
	if (!dlt_process.counted)
		box_folder[0] = '\0';
	else
		dlt_ids_init(box_folder);
	dlt_process.id = dlt_thread_new_id();
	dlt_box_make(box_folder);
	dlt_emit_after_fork();
	dlt_box->inherited = inherited;
	dlt_box->heap_published.live = dlt_box->heap_published.peak = (int64_t)inherited.bytes;
	dlt_map_after_fork();
	arm();
	dlt_thread_after_fork(dlt_process.id);
	dlt_objects_after_fork();
	dlt_box_publish(box_folder);
	dlt_calls_after_fork();
	dlt_ledger_after_fork();
	dlt_threads_after_fork();
	dlt_places_after_fork();
	dlt_heap_after_fork();
	dlt_marks_after_fork();
	dlt_sampler_after_fork();
}

void dlt_process_after_fork(void)
{
	uint64_t all = ~UINT64_C(0), before = 0;

	/* A handler that came in between would find no box, and make another one. */
	dlt_sys(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof(all), 0);
	/* Who comes here by the mask finds it cleared; who comes by a handler of fork(), in a child alone. */
	if (!wiped)
		dlt_alive = (struct dlt_alive){ .mask = 0 };
	if (!dlt_alive.mask)
		remake();
	dlt_sys(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(before), 0);
}

void dlt_process_need(void)
{
	int saved = errno;

	if (__builtin_expect(dlt_alive.mask != 0, 1))
		return;
	if (!dlt_box) {
		first_call();
	} else {
		/* LTTng knows nothing of a child that was not made by fork(): count, emit nothing. */
		if (!dlt_fork_is_prepared()) {
			keep_parent();
			dlt_process.traced = false;
		}
		dlt_process_after_fork();
	}
	errno = saved;
}

void dlt_process_unread(void)
{
	struct dlt_ev_proc_process e = {
		.process = dlt_process.id, .parent = dlt_process.parent, .pid = (uint32_t)dlt_process.pid,
		.parent_pid = (uint32_t)dlt_sys_parent(), .recording = dlt_process.recording,
		.reason = (uint8_t)dlt_process.reason, .traced = 1, .heap = (uint8_t)dlt_process.heap,
		.begin = dlt_process.begin, .threshold = dlt_process.threshold, .rank = -1, .ranks = -1,
		.local_rank = -1, .version = PACKAGE_VERSION, .host = "", .exe = "", .folder = "", .command = "",
	};

	if (dlt_outbox_on && dlt_process.traced && dlt_enabled(DLT_EV_PROC_PROCESS))
		dlt_outbox_put_event(DLT_EV_PROC_PROCESS, &e);
}

/* ---- announcement -------------------------------------------------------------------------- */

/* Arguments separated by 0x1f instead of 0, as many as fit. */
static void read_command(char *text, size_t size)
{
	size_t used = dlt_sys_read_proc("/proc/self/cmdline", text, size);

	while (used > 0 && text[used - 1] == '\0')
		used--;
	text[used] = '\0';
	for (size_t i = 0; i < used; i++)
		if (text[i] == '\0')
			text[i] = 0x1f;
}

static void read_exe(char *path, size_t size)
{
	long used = dlt_sys(SYS_readlink, (long)"/proc/self/exe", (long)path, (long)size - 1, 0, 0);

	path[used > 0 ? used : 0] = '\0';
}

static void read_folder(char *path, size_t size)
{
	if (dlt_sys(SYS_getcwd, (long)path, (long)size, 0, 0, 0) < 0)
		path[0] = '\0';
}

void dlt_process_announce(void)
{
	/* Static: too much for a small stack, and only the constructor and a fork's child come. */
	static char command[2048], exe[1024], folder[1024];
	static struct utsname host;
	struct dlt_ev_proc_process e = {
		.process = dlt_process.id, .parent = dlt_process.parent,
		.pid = (uint32_t)dlt_process.pid, .parent_pid = (uint32_t)dlt_sys_parent(),
		.recording = dlt_process.recording, .reason = (uint8_t)dlt_process.reason,
		.traced = !dlt_process.traced, .heap = (uint8_t)dlt_process.heap,
		.begin = dlt_process.begin, .box = dlt_box->id[0],
		.threshold = dlt_process.threshold,
		.inherited_bytes = dlt_box->inherited.bytes,
		.inherited_blocks = dlt_box->inherited.count,
		.rank = dlt_process.rank.rank, .ranks = dlt_process.rank.size,
		.local_rank = dlt_process.rank.local, .job = dlt_process.job,
		.pid_namespace = dlt_box->pid_namespace, .version = PACKAGE_VERSION, .host = host.nodename,
		.exe = exe, .folder = folder, .command = command,
	};

	if (!dlt_enabled(DLT_EV_PROC_PROCESS))
		return;
	read_command(command, sizeof(command));
	read_exe(exe, sizeof(exe));
	read_folder(folder, sizeof(folder));
	dlt_sys(SYS_uname, (long)&host, 0, 0, 0, 0);
	dlt_emit(dlt_thread_self(), DLT_EV_PROC_PROCESS, &e);
	if (!dlt_thread_self()->announced)
		dlt_threads_first_event(dlt_thread_self(), DLT_EVENTS);
}
