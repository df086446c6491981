/* SPDX-License-Identifier: MIT */
/*
 * libbabeltrace2's graph: one source.ctf.fs for each folder, and a sink of our own that merges
 * their streams by a heap (utils.muxer scans all of them for each event) and sends on what is
 * dltrace's. Whatever goes wrong in the library ends this child, not the program.
 */
#include "analysis/reader/graph.h"

#include <babeltrace2/babeltrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"
#include "analysis/reader/value.h"

#define ALIVE_EVERY 100000	/* events of others between two signs of life */

/* An event class as met, and where its fields go. */
struct seen_class {
	const bt_event_class *class;	/* borrowed; NULL: free */
	enum dlt_event type;		/* DLT_EVENTS: somebody else's */
	const struct dlt_field **targets;	/* owned: by member; NULL: passed over */
};

struct input {
	bt_message_iterator *iterator;	/* owned */
	bt_message_array_const messages;	/* borrowed from the iterator, each owned by us */
	uint64_t at, count;
	uint64_t time;			/* of the present event */
	unsigned folder;
	uint64_t class, instance;
};

struct sink {
	const struct folders *folders;	/* borrowed */
	struct frame_writer *out;	/* borrowed */
	struct input *inputs;		/* owned */
	struct input **heap;		/* owned */
	size_t input_count, heap_count;
	struct seen_class *seen;	/* owned: a hash table, half full at most */
	size_t seen_count, seen_capacity;
	struct { uint8_t uuid[16]; int64_t offset; } clocks[16];
	size_t clock_count;
	uint64_t events, ours_declared, others_declared;
	struct frame_opened opened;
	struct frame_end end;
	_Alignas(8) char data[1024];
	uint64_t *words[FRAME_SEQUENCES];	/* owned */
	const char *failed;		/* why nothing could be given; NULL: all is well */
};

/* ---- event classes ------------------------------------------------------------------------ */

static bool is_integer_class(bt_field_class_type t)
{
	return bt_field_class_type_is(t, BT_FIELD_CLASS_TYPE_INTEGER);
}

static bool fits(const bt_field_class *class, const struct dlt_field *f)
{
	bt_field_class_type t = bt_field_class_get_type(class);

	if (f->type == DLT_STR)
		return t == BT_FIELD_CLASS_TYPE_STRING;
	if (f->type != DLT_SEQ64)
		return is_integer_class(t);
	return bt_field_class_type_is(t, BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY) &&
	       is_integer_class(bt_field_class_get_type(
			bt_field_class_array_borrow_element_field_class_const(class)));
}

/* babeltrace2 takes the underscore of LTTng's names away. */
static void match_members(struct seen_class *seen)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(seen->class);
	uint64_t count = payload ? bt_field_class_structure_get_member_count(payload) : 0;

	seen->targets = must(calloc(count + 1, sizeof(*seen->targets)));
	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *m =
			bt_field_class_structure_borrow_member_by_index_const(payload, i);
		const struct dlt_field *f = value_field(&dlt_event_descs[seen->type],
				bt_field_class_structure_member_get_name(m));

		if (f && !fits(bt_field_class_structure_member_borrow_field_class_const(m), f))
			f = NULL;
		for (uint64_t j = 0; f && j < i; j++)
			if (seen->targets[j] == f)
				f = NULL;
		seen->targets[i] = f;
	}
}

static struct seen_class *find_seen(struct sink *s, const bt_event_class *class)
{
	size_t i = ((uintptr_t)class >> 4) * 0x9e3779b1U;

	for (;; i++) {
		struct seen_class *seen = &s->seen[i & (s->seen_capacity - 1)];

		if (!seen->class || seen->class == class)
			return seen;
	}
}

static void grow_seen(struct sink *s)
{
	struct seen_class *old = s->seen;
	size_t capacity = s->seen_capacity;

	s->seen_capacity = capacity ? 2 * capacity : 256;
	s->seen = must(calloc(s->seen_capacity, sizeof(*s->seen)));
	for (size_t i = 0; i < capacity; i++)
		if (old[i].class)
			*find_seen(s, old[i].class) = old[i];
	free(old);
}

static struct seen_class *see(struct sink *s, const bt_event_class *class)
{
	struct seen_class *seen;
	const char *name;

	if (2 * s->seen_count >= s->seen_capacity)
		grow_seen(s);
	seen = find_seen(s, class);
	if (seen->class)
		return seen;
	s->seen_count++;
	name = bt_event_class_get_name(class);
	seen->class = class;
	seen->type = value_event(name ? name : "");
	if (seen->type != DLT_EVENTS)
		match_members(seen);
	return seen;
}

/* ---- events ------------------------------------------------------------------------------- */

