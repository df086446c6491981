/* SPDX-License-Identifier: MIT */
/* dltrace_record: what the recorder itself says, and the GPUs and counters that it reads. */
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

static void on_recording(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_record_recording *e = data;

	(void)at;
	t->recorded = true;
	t->recording = e->recording;
	t->level = trace_keep(t, e->level);
	t->host = trace_keep(t, e->host);
	t->version = trace_keep(t, e->version);
	if (e->command && *e->command)
		t->command = trace_keep(t, e->command);
	if (e->labels)
		t->said = trace_keep(t, e->labels);
}

/* The recorder saw how a process ended that could not say it any more. */
static void take_end(struct trace *t, const struct dlt_ev_record_note *e)
{
	struct process *p = e->process ? trace_process(t, e->process) : NULL;
	bool killed = strcmp(e->kind, NOTE_EXITED) != 0;

	if (p)
		p->out_of_memory |= !strcmp(e->kind, NOTE_OOM);
	if (!p || p->ending != END_UNKNOWN || e->value < killed || e->value > 255)
		return;
	p->ending = killed ? END_SIGNAL : END_STATUS;
	p->code = (int32_t)e->value;
}

/* How the command ended, where no file beside the trace says it: it went over the network. */
static void take_exit(struct trace *t, const struct dlt_ev_record_note *e)
{
	if (e->process || t->exit_status >= 0 || t->exit_signal || e->value < 0 || e->value > 255)
		return;
	if (!strcmp(e->kind, NOTE_KILLED))
		t->exit_signal = (int)e->value;
	else if (!strcmp(e->kind, NOTE_EXIT))
		t->exit_status = (int)e->value;
}

static void on_note(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_record_note *e = data;

	take_exit(t, e);
	if (!strcmp(e->kind, NOTE_KILLED) || !strcmp(e->kind, NOTE_EXITED) || !strcmp(e->kind, NOTE_OOM))
		take_end(t, e);
	if (t->note_count >= NOTES_KEPT) {
		t->notes_left_out++;
		return;
	}
	t->notes = xgrow(t->notes, t->note_count, &t->note_capacity, sizeof(*t->notes));
	t->notes[t->note_count++] = (struct note){
		.severity = e->severity, .kind = trace_keep(t, e->kind),
		.text = trace_keep(t, e->text), .process = e->process, .value = e->value, .t = at,
	};
}

static struct gpu *gpu_make(struct trace *t, uint32_t index)
{
	for (size_t i = 0; i < t->gpu_count; i++)
		if (t->gpus[i].index == index)
			return &t->gpus[i];
	t->gpus = xgrow(t->gpus, t->gpu_count, &t->gpu_capacity, sizeof(*t->gpus));
	t->gpus[t->gpu_count] = (struct gpu){ .index = index };
	return &t->gpus[t->gpu_count++];
}

static void on_gpu(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_record_gpu *e = data;
	struct gpu *g = gpu_make(t, e->gpu);

	g->name = trace_keep(t, e->name);
	g->memory = e->memory;
	if (e->memory)
		trace_point(t, &g->used, at, (int64_t)e->used);
	if (e->utilisation != UINT32_MAX)
		trace_point(t, &g->utilisation, at, e->utilisation);
	if (e->power != UINT32_MAX)
		trace_point(t, &g->power, at, e->power);
}

/* By the kernel's pid, which in another pid namespace is another's: then there is no such process. */
static struct process *process_by_pid(struct trace *t, uint32_t pid)
{
	for (struct process *p = t->alive; p; p = p->next_alive)
		if (p->announced && !p->now.gone && p->pid == pid)
			return p;
	return NULL;
}

static void on_gpu_process(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_record_gpu_process *e = data;
	struct process *p = process_by_pid(t, e->pid);

	if (p && e->used && trace_in_range(t, at))
		gpu_memory_nvml(p, at, e->gpu, e->used);
}

static struct energy *energy_make(struct trace *t, const char *domain)
{
	for (size_t i = 0; i < t->energy_count; i++)
		if (t->energies[i].domain == domain)
			return &t->energies[i];
	t->energies = xgrow(t->energies, t->energy_count, &t->energy_capacity,
			    sizeof(*t->energies));
	t->energies[t->energy_count] = (struct energy){ .domain = domain, .last = UNKNOWN };
	return &t->energies[t->energy_count++];
}

static void on_energy(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_record_energy *e = data;
	struct energy *g = energy_make(t, trace_keep(t, e->domain));

	if (g->last == UNKNOWN) {
		g->first = e->energy;
		g->begin = at;
	} else if (at > g->last && e->energy >= g->energy) {
		/* microjoules a ns is 1e6 milliwatts */
		trace_rate(t, &g->power, g->last, at,
			   (int64_t)((u128)(e->energy - g->energy) * 1000000 / (u128)(at - g->last)));
	}
	g->energy = e->energy;
	g->last = at;
}

const event_fn recorder_handlers[DLT_EVENTS] = {
	[DLT_EV_RECORD_NOTE] = on_note,
	[DLT_EV_RECORD_RECORDING] = on_recording,
	[DLT_EV_RECORD_GPU] = on_gpu,
	[DLT_EV_RECORD_GPU_PROCESS] = on_gpu_process,
	[DLT_EV_RECORD_ENERGY] = on_energy,
};
