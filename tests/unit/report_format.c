/* SPDX-License-Identifier: MIT */
/* Numbers for people, exact numbers for data, and text from traces made harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "analysis/report/escape.c"
#include "analysis/report/format.c"
#include "analysis/report/table.c"

#define SAME(call, text) assert_string_equal(call, text)

static char buf[FORMAT_SIZE];

static void durations(void **state)
{
	(void)state;
	SAME(format_ns(buf, 0, true), "0 ns");
	SAME(format_ns(buf, 7, true), "7 ns");
	SAME(format_ns(buf, 12.345, true), "12.3 ns");
	SAME(format_ns(buf, 999, true), "999 ns");
	SAME(format_ns(buf, 999.7, true), "1.00 µs");
	SAME(format_ns(buf, 1230000, true), "1.23 ms");
	SAME(format_ns(buf, 1230, false), "1.23 us");
	SAME(format_ns(buf, 41234567890.0, true), "41.2 s");
	SAME(format_ns(buf, 119.9e9, true), "120 s");
	SAME(format_ns(buf, 125e9, true), "2 min 05 s");
	SAME(format_ns(buf, 3600e9 * 3 + 60e9 * 7, true), "3 h 07 min");
	SAME(format_ns(buf, -1230000, true), "-1.23 ms");
	SAME(format_ns(buf, NAN, true), "–");
	SAME(format_ns(buf, INFINITY, false), "-");
}

static void sizes_and_shares(void **state)
{
	(void)state;
	SAME(format_bytes(buf, 0), "0 B");
	SAME(format_bytes(buf, 1023), "1023 B");
	SAME(format_bytes(buf, 1024), "1.00 KiB");
	SAME(format_bytes(buf, 4781507), "4.56 MiB");
	SAME(format_bytes(buf, 1023.7 * 1024), "1.00 MiB");
	SAME(format_bytes(buf, 0x1p34), "16.0 GiB");
	SAME(format_bytes(buf, 1.8446744073709552e19), "16384 PiB");
	SAME(format_percent(buf, 0), "0.0 %");
	SAME(format_percent(buf, 0.01), "<0.1 %");
	SAME(format_percent(buf, 12.34), "12.3 %");
	SAME(format_percent(buf, 99.96), "100 %");
	SAME(format_percent(buf, 1e300), "1e+300 %");
	SAME(format_whole(buf, 0), "0");
	SAME(format_whole(buf, 999), "999");
	SAME(format_whole(buf, 1000), "1,000");
	SAME(format_whole(buf, -1234567), "-1,234,567");
	SAME(format_whole(buf, 18446744073709551615.0), "18,446,744,073,709,551,616");
	SAME(format_whole(buf, 1e30), "-");
}

static void cells(void **state)
{
	struct cell none = { .type = CELL_NULL }, id = { .type = CELL_UINT, .u = UINT64_MAX };
	struct cell share = { .type = CELL_REAL, .r = 0.123 };

	(void)state;
	SAME(format_cell(buf, UNIT_NS, &none, true), "–");
	SAME(format_cell(buf, UNIT_NS, &none, false), "-");
	SAME(format_cell(buf, UNIT_ID, &id, true), "18446744073709551615");
	SAME(format_cell(buf, UNIT_FRACTION, &share, true), "12.3 %");
}

/* Whatever number comes, nothing overflows and exact ones read back the same. */
static void any_number(void **state)
{
	static const double values[] = {
		0, -0.0, 1, -1, 0.1, 1.0 / 3, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_EPSILON, 1e15, 1e16, 1e21,
		123456789.123456789, 0x1p63, 0x1p64, INFINITY, -INFINITY, NAN,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (int unit = UNIT_ID; unit <= UNIT_REAL; unit++)
			if (unit != UNIT_ID || fabs(values[i]) < 1e20)
				assert_true(strlen(format_value(buf, unit, values[i], true)) < FORMAT_SIZE);
		format_exact(buf, values[i]);
		if (isfinite(values[i]))
			assert_true(strtod(buf, NULL) == values[i]);
		else
			SAME(buf, "null");
	}
	SAME(format_exact(buf, 0.1), "0.1");
	SAME(format_exact(buf, -0.0), "0");
}