static uint64_t integer(const bt_field *field)
{
	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return (uint64_t)bt_field_integer_signed_get_value(field);
	return bt_field_integer_unsigned_get_value(field);
}

/* The library (2.0.4) leaves the text of an earlier event in place of an empty one. */
static const char *string(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

static void set_sequence(struct sink *s, unsigned n, const struct dlt_field *f,
			 const bt_field *field)
{
	uint64_t count = bt_field_array_get_length(field);

	if (n >= FRAME_SEQUENCES || count > FRAME_MAX / 16)
		return;
	s->words[n] = must(realloc(s->words[n], count * 8 + 1));
	for (uint64_t i = 0; i < count; i++) {
		const bt_field *word = bt_field_array_borrow_element_field_by_index_const(field, i);

		s->words[n][i] = integer(word);
	}
	value_set_sequence(f, s->data, s->words[n], (uint32_t)count);
}

static void set_members(struct sink *s, const struct seen_class *seen, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event), *field;
	uint64_t count = bt_field_class_structure_get_member_count(
			bt_field_borrow_class_const(payload));
	unsigned sequences = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct dlt_field *f = seen->targets[i];

		if (!f)
			continue;
		field = bt_field_structure_borrow_member_field_by_index_const(payload, i);
		if (f->type == DLT_STR)
			value_set_string(f, s->data, string(field));
		else if (f->type == DLT_SEQ64)
			set_sequence(s, sequences++, f, field);
		else
			value_set(f, s->data, integer(field));
	}
}

static void give_event(struct sink *s, const struct input *in)
{
	const bt_event *event = bt_message_event_borrow_event_const(in->messages[in->at]);
	const struct seen_class *seen = see(s, bt_event_borrow_class_const(event));
	struct reader_event out = { in->time, seen->type, s->data };

	if (seen->type == DLT_EVENTS) {
		if (++s->end.foreign % ALIVE_EVERY == 0)
			frame_put(s->out, FRAME_ALIVE, NULL, 0);
		return;
	}
	value_clear(&dlt_event_descs[seen->type], s->data);
	if (bt_event_borrow_payload_field_const(event))
		set_members(s, seen, event);
	frame_put_event(s->out, &out);
	s->events++;
}

/* One machine has one clock, however exactly each trace measured its offset: the first counts. */
static int64_t clock_offset(struct sink *s, const bt_clock_class *class)
{
	bt_uuid uuid = bt_clock_class_get_uuid(class);
	uint64_t cycles, freq = bt_clock_class_get_frequency(class);
	int64_t seconds, offset;

	for (size_t i = 0; uuid && i < s->clock_count; i++)
		if (memcmp(s->clocks[i].uuid, uuid, 16) == 0)
			return s->clocks[i].offset;
	bt_clock_class_get_offset(class, &seconds, &cycles);
	offset = (int64_t)((uint64_t)seconds * 1000000000 +
			   (uint64_t)((__uint128_t)cycles * 1000000000 / freq));
	if (uuid && s->clock_count < 16) {
		memcpy(s->clocks[s->clock_count].uuid, uuid, 16);
		s->clocks[s->clock_count++].offset = offset;
	}
	return offset;
}

static uint64_t snapshot_time(struct sink *s, const bt_clock_snapshot *snapshot)
{
	const bt_clock_class *class = bt_clock_snapshot_borrow_clock_class_const(snapshot);
	uint64_t value = bt_clock_snapshot_get_value(snapshot);
	uint64_t freq = bt_clock_class_get_frequency(class);

	if (freq != 1000000000)
		value = (uint64_t)((__uint128_t)value * 1000000000 / freq);
	return value + (uint64_t)clock_offset(s, class);
}

/* ---- inputs ------------------------------------------------------------------------------- */

static void note_stream(struct sink *s, struct input *in, const bt_stream *stream)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);
	const bt_value *host = bt_trace_borrow_environment_entry_value_by_name_const(
			bt_stream_borrow_trace_const(stream), "hostname");

	in->class = bt_stream_class_get_id(class);
	in->instance = bt_stream_get_id(stream);
	for (uint64_t i = 0; i < bt_stream_class_get_event_class_count(class); i++) {
		const struct seen_class *seen = see(s,
				bt_stream_class_borrow_event_class_by_index_const(class, i));

		if (seen->type == DLT_EVENTS)
			s->others_declared++;
		else
			s->ours_declared++;
	}
	if (!s->opened.clock_offset && clock)
		s->opened.clock_offset = clock_offset(s, clock);
	if (!s->opened.host[0] && host && bt_value_is_string(host))
		snprintf(s->opened.host, sizeof(s->opened.host), "%s", bt_value_string_get(host));
}

