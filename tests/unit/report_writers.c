/* SPDX-License-Identifier: MIT */
/* build: .libs/libreport.a */
/* The writers on reports made by hand: ordinary, empty, several traces, hostile names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/report_all.h"
#include "tests/unit/report_fixture.h"

/* fontconfig keeps what it has read */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n";
}

static const struct writer_options plain = { .unicode = true, .width = 80 };

/* What a writer makes of a report; the report is released. */
static char *written(struct report *r, const char *format, const char *page,
		     const struct writer_options *o)
{
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	assert_int_equal(writer_by_name(format)->write(r, page, f, o), 0);
	report_free(r);
	return text_close(f, &text);
}

static struct report *(*const fixtures[])(void) = {
	fixture_empty, fixture_one, fixture_two, fixture_hostile,
};

#define FIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

/* ---- tables ---- */

static void sorting_is_stable(void **state)
{
	static const struct column columns[] = { { "n", "n", UNIT_COUNT, "" }, { "s", "s", UNIT_TEXT, "" } };
	static const uint64_t numbers[] = { 3, UINT64_MAX, 3, 0, UINT64_MAX - 1, 3, 9 };
	struct report *r = report_new();
	struct table *t = report_add_table(r, "t", "t", columns, 2);
	char text[8] = "", name[2] = "a";

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++, name[0]++) {
		table_add_row(t);
		table_set_uint(t, "n", numbers[i]);
		table_set_text(t, "s", name);
	}
	table_sort_falling(t, "n");
	for (size_t i = 0; i < t->row_count; i++)
		strcat(text, cell_text(table_get(t, i, "s")));
	assert_string_equal(text, "begacfd");
	assert_int_equal(table_get(t, 99, "n")->type, CELL_NULL);
	assert_int_equal(table_get(t, 0, "none")->type, CELL_NULL);
	report_free(r);
}

/* ---- text ---- */

/* Nothing but printable characters and line feeds, and no line over the width. */
static void check_lines(const char *text, int width)
{
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		size_t n;
		uint32_t c;

		for (const char *p = line; *p; p += n) {
			n = utf8_next(p, &c);
			assert_true(n && columns_of(c) >= 0);
		}
		if (text_width(line) > width)
			fail_msg("wider than %d: %s", width, line);
		if (*line)
			assert_int_not_equal(line[strlen(line) - 1], ' ');
	}
	free(copy);
}

static void text_fits(void **state)
{
	static const int widths_of[] = { 60, 80, 100, 140, 250 };

	(void)state;
	for (size_t i = 0; i < FIXTURES; i++)
		for (size_t w = 0; w < sizeof(widths_of) / sizeof(widths_of[0]); w++)
			for (int unicode = 0; unicode < 2; unicode++) {
				struct writer_options o = { .unicode = unicode, .width = widths_of[w] };
				char *text = written(fixtures[i](), "text", NULL, &o);

				check_lines(text, widths_of[w]);
				for (const char *p = text; !unicode && *p; p++)
					assert_true(*p > 0);
				free(text);
			}
}

static void text_tells(void **state)
{
	char *text = written(fixture_one(), "text", NULL, &plain);

	(void)state;
	assert_non_null(strstr(text, "python3 train.py --model mobilenet_v2 --note 'it's done'\n"
				     "PyTorch 1.13.1 · node7 · 16 cores · 128 GiB · 41.2 s · exit 0\n"));
	assert_non_null(strstr(text, "  ✗ Process 4713 was killed by SIGKILL.\n  ! The heap grows"));
	assert_non_null(strstr(text, "  cudaLaunchKernel           ██████████  61.2 %  1,234,567  7.53 s"));
	assert_non_null(strstr(text, "  4713  python3  37.0 s  SIGKILL"));
	assert_non_null(strstr(text, "  threads         ▄▆▆▆▆▆▆▆▆▆▆▆▆▆▆█▆"));
	free(text);
}

static void text_compares(void **state)
{
	char *text = written(fixture_two(), "text", NULL, &plain);

	(void)state;
	assert_non_null(strstr(text, "  0  PyTorch 1.13.1     41.2 s   1.00       17    84.0 %"));
	assert_non_null(strstr(text, "  1  TensorFlow 2.21.0  41.2 s   1.00       17    50.4 %"));
	free(text);
	text = written(fixture_one(), "text", NULL, &plain);
	assert_null(strstr(text, "Comparison"));
	free(text);
}

static void text_has_colours_only_when_asked(void **state)
{
	struct writer_options o = plain;
	char *text = written(fixture_hostile(), "text", NULL, &o);

	(void)state;
	assert_null(strchr(text, '\033'));
	free(text);
	o.color = true;
	text = written(fixture_one(), "text", NULL, &o);
	assert_non_null(strstr(text, "\033[1;31m✗\033[0m"));
	free(text);
}

