/* SPDX-License-Identifier: MIT */
/* The text source reads what is written by hand and what the text writer writes, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <unistd.h>

#include "reader_all.h"

static char error[READER_ERROR_SIZE];

/* Opens `content` as a file. */
static struct reader *open_text(const char *content)
{
	char name[] = "/tmp/dltrace-text.XXXXXX";
	int fd = mkstemp(name);
	struct reader *r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	r = reader_open(name, READER_AUTO, error, sizeof(error));
	unlink(name);
	return r;
}

static void by_hand(void **state)
{
	struct reader *r = open_text("# first\ndltrace-text 1\n\nclock_offset 5s\nhost \"node 7\"\n"
		"recording id 0x2a\nrecording level calls\nrecording command \"a\\x1fb\"\n"
		"recording exit 3\n"
		"[2s] dltrace_sample:machine cpus=2 busy=[1 2 18446744073709551615] memory=1.5G # why\n"
		"[1500ms] dltrace_heap:alloc thread=1 function=malloc size=64K ptr=0xff\n"
		"[1] other:event x=1\n"
		"[3] dltrace_record:note value=-7 text=\"q\\\"\\\\\\n\\t\\x1f\"\n"
		"discarded 4\nproblem truncated 9 \"cut off\"\n");
	const struct dlt_ev_sample_machine *machine;
	const struct dlt_ev_record_note *note;
	const struct dlt_ev_heap_alloc *alloc;
	const struct reader_info *info;
	struct reader_event e;

	(void)state;
	assert_non_null(r);
	info = reader_info(r);
	assert_int_equal(info->source, READER_TEXT);
	assert_string_equal(info->host, "node 7");
	assert_true(info->recording.present);
	assert_int_equal(info->recording.id, 42);
	assert_string_equal(info->recording.command, "a\x1f" "b");
	assert_int_equal(info->recording.exit_status, 3);

	assert_int_equal(reader_next(r, &e), 1);
	assert_int_equal(e.type, DLT_EV_RECORD_NOTE);
	assert_int_equal(e.time, 5000000003);
	note = e.data;
	assert_int_equal(note->value, -7);
	assert_string_equal(note->text, "q\"\\\n\t\x1f");
	assert_string_equal(note->kind, "");

	assert_int_equal(reader_next(r, &e), 1);
	alloc = e.data;
	assert_int_equal(e.time, 6500000000);
	assert_int_equal(alloc->function, DLT_FN_malloc);
	assert_int_equal(alloc->size, 65536);
	assert_int_equal(alloc->ptr, 255);

	assert_int_equal(reader_next(r, &e), 1);
	machine = e.data;
	assert_int_equal(machine->busy_count, 3);
	assert_int_equal(machine->busy[2], UINT64_MAX);
	assert_int_equal(machine->memory, 3ULL << 29);
	assert_int_equal(reader_next(r, &e), 0);
	assert_int_equal(reader_next(r, &e), 0);

	assert_int_equal(info->events, 3);
	assert_int_equal(info->foreign, 1);
	assert_int_equal(info->discarded, 4);
	assert_int_equal(info->problem_count, 1);
	assert_int_equal(info->problems[0].value, 9);
	assert_string_equal(info->problems[0].text, "cut off");
	reader_close(r);
}

/* Writes a trace as text, reads it, writes it again. */
static char *rewrite(const char *content)
{
	struct reader *r = open_text(content);
	struct reader_event e;
	char *text;
	size_t size;
	FILE *out;

	assert_non_null(r);
	out = open_memstream(&text, &size);
	text_write_header(out, reader_info(r));
	while (reader_next(r, &e) > 0)
		text_write_event(out, reader_info(r), &e);
	text_write_end(out, reader_info(r));
	fclose(out);
	reader_close(r);
	return text;
}

