/* SPDX-License-Identifier: MIT */
/*
 * Traces as LTTng-UST writes them, and as it never would, made by hand: every event class of
 * events.tbl, in either byte order, with either event header, packed or naturally aligned, described by
 * TSDL or JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/apps/odd.h"

#define TRACE_PACKET 65536	/* bytes */
#define TRACE_OFFSET 1000000000000000000LL

struct trace {
	char folder[256];
	bool large;		/* event headers of 16 + 32 bits, else of 5 + 27 */
	bool big_endian;
	bool natural;		/* integers aligned to their size, else to bytes */
	bool contexts;		/* vpid, vtid and procname in each event */
	bool json;		/* CTF 2, else CTF 1.8 */
	FILE *stream;
	uint8_t packet[TRACE_PACKET];
	size_t used;
	uint64_t begin, end, sequence, discarded;
};

static const char trace_uuid[] = "00010203-0405-0607-0809-0a0b0c0d0e0f";

static unsigned trace_align(const struct trace *t, unsigned size)
{
	return t->natural ? size : 8;
}

static void trace_integer_type(const struct trace *t, FILE *f, unsigned size, bool is_signed,
			       const char *name)
{
	fprintf(f, "\t\tinteger { size = %u; align = %u; signed = %d; encoding = none; base = 10; } %s",
		size, trace_align(t, size), is_signed, name);
}

static void trace_event_type(const struct trace *t, FILE *f, unsigned id,
			     const struct dlt_event_desc *desc)
{
	char name[64];

	fprintf(f, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tloglevel = 13;\n"
		"\tfields := struct {\n", desc->name, id);
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *field = &desc->fields[i];

		if (field->type == DLT_STR) {
			fprintf(f, "\t\tstring _%s;\n", field->name);
		} else if (field->type == DLT_SEQ64) {
			snprintf(name, sizeof(name), "__%s_length;\n", field->name);
			trace_integer_type(t, f, 32, false, name);
			snprintf(name, sizeof(name), "_%s[ __%s_length ];\n", field->name, field->name);
			trace_integer_type(t, f, 64, false, name);
		} else {
			snprintf(name, sizeof(name), "_%s;\n", field->name);
			trace_integer_type(t, f, 8 * value_width(field->type),
					   value_signed(field->type), name);
		}
	}
	fputs("\t};\n};\n\n", f);
}

static void trace_types(const struct trace *t, FILE *f)
{
	static const unsigned sizes[] = { 8, 16, 32, 64 };

	fputs("/* CTF 1.8 */\n\n", f);
	for (size_t i = 0; i < 4; i++)
		fprintf(f, "typealias integer { size = %u; align = %u; signed = false; } := uint%u_t;\n",
			sizes[i], trace_align(t, sizes[i]), sizes[i]);
	fprintf(f, "typealias integer { size = 64; align = %u; signed = false; } := unsigned long;\n"
		"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = %s;\n"
		"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t  uuid[16];\n"
		"\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t};\n};\n\n"
		"env {\n\thostname = \"unit\";\n\ttracer_major = 2;\n};\n\n"
		"clock {\n\tname = \"monotonic\";\n\tuuid = \"ce1bcc06-944c-40bb-8b7c-7fe1ff3c72f6\";\n"
		"\tdescription = \"Monotonic Clock\";\n\tfreq = 1000000000; /* Hz */\n"
		"\toffset = %lld;\n};\n\n", trace_align(t, 64), trace_uuid,
		t->big_endian ? "be" : "le", TRACE_OFFSET);
	fprintf(f, "typealias integer { size = 27; align = 1; signed = false; "
		"map = clock.monotonic.value; } := uint27_clock_monotonic_t;\n"
		"typealias integer { size = 32; align = %u; signed = false; "
		"map = clock.monotonic.value; } := uint32_clock_monotonic_t;\n"
		"typealias integer { size = 64; align = %u; signed = false; "
		"map = clock.monotonic.value; } := uint64_clock_monotonic_t;\n\n",
		trace_align(t, 32), trace_align(t, 64));
}