static void check_clean(const char *from, bool unicode, const char *to)
{
	char *clean = text_clean(from, unicode);

	SAME(clean, to);
	assert_int_equal(text_fit(clean, 1000), strlen(clean));
	free(clean);
}

static void hostile_text(void **state)
{
	char *valid;

	(void)state;
	check_clean("plain name", true, "plain name");
	check_clean("\033[31mred\a", true, "\\x1b[31mred\\x07");
	check_clean("a\nb\tc\x7f", true, "a\\nb\\tc\\x7f");
	check_clean("\xc2\x9b" "31m", true, "\\u{9b}31m");
	check_clean("\x80\xff", true, "\\x80\\xff");
	check_clean("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80", true,
		    "\\xc0\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
	check_clean("a\xe2\x80\xaetxt.exe", true, "a\\u{202e}txt.exe");
	check_clean("zero\xe2\x80\x8bwidth", true, "zero\\u{200b}width");
	check_clean("caf\xc3\xa9", true, "caf\xc3\xa9");
	check_clean("caf\xc3\xa9", false, "caf\\u{e9}");
	check_clean("e\xcc\x81", true, "e\xcc\x81");
	check_clean("\xcc\x81", true, "\\u{301}");
	check_clean("e\xcc\x81\xcc\x81\xcc\x81", true, "e\xcc\x81\xcc\x81\\u{301}");
	check_clean("cut \xe2\x82", true, "cut \\xe2\\x82");
	valid = text_valid("a\xff\033b");
	SAME(valid, "a\xef\xbf\xbd\033b");
	free(valid);
}

static void check_tree(const char *json, const char *words)
{
	json_t *tree = json_loads(json, JSON_DECODE_ANY, NULL);
	char *text = format_tree(tree);

	SAME(text, words);
	free(text);
	json_decref(tree);
}

static void trees(void **state)
{
	(void)state;
	check_tree("[\"python3\", \"a b.py\", \"--x=1\", \"\"]", "python3 'a b.py' --x=1 ''");
	check_tree("{\"status\": 0}", "status 0");
	check_tree("{\"exec\": true, \"unknown\": false, \"signal\": null}", "exec");
	check_tree("{\"memory_bytes\": 12, \"cpu\": 0.5, \"cores\": [1, 2]}", "cores 1; 2, cpu 0.5, memory bytes 12");
	check_tree("[{\"name\": \"PyTorch\"}, {\"name\": \"Flax\"}]", "name PyTorch; name Flax");
	check_tree("[]", "");
	check_tree("null", "");
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1);
	assert_int_equal(text_fit("\xe6\xbc\xa2\xe5\xad\x97", 3), 3);
	assert_int_equal(text_fit("abc", 2), 2);
}

static bool may_break_behind(const char *text, const char *word)
{
	return text_may_break(text, strstr(text, word) + strlen(word));
}

static void units(void **state)
{
	(void)state;
	assert_false(may_break_behind("took 12 ms, of", "12"));
	assert_false(may_break_behind("took 12 \xc2\xb5s", "12"));
	assert_false(may_break_behind("at 3.5 GB/s.", "3.5"));
	assert_true(may_break_behind("took 12 ms, of", "took"));
	assert_true(may_break_behind("took 12 ms, of", "ms,"));
	assert_true(may_break_behind("12 threads", "12"));
	assert_true(may_break_behind("pid 12 3", "12"));
	assert_true(may_break_behind(" 12", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),	cmocka_unit_test(sizes_and_shares),
		cmocka_unit_test(cells),	cmocka_unit_test(any_number),
		cmocka_unit_test(hostile_text), cmocka_unit_test(trees),
		cmocka_unit_test(widths),	cmocka_unit_test(units),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
