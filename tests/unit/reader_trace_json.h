/* SPDX-License-Identifier: MIT */
/* The metadata of reader_trace.h's traces as CTF 2 has it: fragments of JSON for the bytes that the TSDL describes. */

static void json_put_integer(const struct trace *t, FILE *f, unsigned size, unsigned align, bool is_signed,
			 const char *role)
{
	fprintf(f, "{\"type\":\"fixed-length-%ssigned-integer\",\"length\":%u,\"alignment\":%u,"
		"\"byte-order\":\"%s-endian\"", is_signed ? "" : "un", size, align, t->big_endian ? "big" : "little");
	if (role)
		fprintf(f, ",\"roles\":[\"%s\"]", role);
	putc('}', f);
}

static void json_put_member(const char *before, const char *name, FILE *f)
{
	fprintf(f, "%s{\"name\":\"%s\",\"field-class\":", before, name);
}

static void json_put_field(const struct trace *t, FILE *f, unsigned size, bool is_signed, const char *role)
{
	json_put_integer(t, f, size, trace_align(t, size), is_signed, role);
	putc('}', f);
}

static void json_put_payload_field(const struct trace *t, FILE *f, const struct dlt_field *field, const char *before)
{
	char name[64];

	if (field->type == DLT_SEQ64) {
		snprintf(name, sizeof(name), "_%s_length", field->name);
		json_put_member(before, name, f);
		json_put_field(t, f, 32, false, NULL);
		json_put_member(",", field->name, f);
		fputs("{\"type\":\"dynamic-length-array\",\"element-field-class\":", f);
		json_put_integer(t, f, 64, trace_align(t, 64), false, NULL);
		fprintf(f, ",\"length-field-location\":{\"origin\":\"event-record-payload\",\"path\":[\"%s\"]}}}",
			name);
		return;
	}
	json_put_member(before, field->name, f);
	if (field->type == DLT_STR)
		fputs("{\"type\":\"null-terminated-string\"}}", f);
	else if (value_width(field->type) == 8 && !value_signed(field->type))
		fputs("\"u64\"}", f);
	else
		json_put_field(t, f, 8 * value_width(field->type), value_signed(field->type), NULL);
}

static void json_put_event(const struct trace *t, FILE *f, unsigned id, const struct dlt_event_desc *desc)
{
	fprintf(f, "\x1e{\"type\":\"event-record-class\",\n\"id\":%u,\"data-stream-class-id\":0,\"name\":\"%s\","
		"\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[", id, desc->name);
	for (size_t i = 0; i < desc->field_count; i++)
		json_put_payload_field(t, f, &desc->fields[i], i ? "," : "");
	fputs("]}}\n", f);
}

static void json_put_trace(const struct trace *t, FILE *f)
{
	fputs("\x1e{\"type\":\"preamble\",\"version\":2,\"uuid\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}\n"
	      "\x1e{\"type\":\"field-class-alias\",\"name\":\"u64\",\"field-class\":", f);
	json_put_field(t, f, 64, false, NULL);
	fputs("\n\x1e{\"type\":\"trace-class\",\"environment\":{\"hostname\":\"unit\",\"tracer_major\":2},"
	      "\"packet-header-field-class\":{\"type\":\"structure\",\"member-classes\":[", f);
	json_put_member("", "m", f);
	json_put_field(t, f, 32, false, "packet-magic-number");
	json_put_member(",", "u", f);
	fputs("{\"type\":\"static-length-blob\",\"length\":16,\"roles\":[\"metadata-stream-uuid\"]}}", f);
	json_put_member(",", "s", f);
	json_put_field(t, f, 32, false, "data-stream-class-id");
	json_put_member(",", "i", f);
	json_put_field(t, f, 64, false, "data-stream-id");
	fprintf(f, "]}}\n\x1e{\"type\":\"clock-class\",\"id\":\"monotonic\",\"frequency\":1000000000,"
		"\"offset-from-origin\":{\"cycles\":%lld},\"uid\":\"ce1bcc06-944c-40bb-8b7c-7fe1ff3c72f6\"}\n",
		TRACE_OFFSET);
}

static void json_put_packet_context(const struct trace *t, FILE *f)
{
	static const char *const names[][2] = {
		{ "timestamp_begin", "default-clock-timestamp" }, { "b", "packet-end-default-clock-timestamp" },
		{ "packet_size", "packet-content-length" }, { "content_size", "packet-total-length" },
		{ "n", "packet-sequence-number" }, { "d", "discarded-event-record-counter-snapshot" },
	};

	fputs(",\"packet-context-field-class\":{\"type\":\"structure\",\"member-classes\":[", f);
	for (size_t i = 0; i < 6; i++) {
		json_put_member(i ? "," : "", names[i][0], f);
		json_put_field(t, f, 64, false, names[i][1]);
	}
	/* Without a role a name means nothing, whatever it is. */
	json_put_member(",", "packet_seq_num", f);
	json_put_field(t, f, 32, false, NULL);
	fputs("]}", f);
}

/* { ID, variant of { time } and { id, time } } */
static void json_put_event_header(const struct trace *t, FILE *f)
{
	unsigned small = t->large ? 16 : 5, time = t->large ? 32 : 27, escape = t->large ? 65535 : 31;

	fprintf(f, ",\"event-record-header-field-class\":{\"type\":\"structure\",\"minimum-alignment\":%u,"
		"\"member-classes\":[", trace_align(t, t->large ? 16 : 32));
	json_put_member("", "tag", f);
	json_put_integer(t, f, small, t->large ? trace_align(t, small) : 1, false, "event-record-class-id");
	json_put_member("},", "v", f);
	fputs("{\"type\":\"variant\",\"selector-field-location\":{\"origin\":\"event-record-header\","
	      "\"path\":[\"tag\"]},\"options\":[{\"field-class\":{\"type\":\"structure\",\"member-classes\":[", f);
	json_put_member("", "t", f);
	json_put_integer(t, f, time, t->large ? trace_align(t, time) : 1, false, "default-clock-timestamp");
	fprintf(f, "}]},\"selector-field-ranges\":[[0,%u]]},{\"selector-field-ranges\":[[%u,%u]],"
		"\"field-class\":{\"type\":\"structure\",\"member-classes\":[", escape - 1, escape, escape);
	json_put_member("", "id", f);
	json_put_field(t, f, 32, false, "event-record-class-id");
	json_put_member(",", "t", f);
	json_put_field(t, f, 64, false, "default-clock-timestamp");
	fputs("]}}]}}]}", f);
}

static void json_put_contexts(const struct trace *t, FILE *f)
{
	fputs(",\"event-record-common-context-field-class\":{\"type\":\"structure\",\"member-classes\":[", f);
	json_put_member("", "vpid", f);
	json_put_field(t, f, 32, true, NULL);
	json_put_member(",", "vtid", f);
	json_put_field(t, f, 32, true, NULL);
	json_put_member(",", "procname", f);
	fputs("{\"type\":\"static-length-string\",\"length\":17}}]}", f);
}

static void json_put_metadata(const struct trace *t, FILE *f)
{
	json_put_trace(t, f);
	fputs("\x1e{\"type\":\"data-stream-class\",\"id\":0,\"default-clock-class-id\":\"monotonic\"", f);
	json_put_packet_context(t, f);
	json_put_event_header(t, f);
	if (t->contexts)
		json_put_contexts(t, f);
	fputs("}\n", f);
	for (unsigned e = 0; e < DLT_EVENTS; e++)
		json_put_event(t, f, e, &dlt_event_descs[e]);
}