static void tsdl_metadata(const struct trace *t, FILE *f)
{
	trace_types(t, f);
	fprintf(f, "struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n"
		"\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n"
		"\tuint64_t packet_size;\n\tuint64_t packet_seq_num;\n"
		"\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n};\n\n"
		"struct event_header {\n\tenum : %s { compact = 0 ... %u, extended = %u } id;\n"
		"\tvariant <id> {\n\t\tstruct {\n\t\t\t%s timestamp;\n\t\t} compact;\n"
		"\t\tstruct {\n\t\t\tuint32_t id;\n\t\t\tuint64_clock_monotonic_t timestamp;\n"
		"\t\t} extended;\n\t} v;\n} align(%u);\n\n",
		t->large ? "uint16_t" : "uint5_t", t->large ? 65534 : 30, t->large ? 65535 : 31,
		t->large ? "uint32_clock_monotonic_t" : "uint27_clock_monotonic_t",
		trace_align(t, t->large ? 16 : 32));
	fputs("stream {\n\tid = 0;\n\tevent.header := struct event_header;\n"
	      "\tpacket.context := struct packet_context;\n", f);
	if (t->contexts) {
		fputs("\tevent.context := struct {\n", f);
		trace_integer_type(t, f, 32, true, "_vpid;\n");
		trace_integer_type(t, f, 32, true, "_vtid;\n");
		fputs("\t\tinteger { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } "
		      "_procname[17];\n\t};\n", f);
	}
	fputs("};\n\n", f);
	for (unsigned e = 0; e < DLT_EVENTS; e++)
		trace_event_type(t, f, e, &dlt_event_descs[e]);
}

#include "reader_trace_json.h"

static void trace_metadata(const struct trace *t)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", t->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	if (t->json)
		json_put_metadata(t, f);
	else
		tsdl_metadata(t, f);
	fclose(f);
}

/* An integer of `bytes` bytes, aligned as declared. */
static void trace_put(struct trace *t, uint64_t value, unsigned bytes)
{
	if (t->natural)
		while (t->used % bytes)
			t->packet[t->used++] = 0;
	for (unsigned i = 0; i < bytes; i++)
		t->packet[t->used++] =
			(uint8_t)(value >> 8 * (t->big_endian ? bytes - 1 - i : i));
}

static void trace_put_bytes(struct trace *t, const void *bytes, size_t n)
{
	memcpy(t->packet + t->used, bytes, n);
	t->used += n;
}

/* Header and context with what is known so far; again at the packet's end. */
static void trace_put_head(struct trace *t, size_t content)
{
	t->used = 0;
	trace_put(t, 0xc1fc1fc1, 4);
	for (unsigned i = 0; i < 16; i++)
		trace_put(t, i, 1);
	trace_put(t, 0, 4);
	trace_put(t, 7, 8);
	trace_put(t, t->begin, 8);
	trace_put(t, t->end, 8);
	trace_put(t, 8 * content, 8);
	trace_put(t, 8 * TRACE_PACKET, 8);
	trace_put(t, t->sequence, 8);
	trace_put(t, t->discarded, 8);
	trace_put(t, 0, 4);
}

static void trace_begin_packet(struct trace *t, uint64_t begin)
{
	memset(t->packet, 0, sizeof(t->packet));
	t->begin = t->end = begin;
	trace_put_head(t, 0);
}

static void trace_end_packet(struct trace *t)
{
	size_t content = t->used;

	trace_put_head(t, content);
	assert_int_equal(fwrite(t->packet, 1, TRACE_PACKET, t->stream), TRACE_PACKET);
	t->sequence++;
}