static void note_packet(struct sink *s, const bt_message *m)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(m);
	const bt_stream_class *class =
		bt_stream_borrow_class_const(bt_packet_borrow_stream_const(packet));
	uint64_t time;

	if (!bt_stream_class_packets_have_beginning_default_clock_snapshot(class))
		return;
	time = snapshot_time(s, bt_message_packet_beginning_borrow_default_clock_snapshot_const(m));
	if (!s->opened.begin || time < s->opened.begin)
		s->opened.begin = time;
}

/* Anything but an event. */
static void note_message(struct sink *s, struct input *in, const bt_message *m)
{
	uint64_t count;

	switch (bt_message_get_type(m)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		note_stream(s, in, bt_message_stream_beginning_borrow_stream_const(m));
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		note_packet(s, m);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(m, &count))
			s->end.discarded += count;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (bt_message_discarded_packets_get_count(m, &count))
			s->end.discarded_packets += count;
		break;
	default:
		break;
	}
}

/* Behind the present message. 1: there is one; 0: the end; -1: an error. */
static int step(struct input *in)
{
	bt_message_iterator_next_status status;

	if (in->messages && in->at < in->count) {
		bt_message_put_ref(in->messages[in->at]);
		in->at++;
	}
	while (in->at == in->count) {
		in->at = in->count = 0;
		status = bt_message_iterator_next(in->iterator, &in->messages, &in->count);
		if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
			return 0;
		if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
			return -1;
	}
	return 1;
}

/* To the next event. */
static int next_event(struct sink *s, struct input *in)
{
	int ret;

	while ((ret = step(in)) > 0) {
		const bt_message *m = in->messages[in->at];

		if (bt_message_get_type(m) == BT_MESSAGE_TYPE_EVENT) {
			in->time = snapshot_time(s,
				bt_message_event_borrow_default_clock_snapshot_const(m));
			return 1;
		}
		note_message(s, in, m);
	}
	return ret;
}

static bool input_earlier(const struct input *a, const struct input *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->folder != b->folder)
		return a->folder < b->folder;
	return a->class != b->class ? a->class < b->class : a->instance < b->instance;
}

static void sink_down(struct sink *s, size_t i)
{
	struct input *moved = s->heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < s->heap_count; i = child) {
		if (child + 1 < s->heap_count && input_earlier(s->heap[child + 1], s->heap[child]))
			child++;
		if (!input_earlier(s->heap[child], moved))
			break;
		s->heap[i] = s->heap[child];
	}
	s->heap[i] = moved;
}

/* The cause that libbabeltrace2 tells for its last error. */
static void last_error(char *text, size_t size)
{
	const bt_error *error = bt_current_thread_take_error();
	uint64_t count = error ? bt_error_get_cause_count(error) : 0;

	snprintf(text, size, "%s", count ? bt_error_cause_get_message(
			bt_error_borrow_cause_by_index(error, 0)) : "no cause told");
	if (error)
		bt_error_release(error);
	text[strcspn(text, "\n")] = '\0';
}

static void input_failed(struct sink *s, const struct input *in)
{
	char cause[256], text[1024];

	last_error(cause, sizeof(cause));
	snprintf(text, sizeof(text), "%s: the rest of a stream was left out: babeltrace2: %s",
		 s->folders->paths[in->folder], cause);
	frame_put(s->out, FRAME_PROBLEM, text, strlen(text) + 1);
}

/* ---- the sink component ------------------------------------------------------------------- */

