/* SPDX-License-Identifier: MIT */
/* The fast source on traces of every shape: what comes out is what was put in, and what is broken is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "reader_all.h"
#include "reader_trace.h"

static char error[READER_ERROR_SIZE];

static struct reader *open_slowly(const char *path, bool slow)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!slow) {
		free(r);
		return reader_open(path, READER_FAST, error, sizeof(error));
	}
	r->info.path = strdup(path);
	r->info.recording.command = strdup("");
	r->slow = true;
	assert_int_equal(source_open_fast(r, path, error, sizeof(error)), 0);
	stand_at_begin(r);
	return r;
}

/* All events as text; the reader stays open for its info. */
static char *read_all(struct reader *r)
{
	struct reader_event event;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (reader_next(r, &event) > 0)
		text_write_event(out, reader_info(r), &event);
	fclose(out);
	return text;
}

static struct reader *open_trace(const struct trace *t)
{
	struct reader *r = reader_open(t->folder, READER_FAST, error, sizeof(error));

	if (!r)
		fail_msg("%s", error);
	return r;
}

/* Replaces the first `from` in the metadata, which must be there. */
static void edit_metadata(const struct trace *t, const char *from, const char *to)
{
	char path[512], *text = calloc(1, 1 << 20), *at;
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", t->folder);
	f = fopen(path, "r");
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	at = strstr(text, from);
	assert_non_null(at);
	f = fopen(path, "w");
	fwrite(text, 1, (size_t)(at - text), f);
	fputs(to, f);
	fputs(at + strlen(from), f);
	fclose(f);
	free(text);
}

/* Another source gives the same. */
static void same_from(enum reader_source source, const struct trace *t, const char *written)
{
	struct reader *r = reader_open(t->folder, source, error, sizeof(error));
	char *read;

	if (!r)
		fail_msg("%s", error);
	assert_int_equal(reader_info(r)->source, READER_BABELTRACE);
	read = read_all(r);
	assert_string_equal(read, written);
	assert_string_equal(reader_info(r)->host, "unit");
	assert_int_equal(reader_info(r)->begin, TRACE_OFFSET + 1000);
	assert_int_equal(reader_info(r)->problem_count, 0);
	free(read);
	reader_close(r);
}

/* Headers that LTTng writes are not walked, and no event of dltrace's is, whatever describes them. */
static void assert_read_directly(const struct reader *r, const struct trace *t, bool slow)
{
	const struct part_class *c = ((struct fast *)r->state)->parts[0]->classes;

	if (slow)
		return;
	if (!t->big_endian && !t->natural)
		assert_int_equal(c->header, t->large ? HEADER_LARGE : HEADER_COMPACT);
	for (size_t id = 0; id < DLT_EVENTS; id++) {
		assert_non_null(c->plans[id]);
		assert_false(c->plans[id]->slow);
		assert_false(c->plans[id]->missing);
	}
}

static void every_shape(void **state)
{
	char *written, *read;
	size_t size;

	(void)state;
	for (unsigned shape = 0; shape < 64; shape++) {
		struct trace *t = calloc(1, sizeof(*t));
		FILE *out = open_memstream(&written, &size);
		struct reader *r;

		t->large = shape & 1;
		t->big_endian = shape & 2;
		t->natural = shape & 4;
		t->contexts = shape & 8;
		t->json = shape & 32;
		trace_write(t, 3, out);
		fclose(out);
		r = open_slowly(t->folder, shape & 16);
		if (!r)
			fail_msg("%s", error);
		assert_read_directly(r, t, shape & 16);
		read = read_all(r);
		assert_string_equal(read, written);
		assert_int_equal(reader_info(r)->events, 3 * (DLT_EVENTS - 2));
		assert_int_equal(reader_info(r)->problem_count, 0);
		assert_string_equal(reader_info(r)->host, "unit");
		assert_int_equal(reader_info(r)->begin, TRACE_OFFSET + 1000);
		reader_close(r);
		free(read);
		if (HAVE_BABELTRACE && !t->json && !(shape & 16))	/* reads CTF 2 from 2.1 on */
			same_from(READER_BABELTRACE, t, written);
		free(written);
		trace_remove(t);
		free(t);
	}
}

/* Metadata that only babeltrace2 understands. */
static void other_source_helps(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));
	char *written;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	(void)state;
	if (!HAVE_BABELTRACE)
		skip();
	trace_write(t, 1, out);
	fclose(out);
	edit_metadata(t, "struct event_header {", "struct event_header {\n"
		      "typealias integer { size = 8; } := inner_t;\n");
	assert_null(reader_open(t->folder, READER_FAST, error, sizeof(error)));
	same_from(READER_AUTO, t, written);
	free(written);
	trace_remove(t);
	free(t);
}

