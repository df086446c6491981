/* SPDX-License-Identifier: MIT */
/*
 * LD_PRELOAD and DLTRACE_* through exec.
 *
 * - Usually the environment goes through as it is: LD_PRELOAD stands in it.
 * - A program may pass an environment of its own without LD_PRELOAD (env -i, subprocess with
 *   env={}), or with a library of its own in it. Whoever traces children expects them to be
 *   followed all the same: then LD_PRELOAD gets this library (before theirs), and LTTNG_HOME and
 *   DLTRACE_* are added as this process was started with them, each unless it is there. Not
 *   under DLTRACE_CHILDREN=fork and none, and not where LD_PRELOAD is set to nothing: somebody
 *   wants out.
 * - Where this library can't be reached any more (chroot), ld.so would complain on the program's
 *   standard error: then its name is taken out of LD_PRELOAD.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "children.h"
#include "process.h"
#include "sys.h"

#define PRELOAD "LD_PRELOAD="
#define MOST_OWN 32		/* variables handed on */
#define MOST_ENVP 16384		/* beyond that the environment is left alone: it is on the stack */

static char self[PATH_MAX];	/* this library's path; "" while unknown */
static const char *own[MOST_OWN + 1];	/* LTTNG_HOME=..., DLTRACE_...=... */
static bool adds;		/* DLTRACE_CHILDREN wants exec'd programs */
static char root[32];		/* DLTRACE_ROOT=<pid> */

static size_t count(char *const *envp)
{
	size_t n = 0;

	while (envp && envp[n])
		n++;
	return n;
}

static const char *preload_of(char *const *envp)
{
	for (; envp && *envp; envp++)
		if (strncmp(*envp, PRELOAD, sizeof(PRELOAD) - 1) == 0)
			return *envp + sizeof(PRELOAD) - 1;
	return NULL;
}

/* One name of the list "a:b c": its length; `*at` is moved to its beginning. 0 at the end. */
static size_t next_name(const char **at)
{
	*at += strspn(*at, ": ");
	return strcspn(*at, ": ");
}

static bool is_self(const char *name, size_t length)
{
	static const char file[] = "libdltrace.so";
	size_t n = sizeof(file) - 1;

	return length >= n && memcmp(name + length - n, file, n) == 0 &&
	       (length == n || name[length - n - 1] == '/');
}

static bool names_self(const char *list)
{
	size_t length;

	for (; (length = next_name(&list)); list += length)
		if (is_self(list, length))
			return true;
	return false;
}

/* LD_PRELOAD= with `list` less this library; "" when nothing is left. */
static char *without_self(const char *list, char *to)
{
	char *end = stpcpy(to, PRELOAD), *begin = end;
	size_t length;

	for (; (length = next_name(&list)); list += length) {
		if (is_self(list, length))
			continue;
		if (end != begin)
			*end++ = ':';
		end = mempcpy(end, list, length);
	}
	*end = '\0';
	if (end == begin)
		*to = '\0';
	return to;
}

static char *with_self(const char *list, char *to)
{
	char *end = stpcpy(stpcpy(to, PRELOAD), self);

	if (list)
		stpcpy(stpcpy(end, ":"), list);
	return to;
}

static bool has(char *const *envp, size_t n, const char *variable)
{
	size_t length = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < n; i++)
		if (strncmp(envp[i], variable, length) == 0)
			return true;
	return false;
}

size_t dlt_children_env_space(char *const *envp)
{
	size_t n = count(envp);
	const char *list = preload_of(envp);

	if (!self[0] || n > MOST_ENVP)
		return 0;
	return (n + MOST_OWN + 4) * sizeof(char *) + sizeof(PRELOAD) + sizeof(self) +
	       (list ? strlen(list) : 0) + 1;
}

/* Copies envp with LD_PRELOAD replaced (or added; or left out where `preload` is ""). */
static char **copy_env(char **to, char *const *envp, char *preload)
{
	bool placed = false;

	for (; envp && *envp; envp++) {
		bool is_it = strncmp(*envp, PRELOAD, sizeof(PRELOAD) - 1) == 0;

		if (!is_it)
			*to++ = *envp;
		else if (*preload && !placed)
			*to++ = preload, placed = true;
	}
	if (*preload && !placed)
		*to++ = preload;
	return to;
}

char *const *dlt_children_env(char *const *envp, void *space)
{
	size_t n = count(envp);
	const char *list = preload_of(envp);
	bool named = list && names_self(list);
	char **array = space, **end, *text = (char *)(array + n + MOST_OWN + 4);

	if (!self[0] || n > MOST_ENVP)
		return envp;
	if (dlt_sys(SYS_faccessat, AT_FDCWD, (long)self, R_OK, 0, 0) < 0) {
		if (!named)
			return envp;
		*copy_env(array, envp, without_self(list, text)) = NULL;
		return array;
	}
	if (named || !adds || (list && !*list))
		return envp;
	end = copy_env(array, envp, with_self(list, text));
	for (const char *const *v = own; *v; v++)
		if (!has(envp, n, *v))
			*end++ = (char *)*v;
	*end = NULL;
	return array;
}

/* ---- start --------------------------------------------------------------------------------- */

static bool is_handed_on(const char *variable)
{
	return strncmp(variable, "LTTNG_HOME=", 11) == 0 || strncmp(variable, "DLTRACE_", 8) == 0 ||
	       strncmp(variable, "DLTRACE=", 8) == 0;
}

/* Copies, because programs overwrite their environment's memory (setproctitle). */
static void keep_own(char *const *envp)
{
	size_t bytes = 0, n = 0;
	char *to;

	for (char *const *e = envp; *e; e++)
		bytes += is_handed_on(*e) ? strlen(*e) + 1 : 0;
	to = bytes ? dlt_sys_map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)
		   : NULL;
	for (char *const *e = envp; to && *e && n < MOST_OWN; e++)
		if (is_handed_on(*e)) {
			own[n++] = to;
			to = stpcpy(to, *e) + 1;
		}
	own[n] = NULL;
}

/*
 * The first process marks its descendants. The new array is ours, since putenv would make libc
 * allocate one on the application's heap.
 */
static void mark_root(void)
{
	size_t n = count(environ);
	char **array, digits[12], *d = digits + sizeof(digits) - 1;
	unsigned pid = (unsigned)getpid();

	if (has(environ, n, "DLTRACE_ROOT="))
		return;
	array = dlt_sys_map(NULL, (n + 2) * sizeof(*array), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!array)
		return;
	*d = '\0';
	do
		*--d = (char)('0' + pid % 10);
	while (pid /= 10);
	stpcpy(stpcpy(root, "DLTRACE_ROOT="), d);
	memcpy(array, environ, n * sizeof(*array));
	array[n] = root;
	environ = array;
}

void dlt_children_env_init(void)
{
	const char *wanted = dlt_process_env("DLTRACE_CHILDREN");
	Dl_info info;

	if (dlt_process.off)
		return;
	adds = !wanted || (strcmp(wanted, "fork") != 0 && strcmp(wanted, "none") != 0);
	if (dladdr((void *)dlt_children_env_init, &info) && info.dli_fname &&
	    !realpath(info.dli_fname, self))
		self[0] = '\0';
	mark_root();
	keep_own(environ);
}
