/* SPDX-License-Identifier: MIT */
/* Error codes of calls, by tables. */
#include "analysis/errors.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *layer;
	int32_t code;
	const char *name;
} names[] = {
#include "analysis/errors.tbl"
};

/*
 * Errors that are no failures: of any other code a call has failed. The driver answers 4 to everybody once it has shut
 * down, at the end of the process: each library with a CUDA runtime inside tidies up after that, in every program.
 */
static const struct {
	const char *layer;
	int32_t code;
	const char *functions;	/* pattern on the name */
	enum error_meaning meaning;
} meanings[] = {
	{ "driver", 4, "*", ERROR_ANSWER },
	{ "runtime", 4, "*", ERROR_ANSWER },
	{ "driver", 1, "cuPointerGetAttribute*", ERROR_ANSWER },	/* memory that is not CUDA's */
	{ "runtime", 1, "cudaPointerGetAttributes*", ERROR_ANSWER },	/* ... before CUDA 11 */
	{ "driver", 201, "cuCtxGet*", ERROR_ANSWER },			/* no context yet */
	{ "driver", 704, "*EnablePeerAccess", ERROR_ANSWER },		/* it is enabled */
	{ "runtime", 704, "*EnablePeerAccess", ERROR_ANSWER },
	{ "driver", 303, "*", ERROR_NO_GPU },				/* TensorFlow's stand-in for a driver */
	{ "driver", 34, "*", ERROR_NO_GPU },				/* CUDA's stand-in for one */
	{ "runtime", 34, "*", ERROR_NO_GPU },
	{ "driver", 35, "*", ERROR_NO_GPU },				/* the driver is too old or missing */
	{ "runtime", 35, "*", ERROR_NO_GPU },
	{ "driver", 100, "*", ERROR_NO_GPU },
	{ "runtime", 100, "*", ERROR_NO_GPU },
};

enum error_meaning error_meaning(const struct function *fn, int32_t code)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (meanings[i].code == code && !strcmp(meanings[i].layer, fn->layer) &&
		    !fnmatch(meanings[i].functions, fn->name, 0))
			return meanings[i].meaning;
	return ERROR_FAILURE;
}

struct error_text error_text(const char *layer, int32_t code)
{
	struct error_text t;

	snprintf(t.text, sizeof(t.text), "%d", code);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].code == code && !strcmp(names[i].layer, layer))
			snprintf(t.text, sizeof(t.text), "%d (%s)", code, names[i].name);
	return t;
}