/* One packet with `count` frees of sizes first, first+1, ... */
static void put_frees(struct trace *t, uint64_t time, uint64_t first, unsigned count)
{
	trace_begin_packet(t, time);
	for (unsigned i = 0; i < count; i++) {
		const struct dlt_ev_heap_free e = { .size = first + i };

		trace_put_event(t, DLT_EV_HEAP_FREE, &e, time + i, false);
	}
	trace_end_packet(t);
}

/* The sizes of all events must be first, first + 1, ...; how many. */
static unsigned count_frees(struct reader *r, uint64_t first)
{
	struct reader_event event;
	unsigned n = 0;

	while (reader_next(r, &event) > 0) {
		assert_int_equal(event.type, DLT_EV_HEAP_FREE);
		assert_int_equal(((const struct dlt_ev_heap_free *)event.data)->size, first + n);
		n++;
	}
	return n;
}

static void assert_problem(const struct reader *r, const char *kind, const char *text)
{
	const struct reader_info *info = reader_info(r);

	for (size_t i = 0; i < info->problem_count; i++)
		if (strcmp(info->problems[i].kind, kind) == 0 && strstr(info->problems[i].text, text))
			return;
	fail_msg("no problem '%s' with '%s' of %zu", kind, text, info->problem_count);
}

/* Each class with its last bytes behind the packet's content: told, and not given. */
static void nothing_beyond_the_content(void **state)
{
	struct odd odd = { .random = 7, .longest = 20, .words = 5 };
	const struct dlt_ev_heap_free first = { .size = 0 };

	(void)state;
	for (unsigned i = 0; i < 40 * DLT_EVENTS; i++) {
		struct trace *t = calloc(1, sizeof(*t));
		enum dlt_event type = (enum dlt_event)(i / 40);
		struct reader *r;
		size_t before;

		t->large = true;
		t->natural = i & 2;
		trace_open(t);
		trace_begin_packet(t, 1000);
		trace_put_event(t, DLT_EV_HEAP_FREE, &first, 1000, false);
		before = t->used;
		odd_event(&odd, type);
		trace_put_event(t, type, odd.data, 1001, false);
		t->used -= 1 + odd_draw(&odd) % (t->used - before - 1);
		trace_end_packet(t);
		fclose(t->stream);
		r = open_slowly(t->folder, i & 1);
		assert_int_equal(count_frees(r, 0), 1);
		assert_problem(r, "corrupt", "bytes were left out: event 2");
		reader_close(r);
		trace_remove(t);
		free(t);
	}
}

static void truncated_keeps_whole_packets(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));
	char path[512];
	struct reader *r;

	(void)state;
	trace_open(t);
	put_frees(t, 1000, 0, 10);
	put_frees(t, 2000, 10, 10);
	fclose(t->stream);
	snprintf(path, sizeof(path), "%s/c_0", t->folder);
	assert_int_equal(truncate(path, TRACE_PACKET + 500), 0);
	r = open_trace(t);
	assert_int_equal(count_frees(r, 0), 10);
	assert_problem(r, "truncated", "the last 500 bytes were left out");
	reader_close(r);
	assert_int_equal(truncate(path, 20), 0);
	r = open_trace(t);
	assert_int_equal(count_frees(r, 0), 0);
	assert_problem(r, "truncated", "all 20 bytes were left out");
	reader_close(r);
	trace_remove(t);
	free(t);
}

static void lost_is_counted(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));
	struct reader *r;

	(void)state;
	trace_open(t);
	t->discarded = 2;
	put_frees(t, 1000, 0, 1);
	t->discarded = 0;	/* as LTTng-UST writes now and then */
	put_frees(t, 2000, 1, 1);
	t->discarded = 7;
	t->sequence += 3;
	put_frees(t, 3000, 2, 1);
	fclose(t->stream);
	r = open_trace(t);
	assert_int_equal(count_frees(r, 0), 3);
	assert_int_equal(reader_info(r)->discarded, 7);
	assert_int_equal(reader_info(r)->discarded_packets, 3);
	reader_close(r);
	trace_remove(t);
	free(t);
}

