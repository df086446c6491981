/* SPDX-License-Identifier: MIT */
/* Error codes of calls: what they are called, and which of them say that something went wrong. */
#ifndef DLT_ANALYSIS_ERRORS_H
#define DLT_ANALYSIS_ERRORS_H

#include <stdint.h>

#include "analysis/model/model.h"

enum error_meaning {
	ERROR_FAILURE,
	ERROR_ANSWER,	/* what was asked is answered by it, or there was nothing left to do */
	ERROR_NO_GPU,	/* an answer, too: there is none, or no driver for one */
};

/* Of a call of fn. */
enum error_meaning error_meaning(const struct function *fn, int32_t code);

struct error_text {
	char text[80];
};

/* "700 (CUDA_ERROR_ILLEGAL_ADDRESS)"; the number alone of a code without a name. */
struct error_text error_text(const char *layer, int32_t code);

#endif