static void every_table_is_a_page(void **state)
{
	const char *page;

	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		struct report *r = fixtures[i]();

		for (size_t p = 0; (page = writer_page(&writers[0], r, p)); p++) {
			char *text = written(fixtures[i](), "text", page, &plain);

			assert_null(strchr(text, '\033'));
			free(text);
		}
		report_free(r);
	}
}

/* ---- JSON ---- */

static json_t *parsed(struct report *r)
{
	char *text = written(r, "json", NULL, &plain);
	json_error_t error;
	json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!tree)
		fail_msg("line %d: %s", error.line, error.text);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
	free(text);
	return tree;
}

static void json_is_valid(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		json_t *tree = parsed(fixtures[i]());

		assert_string_equal(json_string_value(json_object_get(tree, "format")), "dltrace-report");
		assert_true(json_is_array(json_object_get(tree, "breakdown")));
		assert_true(json_is_array(json_object_get(tree, "series")));
		json_decref(tree);
	}
}

static void json_keeps_values(void **state)
{
	json_t *tree = parsed(fixture_one());
	json_t *row = json_array_get(json_object_get(tree, "shares"), 0);
	json_t *first = json_array_get(json_object_get(tree, "series"), 0);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(row, "function")), "cudaLaunchKernel");
	assert_true(json_real_value(json_object_get(row, "share")) == 0.612);
	assert_int_equal(json_integer_value(json_object_get(row, "calls")), 1234567);
	assert_true(json_is_null(json_object_get(row, "bytes")));
	assert_true(json_is_null(json_object_get(first, "process")));
	assert_int_equal(json_integer_value(json_array_get(json_array_get(
			json_object_get(first, "points"), 411), 0)), 41100000000);
	json_decref(tree);
}

static void json_is_the_same_each_time(void **state)
{
	char *a = written(fixture_two(), "json", NULL, &plain);
	char *b = written(fixture_two(), "json", NULL, &plain);

	(void)state;
	assert_string_equal(a, b);
	free(a);
	free(b);
}

/* ---- CSV ---- */

static void csv_quotes(void **state)
{
	static const struct column columns[] = { { "a", "a", UNIT_TEXT, "" }, { "b", "b", UNIT_COUNT, "" } };
	static const struct { const char *text, *csv; } cases[] = {
		{ "plain", "plain" },
		{ "", "" },
		{ "a,b", "\"a,b\"" },
		{ "say \"hi\"", "\"say \"\"hi\"\"\"" },
		{ "two\nlines", "\"two\nlines\"" },
		{ "=1+2", "\"'=1+2\"" },
		{ "-x", "\"'-x\"" },
		{ "\033[2J", "\\x1b[2J" },
	};
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report *r = report_new();
		struct table *t = report_add_table(r, "t", "t", columns, 2);
		char *text;

		table_add_row(t);
		table_set_text(t, "a", cases[i].text);
		if (i)
			table_set_int(t, "b", -1);
		text = written(r, "csv", "t", &plain);
		snprintf(expected, sizeof(expected), "a,b\r\n%s,%s\r\n", cases[i].csv, i ? "-1" : "");
		assert_string_equal(text, expected);
		free(text);
	}
}

static void csv_of_series_is_long(void **state)
{
	char *text = written(fixture_one(), "csv", "series", &plain);

	(void)state;
	assert_non_null(strstr(text, "trace,host,process,name,unit,t_ns,value,library,device\r\n"
				     "0,node7,,threads,count,0,1,,\r\n"
				     "0,node7,,threads,count,100000000,1,,\r\n"));
	assert_non_null(strstr(text, "\r\n0,node7,0,heap_bytes,bytes,"));
	free(text);
}

/* ---- SVG ---- */

static void svg_is_drawn(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++)
		for (size_t f = 0; f < figure_count; f++) {
			char *text = written(fixtures[i](), "svg", figures[f].name, &plain);

			assert_non_null(strstr(text, "<svg"));
			assert_non_null(strstr(text, "width=\"241pt\""));
			assert_non_null(strstr(text, "</svg>"));
			assert_null(strstr(text, "<b>"));
			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf"));
			assert_null(strchr(text, '\033'));
			free(text);
		}
}

/* The second of two GPUs works: the panel is its, and is not left out. */
static void busiest_gpu_is_drawn(void **state)
{
	char *text = written(fixture_one(), "svg", "curves", &plain);

	(void)state;
	assert_non_null(strstr(text, ">GPU 1, most of 2<"));
	free(text);
}

#define STUDY_GROUPS 100

