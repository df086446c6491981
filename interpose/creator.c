/* SPDX-License-Identifier: MIT */
/* Attribution of threads to libraries. */
#include "creator.h"

#include <stddef.h>
#include <string.h>

#include "box_private.h"
#include "guard.h"
#include "init.h"
#include "library.h"

enum maker {
	MAKER_ITSELF,	/* the library wants the thread for its own ends */
	MAKER_STD,	/* std::thread: the argument's class tells whose code it runs */
	MAKER_OPENMP,	/* a worker of a parallel region in flight */
	MAKER_TRACER,	/* LTTng's listeners, our own sampler */
};

/* By the beginning of the file's name. */
static const struct {
	const char *prefix;
	enum maker maker;
} makers[] = {
	{ "libstdc++.so", MAKER_STD },
	{ "libstdc++-", MAKER_STD },	/* auditwheel's copies */
	{ "libgomp", MAKER_OPENMP },
	{ "libiomp5", MAKER_OPENMP },
	{ "libomp", MAKER_OPENMP },
	{ "liblttng-ust", MAKER_TRACER },
	{ "libdltrace", MAKER_TRACER },
};

static enum maker maker_of(uint16_t library)
{
	const char *path, *name;

	if (library == 0 || library >= dlt_box->libraries_count)
		return MAKER_ITSELF;
	path = dlt_box_library(library)->path;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strncmp(name, makers[i].prefix, strlen(makers[i].prefix)) == 0)
			return makers[i].maker;
	return MAKER_ITSELF;
}

static void set_start(struct dlt_creator *c, const void *start)
{
	c->start_library = dlt_library_of(start);
	c->start_offset = (uint64_t)((uintptr_t)start - dlt_library_base(start));
}

/*
 * libstdc++ passes a std::thread::_State: its virtual table lies in the library that made the
 * std::thread, and the third entry (after two destructors) is _M_run, which calls the function.
 */
static void look_into_state(struct dlt_creator *c, const void *argument)
{
	const void *const *table = argument ? *(const void *const *const *)argument : NULL;
	uint16_t library = table ? dlt_library_of(table) : 0;

	if (library == 0 || dlt_library_of(table[2]) == 0)
		return;
	c->library = library;
	set_start(c, table[2]);
}

struct dlt_creator dlt_creator_of(struct dlt_thread *t, const void *caller, const void *start,
				  const void *argument)
{
	struct dlt_creator c = { .library = dlt_library_of(caller) };
	enum maker maker;
	uint16_t region;

	set_start(&c, start);
	maker = maker_of(c.start_library);
	c.helper = t->helper || dlt_is_guarded(t) || maker == MAKER_TRACER;
	if (maker == MAKER_STD)
		look_into_state(&c, argument);
	region = maker_of(c.library) == MAKER_OPENMP ? dlt_calls_library(t) : 0;
	if (region)
		c.library = region;
	return c;
}
