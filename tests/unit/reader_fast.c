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

static void every_shape(void **state)
{
	char *written, *read;
	size_t size;

	(void)state;
	for (unsigned shape = 0; shape < 32; shape++) {
		struct trace *t = calloc(1, sizeof(*t));
		FILE *out = open_memstream(&written, &size);
		struct reader *r;

		t->large = shape & 1;
		t->big_endian = shape & 2;
		t->natural = shape & 4;
		t->contexts = shape & 8;
		trace_write(t, 3, out);
		fclose(out);
		r = open_slowly(t->folder, shape & 16);
		assert_non_null(r);
		read = read_all(r);
		assert_string_equal(read, written);
		assert_int_equal(reader_info(r)->events, 3 * (DLT_EVENTS - 2));
		assert_int_equal(reader_info(r)->problem_count, 0);
		assert_string_equal(reader_info(r)->host, "unit");
		assert_int_equal(reader_info(r)->begin, TRACE_OFFSET + 1000);
		reader_close(r);
		free(read);
		if (HAVE_BABELTRACE && !(shape & 16))
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
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace *t = calloc(1, sizeof(*t));

		trace_write(t, 1, NULL);
		edit_metadata(t, cases[i].from, cases[i].to);
		assert_null(reader_open(t->folder, READER_FAST, error, sizeof(error)));
		if (!strstr(error, cases[i].why))
			fail_msg("expected '%s' in '%s'", cases[i].why, error);
		assert_null(strchr(error, '\n'));
		trace_remove(t);
		free(t);
	}
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
		cmocka_unit_test(what_is_no_trace),
		cmocka_unit_test(killed_chunk_is_adopted),
		cmocka_unit_test(recording_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