static bt_component_class_initialize_method_status initialize(bt_self_component_sink *self,
		bt_self_component_sink_configuration *configuration, const bt_value *params,
		void *data)
{
	struct sink *s = data;
	char name[32];

	(void)configuration, (void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), s);
	for (size_t i = 0; i < s->input_count; i++) {
		snprintf(name, sizeof(name), "in%zu", i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status configured(
		bt_self_component_sink *self)
{
	struct sink *s = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	int ret;

	for (size_t i = 0; i < s->input_count; i++) {
		struct input *in = &s->inputs[i];

		if (bt_message_iterator_create_from_sink_component(self,
				bt_self_component_sink_borrow_input_port_by_index(self, i),
				&in->iterator) !=
		    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
		ret = next_event(s, in);
		if (ret > 0)
			s->heap[s->heap_count++] = in;
		else if (ret < 0)
			input_failed(s, in);
	}
	for (size_t i = s->heap_count / 2; i-- > 0;)
		sink_down(s, i);
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct sink *s = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	struct input *in;
	int ret;

	if (s->others_declared && !s->ours_declared) {
		s->failed = "no event of dltrace is declared in it";
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
	}
	frame_put(s->out, FRAME_OPENED, &s->opened, sizeof(s->opened));
	while (s->heap_count) {
		in = s->heap[0];
		give_event(s, in);
		ret = next_event(s, in);
		if (ret < 0)
			input_failed(s, in);
		if (ret <= 0)
			s->heap[0] = s->heap[--s->heap_count];
		if (s->heap_count > 1)
			sink_down(s, 0);
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

static const bt_component_class_sink *make_sink_class(void)
{
	bt_component_class_sink *class = bt_component_class_sink_create("dltrace", consume);

	if (class) {
		bt_component_class_sink_set_initialize_method(class, initialize);
		bt_component_class_sink_set_graph_is_configured_method(class, configured);
	}
	return class;
}

/* ---- the graph ---------------------------------------------------------------------------- */

static const bt_component_source *add_source(bt_graph *graph,
		const bt_component_class_source *class, const char *folder, size_t index)
{
	const bt_component_source *source = NULL;
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	char name[32];

	snprintf(name, sizeof(name), "source%zu", index);
	if (params && bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
		      BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	    bt_value_array_append_string_element(inputs, folder) ==
		      BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
		bt_graph_add_source_component(graph, class, name, params, BT_LOGGING_LEVEL_NONE,
					      &source);
	bt_value_put_ref(params);
	return source;
}

/* One source a folder; those that the library refuses become problems. */
static size_t add_sources(struct sink *s, bt_graph *graph, const bt_component_class_source *class,
			  const bt_component_source **sources)
{
	char cause[256], text[1024];
	size_t ports = 0;

	for (size_t i = 0; i < s->folders->count; i++) {
		sources[i] = add_source(graph, class, s->folders->paths[i], i);
		if (sources[i]) {
			ports += bt_component_source_get_output_port_count(sources[i]);
			continue;
		}
		last_error(cause, sizeof(cause));
		snprintf(text, sizeof(text), "%s: babeltrace2 refuses it: %s",
			 s->folders->paths[i], cause);
		frame_put(s->out, FRAME_PROBLEM, text, strlen(text) + 1);
	}
	return ports;
}

static bool connect_ports(struct sink *s, bt_graph *graph, const bt_component_source **sources,
			  const bt_component_sink *sink)
{
	size_t n = 0;

	for (size_t i = 0; i < s->folders->count; i++) {
		const bt_component_source *from = sources[i];
		uint64_t count = from ? bt_component_source_get_output_port_count(from) : 0;

		for (uint64_t port = 0; port < count; port++, n++) {
			const bt_port_output *out =
				bt_component_source_borrow_output_port_by_index_const(from, port);
			const bt_port_input *in =
				bt_component_sink_borrow_input_port_by_index_const(sink, n);

			s->inputs[n].folder = (unsigned)i;
			if (bt_graph_connect_ports(graph, out, in, NULL) !=
			    BT_GRAPH_CONNECT_PORTS_STATUS_OK)
				return false;
		}
	}
	return true;
}

static const char *build_and_run(struct sink *s, bt_graph *graph, const bt_plugin *plugin)
{
	const bt_component_class_source *source_class =
		bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	const bt_component_source **sources = must(calloc(s->folders->count, sizeof(*sources)));
	const bt_component_class_sink *sink_class = make_sink_class();
	const bt_component_sink *sink;

	if (!source_class || !sink_class)
		return "babeltrace2 has no source.ctf.fs";
	s->input_count = add_sources(s, graph, source_class, sources);
	if (s->input_count == 0)
		return "babeltrace2 finds no stream in it";
	s->inputs = must(calloc(s->input_count, sizeof(*s->inputs)));
	s->heap = must(calloc(s->input_count, sizeof(*s->heap)));
	if (bt_graph_add_sink_component_with_initialize_method_data(graph, sink_class, "dltrace",
								    NULL, s, BT_LOGGING_LEVEL_NONE,
								    &sink) !=
		    BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
	    !connect_ports(s, graph, sources, sink) ||
	    bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK)
		return "babeltrace2 gave up";
	return s->failed;
}

/* The child ends right after: nothing is given back. */
void graph_run(const struct folders *folders, struct frame_writer *out)
{
	struct sink *s = must(calloc(1, sizeof(*s)));
	bt_graph *graph = bt_graph_create(0);
	const bt_plugin *plugin = NULL;
	char text[512], cause[256];
	const char *why;

	s->folders = folders;
	s->out = out;
	if (value_largest() > sizeof(s->data) || !graph ||
	    bt_plugin_find("ctf", 1, 1, 1, 1, 0, &plugin) != BT_PLUGIN_FIND_STATUS_OK)
		why = "babeltrace2's plugin ctf is not installed";
	else
		why = build_and_run(s, graph, plugin);
	if (!why) {
		frame_put(out, FRAME_END, &s->end, sizeof(s->end));
		return;
	}
	last_error(cause, sizeof(cause));
	snprintf(text, sizeof(text), s->failed ? "%s" : "%s: %s", why, cause);
	frame_put(out, FRAME_FAILED, text, strlen(text) + 1);
}
