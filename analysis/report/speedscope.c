/* SPDX-License-Identifier: MIT */
/*
 * Speedscope's own format: one profile a process, whose samples are the stacks of the breakdown with
 * their time as weight, and one for each kind of memory that it has stacks of, by bytes.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <string.h>

#include "config.h"
#include "analysis/report/memory.h"
#include "analysis/report/stacks.h"
#include "analysis/report/writer.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Equal names are one frame, so that the viewer adds them up. */
struct frame {
	char *name;		/* owned */
	size_t index;
};

/* Texts of what comes later in the file than what is known first. */
struct scope {
	void *frames;		/* tsearch's, of struct frame */
	size_t frame_count;
	FILE *shared, *profiles, *samples, *weights;
	char *shared_text, *profiles_text, *samples_text, *weights_text;
	size_t size;		/* of any of them, unused */
	const char *unit;	/* of weights */
	char *name;		/* owned; of the profile that is open; NULL: none is */
	uint64_t total;
	bool any;
	int err;
};

static void write_string(struct scope *s, FILE *out, const char *text)
{
	json_t *value = need(json_string(text));

	if (json_dumpf(value, out, JSON_ENSURE_ASCII | JSON_ENCODE_ANY))
		s->err = -EIO;
	json_decref(value);
}

static int compare_frames(const void *a, const void *b)
{
	return strcmp(((const struct frame *)a)->name, ((const struct frame *)b)->name);
}

static void free_frame(void *p)
{
	free(((struct frame *)p)->name);
	free(p);
}

static size_t frame_index(struct scope *s, const char *name)
{
	struct frame key = { .name = (char *)name }, *f;
	void *node = tfind(&key, &s->frames, compare_frames);

	if (node)
		return (*(struct frame **)node)->index;
	f = need(malloc(sizeof(*f)));
	*f = (struct frame){ need(strdup(name)), s->frame_count++ };
	need(tsearch(f, &s->frames, compare_frames));
	fputs(f->index ? ",\n  { \"name\": " : "  { \"name\": ", s->shared);
	write_string(s, s->shared, name);
	fputs(" }", s->shared);
	return f->index;
}

static void open_profile(struct scope *s, const struct stack *stack)
{
	s->name = need(strdup(stack->whole));
	s->total = 0;
	s->samples = text_open(&s->samples_text, &s->size);
	s->weights = text_open(&s->weights_text, &s->size);
}

static void close_profile(struct scope *s)
{
	if (!s->name)
		return;
	text_close(s->samples, &s->samples_text);
	text_close(s->weights, &s->weights_text);
	fputs(s->any ? ",\n  { \"type\": \"sampled\", \"name\": " :
		       "  { \"type\": \"sampled\", \"name\": ", s->profiles);
	write_string(s, s->profiles, s->name);
	fprintf(s->profiles, ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %" PRIu64
		",\n    \"samples\": [%s],\n    \"weights\": [%s] }", s->unit, s->total, s->samples_text,
		s->weights_text);
	s->any = true;
	free(s->name);
	s->name = NULL;
	free(s->samples_text);
	free(s->weights_text);
}

static void add_stack(const struct stack *stack, void *data)
{
	struct scope *s = data;

	if (!s->name || strcmp(stack->whole, s->name) != 0) {
		close_profile(s);
		open_profile(s, stack);
	}
	fputs(s->total ? ", [" : "[", s->samples);
	for (size_t i = 0; i < stack->depth; i++)
		fprintf(s->samples, "%s%zu", i ? ", " : "", frame_index(s, stack->frames[i]));
	fputc(']', s->samples);
	fprintf(s->weights, "%s%" PRIu64, s->total ? ", " : "", stack->weight);
	s->total += stack->weight;
}

int write_speedscope(const struct report *r, const char *page, FILE *out,
		     const struct writer_options *o)
{
	struct scope s = { .unit = "nanoseconds" };

	(void)page;
	(void)o;
	s.shared = text_open(&s.shared_text, &s.size);
	s.profiles = text_open(&s.profiles_text, &s.size);
	stacks_of_time(r, add_stack, &s);
	close_profile(&s);
	s.unit = "bytes";
	stacks_of_memory(r, add_stack, &s);
	close_profile(&s);
	text_close(s.shared, &s.shared_text);
	text_close(s.profiles, &s.profiles_text);
	fprintf(out, "{ \"$schema\": \"" SCHEMA "\",\n\"exporter\": \"dltrace-report " PACKAGE_VERSION
		"\",\n\"activeProfileIndex\": 0,\n\"shared\": { \"frames\": [\n%s\n] },\n"
		"\"profiles\": [\n%s\n] }\n", s.shared_text, s.profiles_text);
	free(s.shared_text);
	free(s.profiles_text);
	tdestroy(s.frames, free_frame);
	return s.err;
}
