/* SPDX-License-Identifier: MIT */
/* C++ names: read, left as they are, cut; a hostile one costs neither much time nor much memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "analysis/demangle.c"

static void reads(void **state)
{
	static const char torch[] = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEE"
				    "St5arrayIPcLm3EEEEviT0_T1_";
	char text[200];

	(void)state;
	assert_string_equal(demangle("_Z3onePfi", text, sizeof(text)), "one(float*, int)");
	assert_string_equal(demangle(torch, text, sizeof(text)),
			    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
			    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)");
	/* Many references, and no harm: the child reads it. */
	assert_string_equal(demangle("_Z1fSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSs", text, 16),
			    "f(std::string, ");
}

static void leaves(void **state)
{
	char text[8];

	(void)state;
	assert_string_equal(demangle("sgemm_nn", text, sizeof(text)), "sgemm_n");
	assert_string_equal(demangle("_Z", text, sizeof(text)), "_Z");
	assert_string_equal(demangle("", text, sizeof(text)), "");
}

/* Each part names the one before it twice: 2 to the 60th power of them. */
static void is_not_harmed(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char mangled[1024] = "_Z1f1aIiiES_IS0_S0_E", text[64];
	clock_t began = clock();

	(void)state;
	for (int i = 1; i < 60; i++) {
		char part[16], number[4] = { 0 };

		number[0] = i < 36 ? digits[i] : '1';
		number[1] = i < 36 ? '\0' : digits[i - 36];
		snprintf(part, sizeof(part), "S_IS%s_S%s_E", number, number);
		strcat(mangled, part);
	}
	assert_true(strlen(demangle(mangled, text, sizeof(text))) == sizeof(text) - 1);
	assert_true(clock() - began < CLOCKS_PER_SEC / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads), cmocka_unit_test(leaves), cmocka_unit_test(is_not_harmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