/* One line of every event class with every field set to something odd, from the tables. */
static void every_event_survives(void **state)
{
	char *content, *once, *twice;
	size_t size;
	FILE *out;

	(void)state;
	out = open_memstream(&content, &size);
	fputs("dltrace-text 1\nclock_offset 3\nhost \"h\"\nrecording begin 1\nrecording end 2\n"
	      "recording lost 3\nrecording stalled 1\nrecording id 1\nrecording level full\n"
	      "recording command \"\"\nrecording signal 9\n", out);
	for (int type = 0; type < DLT_EVENTS; type++) {
		const struct dlt_event_desc *desc = &dlt_event_descs[type];

		if (DLT_EVENTS_OF_EVENTS >> type & 1)
			continue;	/* the reader gives what is in it: batches.c */
		fprintf(out, "[%d] %s", type + 1, desc->name);
		for (size_t i = 0; i < desc->field_count; i++) {
			enum dlt_field_type t = desc->fields[i].type;

			fprintf(out, " %s=", desc->fields[i].name);
			if (t == DLT_STR)
				fputs(i % 2 ? "\"\"" : "\"\\x01\xc3\xa4\"", out);
			else if (t == DLT_SEQ64)
				fputs("[0 18446744073709551615]", out);
			else if (t == DLT_X64)
				fprintf(out, "%#lx", ~0UL);
			else if (value_signed(t))
				fprintf(out, "%ld", INT64_MIN >> (64 - 8 * value_width(t)));
			else
				fprintf(out, "%lu", ~0UL >> (64 - 8 * value_width(t)));
		}
		putc('\n', out);
	}
	fputs("problem lost 7 \"x\"\n", out);
	fclose(out);
	once = rewrite(content);
	twice = rewrite(once);
	assert_string_equal(once, content);
	assert_string_equal(twice, once);
	free(content);
	free(once);
	free(twice);
}

static void assert_tells(const char *text, const char *why)
{
	if (!strstr(text, why))
		fail_msg("expected '%s' in '%s'", why, text);
}

static void mistakes_are_told(void **state)
{
	static const struct {
		const char *content, *why;
	} cases[] = {
		{ "", "empty" },
		{ "\x7f" "ELF\n", "not a trace" },
		{ "dltrace-text 1\nhots x\n", "line 2: unknown header 'hots'" },
		{ "dltrace-text 1\n[x] a:b\n", "'x] a:b' is not a number" },
		{ "dltrace-text 1\n[1]a:b\n", "expected '[TIME]" },
		{ "dltrace-text 1\nproblem sad 0 \"\"\n", "unknown kind of problem 'sad'" },
		{ "dltrace-text 1\nproblem lost 0 x\n", "expected: problem" },
	};
	static const struct {
		const char *line, *why;
	} events[] = {
		{ "dltrace_heap:allok", "no event 'dltrace_heap:allok'" },
		{ "dltrace_heap:alloc sise=1", "has no field 'sise'" },
		{ "dltrace_heap:alloc size", "expected FIELD=VALUE at 'size'" },
		{ "dltrace_heap:alloc size=1x", "blank expected" },
		{ "dltrace_heap:alloc size=18446744073709551616", "does not fit into 64 bits" },
		{ "dltrace_heap:alloc thread=4294967296", "does not fit the field" },
		{ "dltrace_cuda:sync result=-32769", "does not fit the field" },
		{ "dltrace_heap:alloc function=malok", "no function 'malok'" },
		{ "dltrace_record:note text=x", "wants a string" },
		{ "dltrace_record:note text=\"x", "no closing quote" },
		{ "dltrace_record:note text=\"\\q\"", "unknown escape" },
		{ "dltrace_sample:machine busy=1", "wants a sequence" },
		{ "dltrace_sample:machine busy=[1 2", "no closing bracket" },
		{ "dltrace_sample:machine busy=[1,2]", "separated by blanks" },
	};
	struct reader_event e;
	struct reader *r;
	char content[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_null(open_text(cases[i].content));
		assert_tells(error, cases[i].why);
	}
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		snprintf(content, sizeof(content), "dltrace-text 1\n[1] %s\n", events[i].line);
		r = open_text(content);
		assert_non_null(r);
		assert_int_equal(reader_next(r, &e), -EINVAL);
		assert_int_equal(reader_info(r)->problem_count, 1);
		assert_tells(reader_info(r)->problems[0].text, events[i].why);
		assert_int_equal(reader_next(r, &e), 0);
		reader_close(r);
	}
	assert_null(reader_open("/nonexistent", READER_AUTO, error, sizeof(error)));
	assert_string_equal(error, "cannot open trace: path=/nonexistent: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(every_event_survives),
		cmocka_unit_test(mistakes_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
