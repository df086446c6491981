/* SPDX-License-Identifier: MIT */
/* Events of any trace as the text that READER_TEXT reads back. */
#include "analysis/reader/text_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"
#include "analysis/reader/value.h"

static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c == 0x7f)
			fprintf(out, "\\x%02x", *c);
		else
			putc(*c, out);
	}
	putc('"', out);
}

static void write_sequence(FILE *out, const uint64_t *words, uint32_t count)
{
	putc('[', out);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu64, i ? " " : "", words[i]);
	putc(']', out);
}

static void write_field(FILE *out, const struct dlt_field *field, const void *data)
{
	const uint64_t *words;
	uint32_t count;

	fprintf(out, " %s=", field->name);
	if (field->type == DLT_STR) {
		write_string(out, value_get_string(field, data));
	} else if (field->type == DLT_SEQ64) {
		words = value_get_sequence(field, data, &count);
		write_sequence(out, words, count);
	} else if (field->type == DLT_X64) {
		fprintf(out, "%#" PRIx64, value_get(field, data));
	} else if (value_signed(field->type)) {
		fprintf(out, "%" PRId64, (int64_t)value_get(field, data));
	} else {
		fprintf(out, "%" PRIu64, value_get(field, data));
	}
}

/* One line a label; they are separated by 0x1f. */
static void write_labels(FILE *out, const char *labels)
{
	while (*labels) {
		size_t length = strcspn(labels, "\x1f");
		char *label = must(strndup(labels, length));

		fputs("recording label ", out);
		write_string(out, label);
		putc('\n', out);
		free(label);
		labels += length + (labels[length] != '\0');
	}
}

void text_write_header(FILE *out, const struct reader_info *info)
{
	const struct reader_recording *rec = &info->recording;

	fprintf(out, "dltrace-text 1\nclock_offset %" PRId64 "\n", info->clock_offset);
	if (info->host[0]) {
		fputs("host ", out);
		write_string(out, info->host);
		putc('\n', out);
	}
	write_labels(out, rec->labels);
	if (!rec->present)
		return;
	if (rec->begin)
		fprintf(out, "recording begin %" PRIu64 "\n", rec->begin);
	if (rec->end)
		fprintf(out, "recording end %" PRIu64 "\n", rec->end);
	if (rec->lost)
		fprintf(out, "recording lost %" PRIu64 "\n", rec->lost);
	if (rec->running)
		fputs("recording running 1\n", out);
	if (rec->stalled)
		fputs("recording stalled 1\n", out);
	fprintf(out, "recording id %" PRIu64 "\nrecording level %s\n", rec->id, rec->level);
	fputs("recording command ", out);
	write_string(out, rec->command);
	if (rec->signal)
		fprintf(out, "\nrecording signal %d\n", rec->signal);
	else if (rec->exit_status >= 0)
		fprintf(out, "\nrecording exit %d\n", rec->exit_status);
	else
		putc('\n', out);
}

void text_write_event(FILE *out, const struct reader_info *info, const struct reader_event *event)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[event->type];

	fprintf(out, "[%" PRIu64 "] %s", event->time - (uint64_t)info->clock_offset, desc->name);
	for (size_t i = 0; i < desc->field_count; i++)
		write_field(out, &desc->fields[i], event->data);
	putc('\n', out);
}

void text_write_end(FILE *out, const struct reader_info *info)
{
	if (info->boxed)
		fprintf(out, "boxed %" PRIu64 "\n", info->boxed);
	if (info->foreign)
		fprintf(out, "foreign %" PRIu64 "\n", info->foreign);
	if (info->discarded)
		fprintf(out, "discarded %" PRIu64 "\n", info->discarded);
	if (info->discarded_packets)
		fprintf(out, "discarded_packets %" PRIu64 "\n", info->discarded_packets);
	for (size_t i = 0; i < info->problem_count; i++) {
		const struct reader_problem *p = &info->problems[i];

		fprintf(out, "problem %s %" PRIu64 " ", p->kind, p->value);
		write_string(out, p->text);
		if (p->count > 1)
			fprintf(out, " %" PRIu64, p->count);
		putc('\n', out);
	}
}
