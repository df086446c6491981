/* SPDX-License-Identifier: MIT */
/* dltrace_file: what a process opened to read. */
#include "analysis/model/input.h"

#include <math.h>

#include "analysis/model/model.h"

void input_init(struct input *in)
{
	*in = (struct input){ .slices.most = TALLY_SLICES };
	rhythm_init(&in->files);
}

void input_release(struct input *in)
{
	tally_release(&in->slices);
	rhythm_release(&in->files);
}

void input_merge(struct input *into, const struct input *from)
{
	into->opens += from->opens;
	into->bytes += from->bytes;
	tally_merge(&into->slices, &from->slices);
	rhythm_merge(&into->files, &from->files);
}

/* Four times the binary logarithm, cut to a whole number: files of one class differ by less than a fifth. */
static uint8_t size_class(uint64_t size)
{
	return size ? (uint8_t)(4 * log2((double)size)) : 0;
}

static void on_open(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_file_open *e = data;
	struct input *in = &trace_emitted(t, e->thread, at)->process->input;
	const struct beat file = {
		.kind = BEAT_FILE, .without = size_class(e->size), .a = e->path, .b = e->folder,
	};

	if (!trace_in_range(t, at)) {
		t->filtered++;
		return;
	}
	in->opens++;
	in->bytes += e->size;
	tally_slice(&in->slices, at, &(struct slice){ 1, 0, 0, e->size });
	rhythm_note(&in->files, &file, at, 0);
}

const event_fn input_handlers[DLT_EVENTS] = {
	[DLT_EV_FILE_OPEN] = on_open,
};