static void trace_put_event_head(struct trace *t, unsigned id, uint64_t time, bool extended)
{
	uint32_t word = (uint32_t)time & ((1U << 27) - 1);

	if (t->natural)
		while (t->used % (t->large ? 2 : 4))
			t->packet[t->used++] = 0;
	if (t->large) {
		trace_put(t, extended ? 65535 : id, 2);
		if (!extended)
			trace_put(t, (uint32_t)time, 4);
	} else if (extended) {
		trace_put(t, t->big_endian ? 31 << 3 : 31, 1);
	} else {
		trace_put(t, t->big_endian ? id << 27 | word : word << 5 | id, 4);
	}
	if (extended) {
		if (t->natural)	/* the structure is aligned as its largest field */
			while (t->used % 8)
				t->packet[t->used++] = 0;
		trace_put(t, id, 4);
		trace_put(t, time, 8);
	}
	t->end = time;
}

/* The structure's alignment comes first where fields are aligned. */
static void trace_align_struct(struct trace *t, const struct dlt_event_desc *desc)
{
	unsigned align = 1;

	for (size_t i = 0; t->natural && i < desc->field_count; i++) {
		unsigned width = value_width(desc->fields[i].type);

		if (desc->fields[i].type == DLT_SEQ64)
			width = 8;
		if (width > align)
			align = width;
	}
	while (t->used % align)
		t->packet[t->used++] = 0;
}

static void trace_put_event(struct trace *t, enum dlt_event type, const void *data, uint64_t time,
			    bool extended)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[type];
	const uint64_t *words;
	const char *text;
	uint32_t count;

	trace_put_event_head(t, type, time, extended);
	if (t->contexts) {
		trace_put(t, 100, 4);
		trace_put(t, 101, 4);
		trace_put_bytes(t, "procname\0........", 17);
	}
	trace_align_struct(t, desc);
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *f = &desc->fields[i];

		if (f->type == DLT_STR) {
			text = value_get_string(f, data);
			trace_put_bytes(t, text, strlen(text) + 1);
		} else if (f->type == DLT_SEQ64) {
			words = value_get_sequence(f, data, &count);
			trace_put(t, count, 4);
			if (t->natural)
				while (t->used % 8)
					t->packet[t->used++] = 0;
			for (uint32_t j = 0; j < count; j++)
				trace_put(t, words[j], 8);
		} else {
			trace_put(t, value_get(f, data), value_width(f->type));
		}
	}
}

static void trace_open(struct trace *t)
{
	char path[512];

	if (!t->folder[0]) {
		strcpy(t->folder, "/tmp/dltrace-unit.XXXXXX");
		assert_non_null(mkdtemp(t->folder));
	}
	trace_metadata(t);
	snprintf(path, sizeof(path), "%s/c_0", t->folder);
	t->stream = fopen(path, "w");
	assert_non_null(t->stream);
}

/* Every event class in each of `packets` packets; what was written goes to `out` as text. */
static void trace_write(struct trace *t, unsigned packets, FILE *out)
{
	const struct reader_info info = { .clock_offset = TRACE_OFFSET };
	struct odd odd = { .random = 42, .longest = 100, .words = 20 };
	uint64_t time = 1000;

	trace_open(t);
	for (unsigned p = 0; p < packets; p++) {
		trace_begin_packet(t, time);
		for (int type = 0; type < DLT_EVENTS; type++) {
			struct reader_event event = { 0, (enum dlt_event)type, odd.data };

			if (DLT_EVENTS_OF_EVENTS >> type & 1)
				continue;	/* the reader gives what is in it: batches.c */
			/* up to nearly once around the 27 bits of a short time */
			time += odd_draw(&odd) % (1U << 27);
			odd_event(&odd, (enum dlt_event)type);
			trace_put_event(t, (enum dlt_event)type, odd.data, time,
					(!t->large && type >= 31) || odd_draw(&odd) % 4 == 0);
			event.time = time + TRACE_OFFSET;
			if (out)
				text_write_event(out, &info, &event);
		}
		trace_end_packet(t);
	}
	fclose(t->stream);
}

static void trace_remove(const struct trace *t)
{
	static const char *const names[] = { "metadata", "c_0", "c_1", "recording" };
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", t->folder, names[i]);
		unlink(path);
	}
	rmdir(t->folder);
}
