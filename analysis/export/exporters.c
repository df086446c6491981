/* SPDX-License-Identifier: MIT */
/* The list of exporters, and what several of them need. */
#include "analysis/export/exporter.h"

#include <stdio.h>
#include <string.h>

const struct exporter exporters[] = {
#define WRITER(name, ending, pages, package)
#define EXPORTER(name, ending, folder) { #name, name##_begin, name##_event, name##_end },
#include "analysis/report/writers.tbl"
#undef WRITER
#undef EXPORTER
};
const size_t exporter_count = sizeof(exporters) / sizeof(exporters[0]);

#define PIDS_APART 10000000u	/* above what any kernel hands out */

const struct exporter *exporter_by_name(const char *name)
{
	for (size_t i = 0; i < exporter_count; i++)
		if (!strcmp(exporters[i].name, name))
			return &exporters[i];
	return NULL;
}

void export_pids_release(struct export_pids *p)
{
	idmap_release(&p->by_pid);
	idmap_release(&p->by_process);
}

uint64_t export_key(uint64_t key, uint64_t value)
{
	key = (key ^ value) * 0x9e3779b97f4a7c15;
	return key ^ key >> 29;
}

/* Threads that nobody announced share a process, "unknown". */
uint64_t export_process_key(const struct process *p)
{
	return export_key(export_key(0x70726f63, p->trace->index + 1), p->id) | 1;
}

uint64_t export_thread_key(const struct thread *thread)
{
	return export_key(export_key(0x74687264, thread->process->trace->index + 1), thread->id) | 1;
}

static uint32_t added(struct export_pids *p, const struct process *process)
{
	uint64_t key = export_process_key(process), *known = idmap_get(&p->by_process, key), before;

	if (known)
		return (uint32_t)*known;
	before = (*idmap_put(&p->by_pid, process->pid))++ % 200;
	*idmap_put(&p->by_process, key) = before * PIDS_APART;
	return (uint32_t)(before * PIDS_APART);
}

uint32_t export_pid(struct export_pids *p, const struct process *process)
{
	uint32_t pid = process->pid ? process->pid % PIDS_APART : PIDS_APART - 1;

	return pid + added(p, process);	/* 0 would be the idle task */
}

uint32_t export_tid(struct export_pids *p, const struct thread *thread)
{
	uint32_t tid = thread->tid ? thread->tid : thread->first_thread ? thread->process->pid :
								   thread->id;

	return tid % PIDS_APART + added(p, thread->process);
}

const char *export_thread_name(const struct thread *thread)
{
	return *thread->name ? thread->name : process_name(thread->process);
}

const char *export_process_name(const struct process *p, char *text, size_t size)
{
	if (p->trace->index)
		snprintf(text, size, "trace %zu: %s", p->trace->index, process_name(p));
	else
		snprintf(text, size, "%s", process_name(p));
	return text;
}