/* Three runs of each group, and what each is called is not looked for anew for each label. */
static void many_runs_are_named(void **state)
{
	static const struct column traces_of[] = {
		{ "trace", "", UNIT_ID, "" }, { "job", "", UNIT_ID, "" }, { "name", "", UNIT_TEXT, "" },
	};
	static const struct column runs_of[] = {
		{ "trace", "", UNIT_ID, "" }, { "group", "", UNIT_ID, "" }, { "failed", "", UNIT_COUNT, "" },
		{ "name", "", UNIT_TEXT, "" }, { "model", "", UNIT_TEXT, "" }, { "dataset", "", UNIT_TEXT, "" },
	};
	struct report *r = report_new();
	struct table *traces = report_add_table(r, "traces", "", COLUMNS(traces_of));
	struct table *runs = report_add_table(r, "runs", "", COLUMNS(runs_of));
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 3 * STUDY_GROUPS; i++) {
		snprintf(name, sizeof(name), "model %u", i % STUDY_GROUPS);
		table_add_row(traces);
		table_set_uint(traces, "trace", i);
		table_set_uint(traces, "job", i);
		table_add_row(runs);
		table_set_uint(runs, "trace", i);
		table_set_uint(runs, "group", i % STUDY_GROUPS);
		table_set_uint(runs, "failed", i < STUDY_GROUPS);
		table_set_text(runs, "name", name);
		table_set_text(runs, "model", name);
		table_set_text(runs, "dataset", "d");
	}
	alarm(60);
	assert_int_equal(figure_traces(r), STUDY_GROUPS);
	for (unsigned i = 0; i < STUDY_GROUPS; i++) {
		char *label = figure_trace_label(r, figure_trace(r, i));

		snprintf(name, sizeof(name), "model %u", i);
		assert_string_equal(label, name);
		assert_int_equal(figure_trace(r, i), STUDY_GROUPS + i);
		assert_false(figure_shows(r, i));
		assert_true(figure_shows(r, STUDY_GROUPS + i));
		free(label);
	}
	alarm(0);
	report_free(r);
}

/* As PDF and PNG in each style, at a size that is too low for most. */
static void pictures_are_drawn(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++)
		for (size_t f = 0; f < figure_count; f++) {
			struct writer_options o = plain;
			char *text;

			o.looks.style = &figure_styles[(i + f) % figure_style_count];
			o.looks.width = 200;
			o.looks.height = f % 2 ? 90 : 0;
			o.looks.dpi = 40;
			text = written(fixtures[i](), "pdf", figures[f].name, &o);
			assert_int_equal(strncmp(text, "%PDF", 4), 0);
			free(text);
			text = written(fixtures[i](), "png", figures[f].name, &o);
			assert_int_equal(strncmp(text, "\x89PNG", 4), 0);
			free(text);
			text = written(fixtures[i](), "svg", figures[f].name, &o);
			assert_non_null(strstr(text, "width=\"200pt\""));
			free(text);
		}
}

