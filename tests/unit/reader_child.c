/* SPDX-License-Identifier: MIT */
/* The child that runs babeltrace2 may crash, hang, talk nonsense: one problem, and what it gave is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define TEST_OWN_GRAPH
#include "reader_all.h"
#include "reader_trace.h"

#ifdef HAVE_BABELTRACE

enum behaviour { WELL, CRASH, HANG, NONSENSE, SHORT_EVENT, LONG_STRING, LEAVE, REFUSE, MUTE };

static enum behaviour behaviour;
static char error[READER_ERROR_SIZE];

/* Sends an event's frame that ends `less` bytes too early, or whose string claims to be huge. */
static void put_broken_event(struct frame_writer *out, size_t less, uint32_t length)
{
	const struct dlt_ev_record_note note = { .kind = "a", .text = "b" };
	struct reader_event e = { 9, DLT_EV_RECORD_NOTE, &note };
	struct frame_writer memory = { .fd = -1 };
	struct frame frame;

	frame_put_event(&memory, &e);
	memcpy(&frame, memory.buffer, sizeof(frame));
	frame.size -= (uint32_t)less;
	memcpy(memory.buffer, &frame, sizeof(frame));
	if (length)
		memcpy(memory.buffer + sizeof(frame) + sizeof(note), &length, sizeof(length));
	memory.fd = out->fd;
	memory.used -= less;
	frame_flush(&memory);
	free(memory.buffer);
}

void graph_run(const struct folders *folders, struct frame_writer *out)
{
	const struct frame_opened opened = { .clock_offset = 5, .begin = 7, .host = "child" };
	const struct frame_end end = { .foreign = 1, .discarded = 2, .discarded_packets = 3 };
	const struct dlt_ev_sample_machine machine = {
		.host = "node", .cpus = 2, .busy = (const uint64_t[]){ 1, 2 }, .busy_count = 2,
	};
	struct reader_event e = { 8, DLT_EV_SAMPLE_MACHINE, &machine };

	(void)folders;
	if (behaviour == REFUSE)
		frame_put(out, FRAME_FAILED, "it is not one", 14);
	if (behaviour == REFUSE)
		return;
	if (behaviour == MUTE)
		for (;;)
			pause();
	frame_put(out, FRAME_OPENED, &opened, sizeof(opened));
	for (int i = 0; i < 3; i++)
		frame_put_event(out, &e);
	frame_put(out, FRAME_ALIVE, NULL, 0);
	frame_flush(out);
	if (behaviour == CRASH)
		raise(SIGKILL);	/* as SIGSEGV, but no sanitizer minds */
	if (behaviour == HANG)
		for (;;)
			pause();
	if (behaviour == NONSENSE)
		frame_put(out, (enum frame_kind)99, "?", 1);
	if (behaviour == SHORT_EVENT)
		put_broken_event(out, 1, 0);
	if (behaviour == LONG_STRING)
		put_broken_event(out, 0, 0xfffffff0);
	if (behaviour == WELL)
		frame_put(out, FRAME_END, &end, sizeof(end));
	_exit(0);
}

static struct reader *open_behaving(struct trace *t, enum behaviour how)
{
	struct reader *r;

	behaviour = how;
	babeltrace_patience_ms = 300;
	trace_write(t, 1, NULL);
	r = reader_open(t->folder, READER_BABELTRACE, error, sizeof(error));
	trace_remove(t);
	return r;
}

static void it_goes_well(void **state)
{
	const struct dlt_ev_sample_machine *machine;
	struct trace *t = calloc(1, sizeof(*t));
	struct reader *r = open_behaving(t, WELL);
	struct reader_event e;

	(void)state;
	assert_non_null(r);
	assert_int_equal(reader_info(r)->clock_offset, 5);
	assert_int_equal(reader_info(r)->begin, 7);
	assert_string_equal(reader_info(r)->host, "child");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(reader_next(r, &e), 1);
		machine = e.data;
		assert_string_equal(machine->host, "node");
		assert_int_equal(machine->busy[1], 2);
		assert_int_equal(machine->busy_count, 2);
	}
	assert_int_equal(reader_next(r, &e), 0);
	assert_int_equal(reader_info(r)->foreign, 1);
	assert_int_equal(reader_info(r)->discarded, 2);
	assert_int_equal(reader_info(r)->discarded_packets, 3);
	assert_int_equal(reader_info(r)->problem_count, 0);
	reader_close(r);
	free(t);
}

static void it_goes_badly(void **state)
{
	static const struct {
		enum behaviour how;
		const char *why;
	} cases[] = {
		{ CRASH, "ended by signal 9 (Killed) after 3 events; these were kept" },
		{ HANG, "hung and was ended" },
		{ NONSENSE, "gave nonsense after 3 events" },
		{ SHORT_EVENT, "gave nonsense after 3 events" },
		{ LONG_STRING, "gave nonsense after 3 events" },
		{ LEAVE, "ended early" },
	};
	struct reader_event e;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace *t = calloc(1, sizeof(*t));
		struct reader *r = open_behaving(t, cases[i].how);
		int events = 0, ret;

		assert_non_null(r);
		while ((ret = reader_next(r, &e)) > 0)
			events++;
		assert_int_equal(events, 3);
		assert_true(ret < 0);
		assert_int_equal(reader_next(r, &e), 0);
		assert_int_equal(reader_info(r)->problem_count, 1);
		if (!strstr(reader_info(r)->problems[0].text, cases[i].why))
			fail_msg("%s", reader_info(r)->problems[0].text);
		reader_close(r);
		free(t);
	}
}

static void it_does_not_begin(void **state)
{
	struct trace *t = calloc(1, sizeof(*t));

	(void)state;
	assert_null(open_behaving(t, REFUSE));
	assert_non_null(strstr(error, ": it is not one"));
	t->folder[0] = '\0';
	assert_null(open_behaving(t, MUTE));
	assert_non_null(strstr(error, "babeltrace2 hung"));
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_well),
		cmocka_unit_test(it_goes_badly),
		cmocka_unit_test(it_does_not_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("SKIP: built without babeltrace2");
	return 77;
}

#endif
