/* SPDX-License-Identifier: MIT */
/* Quantiles, intervals, tests and adjusted p-values, against what SciPy 1.17 gives for the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/statistics.c"

#define close_to(expected, actual) assert_true(fabs((double)(expected) - (actual)) <= 1e-9 * fmax(1e-3, fabs((double)(expected))))

static void test_student(void **state)
{
	(void)state;
	close_to(12.706204736174694, student_quantile(0.975, 1));
	close_to(4.302652729749462, student_quantile(0.975, 2));
	close_to(2.262157162798205, student_quantile(0.975, 9));
	close_to(4.1678920401190584, student_quantile(0.995, 4.7));
	close_to(-4.302652729749462, student_quantile(0.025, 2));
	close_to(0.2556053649519128, student_quantile(0.6, 30));
	close_to(1.9623390808264083, student_quantile(0.975, 1000));
	close_to(0.5, student_cdf(0, 3));
	close_to(0.8760817734568519, student_cdf(1.5, 2.5));
	close_to(0.020962328208031154, student_cdf(-2.2, 17));
	close_to(0.9999828096596054, student_cdf(40, 3));
	assert_true(student_cdf(-40, 60) < 3e-45 && student_cdf(-40, 60) > 2.8e-45);
}

static void test_mean(void **state)
{
	const double x[] = { 10.1, 10.4, 9.8 }, huge[] = { 1e308, 1e308 };
	struct interval i;

	(void)state;
	close_to(10.1, stat_mean(x, 3));
	close_to(0.3, stat_deviation(x, 3));
	assert_true(mean_interval(x, 3, &i));
	close_to(9.3547586864749, i.low);
	close_to(10.845241313525099, i.high);
	assert_false(mean_interval(x, 1, &i));
	assert_true(isnan(stat_mean(x, 0)) && isnan(stat_deviation(x, 1)));
	close_to(1e308, stat_mean(huge, 2));
}

static void test_median(void **state)
{
	static const struct { size_t n, below; } orders[] = { { 6, 1 }, { 8, 1 }, { 9, 2 }, { 12, 3 }, { 20, 6 } };
	double x[20];
	struct interval i;

	(void)state;
	for (size_t k = 0; k < 20; k++)
		x[k] = (double)((k * 7) % 20 + 1);
	stat_sort(x, 20);
	close_to(10.5, stat_median(x, 20));
	close_to(3, stat_median(x, 5));
	assert_false(median_interval(x, 5, &i));
	for (size_t k = 0; k < 5; k++) {
		assert_true(median_interval(x, orders[k].n, &i));
		close_to((double)orders[k].below, i.low);
		close_to((double)(orders[k].n + 1 - orders[k].below), i.high);
	}
}

static void test_difference(void **state)
{
	const double a[] = { 10.1, 10.4, 9.8 }, b[] = { 12.3, 12.9, 11.7 };
	const double c[] = { 1, 2, 3, 4.5, 2.5 }, d[] = { 2.2, 5, 6, 4 }, e[] = { 7, 7, 7 };
	struct difference x = stat_difference(a, 3, b, 3);

	(void)state;
	assert_string_equal("Welch", x.test);
	close_to(2.2, x.mean);
	close_to(0.011404954000674561, x.p);
	close_to(0.9533801490452505, x.interval.low);
	close_to(3.446619850954755, x.interval.high);

	x = stat_difference(c, 5, d, 4);
	assert_string_equal("permutation", x.test);
	close_to(15.0 / 126, x.p);	/* counted over all splits */
	close_to(-0.7654237178090901, x.interval.low);
	close_to(4.165423717809089, x.interval.high);
	close_to(1, stat_difference(c, 4, c, 4).p);

	x = stat_difference(e, 3, e, 2);
	assert_true(x.p == 1 && x.interval.low == 0 && x.interval.high == 0);
	assert_true(stat_difference(e, 3, a, 3).p < 0.01);
	x = stat_difference(a, 1, b, 3);
	assert_string_equal("", x.test);
	close_to(2.2, x.mean);
	assert_true(isnan(x.p) && isnan(x.interval.low));
}

static void test_adjusted(void **state)
{
	double holm[] = { 0.01, 0.04, NAN, 0.03, 0.005 }, bh[] = { 0.01, 0.04, NAN, 0.03, 0.005 };
	const double holm_wanted[] = { 0.03, 0.06, NAN, 0.06, 0.02 }, bh_wanted[] = { 0.02, 0.04, NAN, 0.04, 0.02 };

	(void)state;
	adjust_holm(holm, 5);
	adjust_benjamini(bh, 5);
	for (int i = 0; i < 5; i++) {
		if (i == 2) {
			assert_true(isnan(holm[i]) && isnan(bh[i]));
			continue;
		}
		close_to(holm_wanted[i], holm[i]);
		close_to(bh_wanted[i], bh[i]);
	}
	adjust_holm(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student), cmocka_unit_test(test_mean), cmocka_unit_test(test_median),
		cmocka_unit_test(test_difference), cmocka_unit_test(test_adjusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