/* A packet that stands twice (snapshots), and one stream in two files (rotations). */
static void files_are_joined(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));
	char path[512];
	struct reader *r;

	(void)state;
	trace_open(t);
	put_frees(t, 3000, 20, 10);
	fclose(t->stream);
	snprintf(path, sizeof(path), "%s/c_1", t->folder);
	t->stream = fopen(path, "w");
	t->sequence = 0;	/* the same file name order as the other way round */
	put_frees(t, 1000, 0, 10);
	fclose(t->stream);
	r = open_trace(t);
	/* The first has sequence 0 too, so its packet comes after in time, but is not a repeat. */
	assert_int_equal(((struct fast *)r->state)->stream_count, 1);
	assert_int_equal(reader_next(r, &(struct reader_event){ 0 }), 1);
	reader_close(r);

	t->stream = fopen(path, "w");
	t->sequence = 0;
	put_frees(t, 3000, 20, 10);
	put_frees(t, 4000, 30, 10);
	fclose(t->stream);
	r = open_trace(t);
	assert_int_equal(count_frees(r, 20), 20);
	reader_close(r);
	trace_remove(t);
	free(t);
}

/* Fields of another width, of other names, in another order, of another kind. */
static void other_versions(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));
	const struct dlt_ev_heap_free *e;
	struct reader_event event;
	const struct dlt_ev_heap_alloc before = { 1, 2, 3, 4, 5 };
	struct reader *r;
	char declared[64];

	(void)state;
	trace_open(t);
	trace_begin_packet(t, 1000);
	trace_put_event(t, DLT_EV_HEAP_ALLOC, &before, 1000, false);	/* must leave nothing */
	trace_put_event_head(t, DLT_EV_HEAP_FREE, 1000, false);
	trace_put(t, 0xfffe, 2);		/* thread, signed, of 16 bits */
	trace_put_bytes(t, "new\0", 4);		/* a field that we do not know */
	trace_put(t, 0x1122334455667788, 8);	/* library, of 64 bits */
	trace_put_bytes(t, "7", 2);		/* size, now a string */
	trace_end_packet(t);
	fclose(t->stream);
	edit_metadata(t, "\"dltrace_heap:free\"", "\"x:y\"");
	edit_metadata(t, "env {", "env { x = -1; y = 0x10u; z = \"\"; ");
	snprintf(declared, sizeof(declared), "event {\n\tname = \"x:y\";\n\tid = %d;", DLT_EV_HEAP_FREE);
	edit_metadata(t, declared, "event {\n\tname = \"x:y\";\n\tid = 1300;");
	{
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/metadata", t->folder);
		f = fopen(path, "a");
		fprintf(f, "event { name = \"dltrace_heap:free\"; id = %d; stream_id = 0; fields := "
			"struct { integer { size = 16; align = 8; signed = true; } _thread; "
			"string { encoding = UTF8; } _new; "
			"integer { size = 64; align = 8; } _library; string _size; }; };\n",
			DLT_EV_HEAP_FREE);
		fclose(f);
	}
	r = open_trace(t);
	assert_int_equal(reader_next(r, &event), 1);
	assert_int_equal(reader_next(r, &event), 1);
	e = event.data;
	assert_int_equal(e->thread, 0xfffffffe);
	assert_int_equal(e->library, 0x7788);
	assert_int_equal(e->size, 0);
	assert_int_equal(e->function, 0);
	assert_int_equal(reader_next(r, &event), 0);
	assert_int_equal(reader_info(r)->problem_count, 0);
	reader_close(r);
	trace_remove(t);
	free(t);
}

/* What is wrong in a trace's metadata once `from` is `to`. */
static void assert_refused(bool json, const char *from, const char *to, const char *why)
{
	struct trace *t = calloc(1, sizeof(*t));

	t->json = json;
	trace_write(t, 1, NULL);
	edit_metadata(t, from, to);
	assert_null(reader_open(t->folder, READER_FAST, error, sizeof(error)));
	if (!strstr(error, why))
		fail_msg("expected '%s' in '%s'", why, error);
	assert_null(strchr(error, '\n'));
	trace_remove(t);
	free(t);
}