static void sizes_are_read(void **state)
{
	static const struct { const char *text; double width, height; } good[] = {
		{ "2in", 144, 0 }, { "2.54cm", 72, 0 }, { "50.8x25.4mm", 144, 72 },
		{ "144ptx72pt", 144, 72 }, { "96x192px", 72, 144 },
	};
	static const char *const bad[] = { "", "85", "85 mm", "mm", "1mm", "85mmx", "85mmx3in", "85xmm",
					   "1e9mm", "nan", "nanmm", "-85mm", "85mmm" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct looks l = { 0 };

		assert_true(looks_size(&l, good[i].text));
		looks_finish(&l);
		assert_true(fabs(l.width - good[i].width) < 1e-6);
		assert_true(fabs(l.height - good[i].height) < 1e-6);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(looks_size(&(struct looks){ 0 }, bad[i]));
}

/* One point, equal times, values that are not finite, huge and negative ones. */
static void svg_of_odd_curves(void **state)
{
	static const double values[][3] = {
		{ 5, 5, 5 }, { NAN, 1, NAN }, { NAN, NAN, NAN }, { -5, 1e300, 0 }, { INFINITY, 1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (int step = 0; step < 2; step++)
			for (size_t count = 0; count <= 3; count++) {
				struct report *r = fixture_empty();
				struct series *s;
				char *text;

				fixture_trace(r, 0, "/t", "PyTorch", "1", "p");
				s = report_add_series(r, "threads", "", "count", 0, -1, "");
				for (size_t p = 0; p < count; p++)
					series_add(s, (int64_t)p * step * 1000, values[i][p]);
				text = written(r, "svg", "curves", &plain);
				assert_null(strstr(text, "nan"));
				assert_null(strstr(text, "inf"));
				free(text);
			}
}

/* One sample among 100,000 is larger: it stands in the sparkline and the drawing. */
static void peaks_are_kept(void **state)
{
	struct report *r = report_new();
	struct series *s = report_add_series(r, "threads", "", "count", 0, -1, "");
	char *spark;

	(void)state;
	for (int i = 0; i < 100000; i++)
		series_add(s, i, i == 54321 ? 100 : 1);
	spark = sparkline(s, 0, 99999, 100, 40, false);
	assert_int_equal(strlen(spark), 40);
	assert_ptr_equal(strchr(spark, '#'), spark + 21);
	free(spark);
	report_free(r);
}

static void axes_have_round_ticks(void **state)
{
	char buf[32];
	struct axis a = axis_count(17, 5);

	(void)state;
	assert_true(a.hi == 20 && a.step == 5);
	a = axis_count(1, 4);
	assert_true(a.step == 1);
	a = axis_percent(97, 4);
	assert_true(a.hi == 100 && a.step == 25);
	a = axis_bytes(700 * 0x1p20, 4);
	assert_string_equal(a.unit, "MiB");
	assert_string_equal(axis_label(&a, a.hi, buf), "800");
	a = axis_time(0, 41e9, 6);
	assert_string_equal(a.unit, "s");
	assert_true(a.hi == 41e9 && a.step == 10e9);
	a = axis_time(0, 0, 6);
	assert_true(a.hi > 0 && a.step > 0);
}

/* ---- files ---- */

static void full_disk_is_reported(void **state)
{
	char failed[PATH_MAX];
	struct report *r = fixture_one();

	(void)state;
	for (size_t i = 0; i < writer_count; i++)
		if (writers[i].write && !strstr(writers[i].name, "folded"))	/* no stacks, no bytes */
			assert_int_equal(output_write(r, &writers[i], "/dev/full", &plain, failed), -ENOSPC);
	assert_string_equal(failed, "/dev/full");
	report_free(r);
}

static int failing_writer(const struct report *r, const char *page, FILE *out,
			  const struct writer_options *o)
{
	(void)r;
	(void)page;
	(void)o;
	fputs("half a rep", out);
	return -EIO;
}

static void files_are_all_or_nothing(void **state)
{
	static const struct writer failing = { "x", ".x", PAGES_NONE, NULL, failing_writer, false };
	char folder[] = "/tmp/dltrace-output.XXXXXX", path[64], failed[PATH_MAX], text[16] = "";
	struct report *r = fixture_empty();
	struct stat st;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.csv", folder);
	f = fopen(path, "w");
	fputs("before", f);
	fclose(f);
	assert_int_equal(output_write(r, &failing, path, &plain, failed), -EIO);
	f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "before");
	assert_int_equal(output_write(r, writer_by_name("csv"), path, &plain, failed), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666 & ~umask(022));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);	/* nothing else was left in it */
	report_free(r);
}

static void formats_by_ending(void **state)
{
	(void)state;
	assert_string_equal(writer_by_path("a.csv")->name, "csv");
	assert_string_equal(writer_by_path("a.csv/")->name, "csv");
	assert_string_equal(writer_by_path("a.speedscope.json")->name, "speedscope");
	assert_string_equal(writer_by_path("a.trace.json")->name, "chrome");
	assert_int_equal(writer_by_path("a.ctf/")->pages, PAGES_EVENTS);
	assert_string_equal(writer_by_path("a.json")->name, "json");
	assert_null(writer_by_path("a"));
	assert_null(writer_by_path("/"));
	assert_string_equal(writer_by_name("txt")->name, "text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_is_stable),
		cmocka_unit_test(text_fits),
		cmocka_unit_test(text_tells),
		cmocka_unit_test(text_compares),
		cmocka_unit_test(text_has_colours_only_when_asked),
		cmocka_unit_test(every_table_is_a_page),
		cmocka_unit_test(json_is_valid),
		cmocka_unit_test(json_keeps_values),
		cmocka_unit_test(json_is_the_same_each_time),
		cmocka_unit_test(csv_quotes),
		cmocka_unit_test(csv_of_series_is_long),
		cmocka_unit_test(svg_is_drawn),
		cmocka_unit_test(svg_of_odd_curves),
		cmocka_unit_test(busiest_gpu_is_drawn),
		cmocka_unit_test(many_runs_are_named),
		cmocka_unit_test(pictures_are_drawn),
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(peaks_are_kept),
		cmocka_unit_test(axes_have_round_ticks),
		cmocka_unit_test(full_disk_is_reported),
		cmocka_unit_test(files_are_all_or_nothing),
		cmocka_unit_test(formats_by_ending),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
