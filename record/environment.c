/* SPDX-License-Identifier: MIT */
/* Makes the command's environment. */
#include "environment.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/children.h"
#include "place.h"
#include "say.h"

/* Variables that this recording sets at most. */
#define MOST (ENVIRONMENT_RECORDS + 4)

int environment_library(const char *program, char *library, char *why, size_t size)
{
	if (place_find(".libs/libdltrace.so", DLT_LIBDIR, library) < 0) {
		say_error("libdltrace.so is not in %s: only samples of the machine are recorded", DLT_LIBDIR);
		library[0] = '\0';
	} else if (dlt_children_reach(program) == DLT_OF_OTHER_KIND) {
		library[0] = '\0';
	}
	/* LD_PRELOAD separates by both, and knows no quotes. */
	if (!strpbrk(library, " :"))
		return 0;
	snprintf(why, size, "the loader preloads nothing whose path has a space or a colon: %s", library);
	return -EINVAL;
}

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *format, ...)
{
	va_list args;
	char *out;
	int n;

	va_start(args, format);
	n = vasprintf(&out, format, args);
	va_end(args);
	return n < 0 ? NULL : out;
}

static size_t name_length(const char *entry)
{
	return strcspn(entry, "=");
}

/* Of a recording around this one: the command is the first process of its own. */
static bool foreign(const char *entry)
{
	return strncmp(entry, "DLTRACE_ROOT=", 13) == 0 || strncmp(entry, "DLTRACE_PARENT=", 15) == 0;
}

static bool replaced(const char *entry, char *const *added)
{
	for (; *added; added++)
		if (name_length(entry) == name_length(*added) &&
		    strncmp(entry, *added, name_length(entry)) == 0)
			return true;
	return false;
}

/* Never 0 or for ever: the first loses every event of short processes, the second may hang them. */
static bool register_timeout_is_bad(void)
{
	const char *value = getenv("LTTNG_UST_REGISTER_TIMEOUT");

	return value && atol(value) <= 0;
}

/*
 * What CUDA_INJECTION64_PATH shall be, for the library at `library`; NULL: to be left alone (not
 * asked for, set by the user, or not built; then it says so).
 */
static const char *injection_of(const struct options *o, const char *library)
{
	static const char name[] = "libdltrace-cupti.so";
	static char path[PATH_MAX];
	const char *theirs = getenv("CUDA_INJECTION64_PATH"), *slash = strrchr(library, '/');
	int folder = slash ? (int)(slash + 1 - library) : 0;

	if (o->gpu != GPU_ACTIVITY)
		return NULL;
	snprintf(path, sizeof(path), "%.*s%s", folder, library, name);
	if (theirs && *theirs && strcmp(theirs, path) != 0)
		say_error("--gpu=activity: CUDA_INJECTION64_PATH is %s already: what runs on the GPU is "
			  "left to that", theirs);
	else if (access(path, R_OK) < 0)
		say_error("--gpu=activity: %s: %s", path, strerror(errno));
	else
		return path;
	return NULL;
}

/*
 * With an audit library glibc sizes the room for thread-local storage before it knows the program:
 * at 1.6 KB in linked libraries, programs then do not start (seen with 2.36).
 */
static size_t add_audit(const char *library, char **added)
{
	const char *audit = getenv("LD_AUDIT"), *tunables = getenv("GLIBC_TUNABLES");
	static const char room[] = "glibc.rtld.optional_static_tls=65536";

	added[0] = audit && *audit ? text("LD_AUDIT=%s:%s", library, audit) : text("LD_AUDIT=%s", library);
	if (tunables && strstr(tunables, "optional_static_tls"))
		return 1;
	added[1] = tunables && *tunables ? text("GLIBC_TUNABLES=%s:%s", tunables, room)
					 : text("GLIBC_TUNABLES=%s", room);
	return 2;
}

static size_t add_options(const struct options *o, char **added)
{
	const struct {
		const char *name, *value;
	} passed[] = {
		{ "DLTRACE_THRESHOLD", o->threshold }, { "DLTRACE_SAMPLE", o->sample },
		{ "DLTRACE_CHILDREN", o->children },   { "DLTRACE_DEBUG", o->debug },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (passed[i].value)
			added[n++] = text("%s=%s", passed[i].name, passed[i].value);
	return n;
}

size_t environment_records(const struct options *o, const char *library, const char *audit, char **added)
{
	const char *preload = getenv("LD_PRELOAD"), *injection = injection_of(o, library);
	size_t n = add_options(o, added);

	if (injection)
		added[n++] = text("CUDA_INJECTION64_PATH=%s", injection);
	if (audit)
		n += add_audit(audit, added + n);
	added[n++] = preload && *preload ? text("LD_PRELOAD=%s:%s", library, preload) : text("LD_PRELOAD=%s", library);
	return n;
}

/* The added ones, NULL-terminated. */
static size_t additions(const struct options *o, const struct environment_setup *s, char **added)
{
	size_t n = environment_records(o, s->library, s->audit, added);

	if (s->private_daemon)
		added[n++] = text("LTTNG_HOME=%s", s->home);
	added[n++] = text("DLTRACE_BOX=%s/box", s->home);
	added[n++] = text("DLTRACE_RECORDING=%016" PRIx64, s->recording);
	if (register_timeout_is_bad())
		added[n++] = text("LTTNG_UST_REGISTER_TIMEOUT=3000");
	added[n] = NULL;
	return n;
}

char **environment_make(const struct options *o, const struct environment_setup *s)
{
	char *added[MOST + 1], **all;
	size_t count = 0, n, at = 0;

	while (environ[count])
		count++;
	n = additions(o, s, added);
	all = calloc(count + n + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!replaced(environ[i], added) && !foreign(environ[i]))
			all[at++] = environ[i];
	memcpy(all + at, added, n * sizeof(*added));
	return all;
}