static void refusals_are_told(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
		{ "/* CTF 1.8 */", "nonsense", "unknown block 'nonsense'" },
		{ "major = 1;", "major = 2;", "CTF 2 is not known" },
		{ "size = 27;", "size = 0;", "out of range" },
		{ ":= uint8_t;", ":= uint9_t;", "unknown type 'uint8_t'" },
		{ "map = clock.monotonic.value", "map = clock.other.value", "'other' is not declared" },
		{ "variant <id>", "variant <di>", "no field 'di'" },
		{ "[ __values_length ]", "[ __gone ]", "no field '__gone'" },
		{ "stream_id = 0;", "stream_id = 5;", "not declared" },
		{ "id = 1;", "id = 0;", "stands twice" },
		{ "id = 1;", "id = 99999;", "above" },
		{ "hostname = \"unit\"", "hostname = \"unit", "number was expected" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_refused(false, cases[i].from, cases[i].to, cases[i].why);
}

static void refusals_of_json_are_told(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
		{ "\"version\":2", "\"version\":3", "CTF 3 is not known" },
		{ "\"version\":2", "\"version\":2,\"version\":2", "fragment 1: line 1: duplicate" },
		{ "\"version\":2", "\"version\":2,\"extensions\":{}", "extensions are not known" },
		{ "\"uuid\":[0,", "\"uuid\":[256,", "uuid is not one" },
		{ "14,15]}", "14,15]", "fragment 1: line 2: " },
		{ "\"preamble\"", "\"a\\nb\"", "a preamble was expected" },
		{ "\"clock-class\"", "\"trace-class\"", "a second trace class" },
		{ "\"clock-class\"", "\"strange-class\"", "unknown fragment 'strange-class'" },
		{ "\"frequency\":1000000000", "\"frequency\":0", "no frequency" },
		{ "class-id\":\"monotonic\"", "class-id\":\"other\"", "'other' is not declared" },
		{ "default-clock-class-id\":\"monotonic\"", "x\":0", "no clock" },
		{ "\"length\":16", "\"length\":-16", "without a length" },
		{ "\"length\":32", "\"length\":65", "65 bits" },
		{ "\"length\":32", "\"length\":9e99", "a number was expected" },
		{ "\"length\":32", "\"length\":99999999999999999999", "a number was expected" },
		{ "\"alignment\":8", "\"alignment\":3", "alignment out of range" },
		{ "little-endian", "middle-endian", "unknown byte order 'middle-endian'" },
		{ "\"byte-order\"", "\"bit-order\":\"last-to-first\",\"byte-order\"", "bit order" },
		{ "packet-magic-number", "packet-magic", "roles that are not known" },
		{ "fixed-length-signed", "variable-length-signed", "'variable-length-signed-integer'" },
		{ "\"path\":[\"tag\"]", "\"path\":[\"v\"]", "no field 'v' before its use" },
		{ "\"path\":[\"tag\"]", "\"path\":[]", "no integer" },
		{ "\"path\":[\"tag\"]", "\"path\":[\"tag\",\"tag\"]", "no field 'tag'" },
		{ "\"origin\":\"event-record-payload\"", "\"origin\":\"packet-context\"", "in another scope" },
		{ "[[0,", "[[\"0\",", "range is none" },
		{ "\"name\":\"tag\",", "", "without a name" },
		{ "\"u64\"}", "\"u65\"}", "unknown field class 'u65'" },
		{ "\"data-stream-class-id\":0", "\"data-stream-class-id\":5", "not declared" },
		{ "\n\"id\":1,", "\n\"id\":0,", "event id 0 stands twice" },
		{ "\n\"id\":1,", "\n\"id\":99999,", "above" },
		{ "\n\"id\":1,", "\n\"id\":-1,", "below 0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_refused(true, cases[i].from, cases[i].to, cases[i].why);
}

/* Field classes in field classes, by themselves and by aliases of aliases, which one line could make any number of. */
static void json_has_bounds(void **state)
{
	enum { LEVELS = 2100 };
	char *text, below[64];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	fputs("\x1e{\"type\":\"field-class-alias\",\"name\":\"deep\",\"field-class\":", f);
	for (int i = 0; i < LEVELS; i++)
		fputs("{\"type\":\"static-length-array\",\"length\":9,\"element-field-class\":", f);
	fputs("\"u64\"", f);
	for (int i = 0; i < LEVELS + 1; i++)
		putc('}', f);
	fputs("\n\x1e{\"type\":\"trace-class\"", f);
	fclose(f);
	assert_refused(true, "\x1e{\"type\":\"trace-class\"", text, "maximum parsing depth");
	free(text);
	f = open_memstream(&text, &size);
	for (int i = 0; i < 30; i++) {
		snprintf(below, sizeof(below), i ? "a%d" : "u64", i - 1);
		fprintf(f, "\x1e{\"type\":\"field-class-alias\",\"name\":\"a%d\",\"field-class\":"
			"{\"type\":\"structure\",\"member-classes\":[{\"name\":\"x\",\"field-class\":\"%s\"},"
			"{\"name\":\"y\",\"field-class\":\"%s\"}]}}\n", i, below, below);
	}
	fputs("\x1e{\"type\":\"data-stream-class\",\"event-record-common-context-field-class\":\"a29\"", f);
	fclose(f);
	assert_refused(true, "\x1e{\"type\":\"data-stream-class\"", text, "nested too deeply, or too many");
	free(text);
}

static void what_is_no_trace(void **state)
{
	char folder[] = "/tmp/dltrace-unit.XXXXXX", path[64];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_null(reader_open(folder, READER_AUTO, error, sizeof(error)));
	assert_non_null(strstr(error, "no trace in it"));
	snprintf(path, sizeof(path), "%s/metadata", folder);
	f = fopen(path, "w");
	fclose(f);
	assert_null(reader_open(folder, READER_AUTO, error, sizeof(error)));
	assert_non_null(strstr(error, "the metadata is empty"));
	f = fopen(path, "w");
	fputs("trace { major = 1; minor = 8; byte_order = le; };\nstream { };\n"
	      "event { name = \"some:thing\"; id = 0; };\n", f);
	fclose(f);
	assert_null(reader_open(folder, READER_AUTO, error, sizeof(error)));
	assert_non_null(strstr(error, "no event of dltrace is declared in it (1 of others, such as "
			       "some:thing)"));
	unlink(path);
	rmdir(folder);
}

/* Two chunks, the second with an empty metadata file, as after a kill. */
static void killed_chunk_is_adopted(void **state)
{
	struct trace *t = calloc(1, sizeof(*t)), *second = calloc(1, sizeof(*second));
	char path[512];
	struct reader *r;

	(void)state;
	trace_open(t);
	put_frees(t, 1000, 0, 10);
	fclose(t->stream);
	snprintf(second->folder, sizeof(second->folder), "%.200s/chunk", t->folder);
	assert_int_equal(mkdir(second->folder, 0700), 0);
	trace_open(second);
	second->sequence = 1;
	put_frees(second, 2000, 10, 10);
	fclose(second->stream);
	snprintf(path, sizeof(path), "%s/metadata", second->folder);
	assert_int_equal(truncate(path, 0), 0);
	r = open_trace(t);
	assert_int_equal(count_frees(r, 0), 20);
	assert_int_equal(reader_info(r)->problem_count, 1);
	assert_problem(r, "truncated", "read with that of");
	reader_close(r);
	trace_remove(second);
	trace_remove(t);
	free(second);
	free(t);
}

static void recording_is_read(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));
	char path[512];
	struct reader *r;
	FILE *f;

	(void)state;
	trace_write(t, 1, NULL);
	snprintf(path, sizeof(path), "%s/recording", t->folder);
	f = fopen(path, "w");
	fputs("format dltrace-recording 1\nid 0x3039\nlevel calls\nbegin 7\n"
	      "command python3\x1f" "a\\nb\\\\\nend 8\nsignal 9\nlost 4\nstalled 1\nnew thing\n", f);
	fclose(f);
	r = open_trace(t);
	assert_true(reader_info(r)->recording.present);
	assert_int_equal(reader_info(r)->recording.id, 12345);
	assert_string_equal(reader_info(r)->recording.level, "calls");
	assert_string_equal(reader_info(r)->recording.command, "python3\x1f" "a\nb\\");
	assert_int_equal(reader_info(r)->recording.signal, 9);
	assert_int_equal(reader_info(r)->recording.exit_status, -1);
	assert_int_equal(reader_info(r)->recording.begin, 7);
	assert_int_equal(reader_info(r)->recording.end, 8);
	assert_int_equal(reader_info(r)->recording.lost, 4);
	assert_true(reader_info(r)->recording.stalled);
	reader_close(r);
	trace_remove(t);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(other_source_helps),
		cmocka_unit_test(nothing_beyond_the_content),
		cmocka_unit_test(truncated_keeps_whole_packets),
		cmocka_unit_test(lost_is_counted),
		cmocka_unit_test(files_are_joined),
		cmocka_unit_test(other_versions),
		cmocka_unit_test(refusals_are_told),
		cmocka_unit_test(refusals_of_json_are_told),
		cmocka_unit_test(json_has_bounds),
		cmocka_unit_test(what_is_no_trace),
		cmocka_unit_test(killed_chunk_is_adopted),
		cmocka_unit_test(recording_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
