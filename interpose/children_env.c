/* SPDX-License-Identifier: MIT */
/*
 * LD_PRELOAD and DLTRACE_* through exec.
 *
 * - Usually the environment goes through as it is: LD_PRELOAD stands in it.
 * - A program may pass an environment of its own without LD_PRELOAD (env -i, subprocess with
 *   env={}), or with a library of its own in it. Whoever traces children expects them to be
 *   followed all the same: then LD_PRELOAD gets this library (before theirs), and LTTNG_HOME, DLTRACE_*
 *   and a CUDA_INJECTION64_PATH of ours are added as this process was started with them, each unless it is there. Not
 *   under DLTRACE_CHILDREN=fork and none, and not where LD_PRELOAD is set to nothing: somebody
 *   wants out.
 * - DLTRACE_PARENT names the traced process that it comes from. It stands in this process's own
 *   environment, for what libc execs; where a program copied that before a fork, it is put right.
 * - NVTX_INJECTION64_PATH leads NVTX's ranges here (nvtx_injection.c), unless somebody has set it.
 * - Where this library can't be reached any more (chroot), or is nothing for that program (one of 32 bits), ld.so
 *   would complain on the program's standard error: then its name is taken out of LD_PRELOAD.
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
#include "cupti.h"
#include "elf.h"
#include "process.h"
#include "sys.h"

#define PRELOAD "LD_PRELOAD="
#define MOST_OWN 32		/* variables handed on */
#define MOST_ENVP 2048		/* beyond that the environment is left alone: it is on the stack */
#define PAGE 4096
#define NO_PAGE 1		/* the address of none */

static char self[PATH_MAX];	/* this library's path; "" while unknown */
static const char *own[MOST_OWN + 1];	/* LTTNG_HOME=..., DLTRACE_...=... */
static bool adds;		/* DLTRACE_CHILDREN wants exec'd programs */
static char root[32];		/* DLTRACE_ROOT=<pid> */
static char parent[64];		/* DLTRACE_PARENT=<pid>:<process id>:<its parent's id>, of this one */

#define PARENT "DLTRACE_PARENT="
#define NVTX "NVTX_INJECTION64_PATH="
#define INJECTION "CUDA_INJECTION64_PATH="

static char nvtx[sizeof(NVTX) + PATH_MAX];

/* The caller asks once for each page that it comes to: *page is the last one. */
static bool is_readable(const void *p, uintptr_t *page)
{
	uintptr_t now = (uintptr_t)p & ~(uintptr_t)(PAGE - 1);

	if (now == *page)
		return true;
	*page = now;
	return dlt_sys_is_readable(p);
}

static bool is_string(const char *s, uintptr_t *page)
{
	size_t left;

	for (; is_readable(s, page); s += left) {
		left = PAGE - (uintptr_t)s % PAGE;
		if (memchr(s, '\0', left))
			return true;
	}
	return false;
}

/* False: the kernel will answer with EFAULT, where we would crash; or nobody makes such a one. */
static bool is_environment(char *const *envp)
{
	uintptr_t of_array = NO_PAGE, of_strings = NO_PAGE;

	for (; envp; envp++) {
		if ((uintptr_t)envp % sizeof(*envp) || !is_readable(envp, &of_array))
			return false;
		if (!*envp)
			break;
		if (!is_string(*envp, &of_strings))
			return false;
	}
	return true;
}

static size_t count(char *const *envp)
{
	size_t n = 0;

	while (envp && envp[n])
		n++;
	return n;
}

/* Value of the variable, which ends with "=". */
static const char *value_of(char *const *envp, const char *variable)
{
	size_t length = strlen(variable);

	for (; envp && *envp; envp++)
		if (strncmp(*envp, variable, length) == 0)
			return *envp + length;
	return NULL;
}

static bool is_preload(const char *variable)
{
	return strncmp(variable, PRELOAD, sizeof(PRELOAD) - 1) == 0;
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
	const char *list;
	size_t n;

	if (!self[0] || !is_environment(envp) || (n = count(envp)) > MOST_ENVP)
		return 0;
	list = value_of(envp, PRELOAD);
	return (n + MOST_OWN + 4) * sizeof(char *) + sizeof(PRELOAD) + strlen(self) +
	       (list ? strlen(list) : 0) + 1;
}

/* Copies envp with LD_PRELOAD replaced (or added; or left out where `preload` is ""). */
static char **copy_env(char **to, char *const *envp, char *preload)
{
	bool placed = false;

	for (; envp && *envp; envp++) {
		if (parent[0] && strncmp(*envp, PARENT, sizeof(PARENT) - 1) == 0)
			*to++ = parent;
		else if (!is_preload(*envp))
			*to++ = *envp;
		else if (*preload && !placed)
			*to++ = preload, placed = true;
	}
	if (*preload && !placed)
		*to++ = preload;
	return to;
}

static bool has_old_parent(char *const *envp)
{
	const char *now = parent + sizeof(PARENT) - 1, *value = value_of(envp, PARENT);

	return parent[0] && value && value != now && strcmp(value, now) != 0;
}

static bool would_complain(const char *path)
{
	return dlt_sys(SYS_faccessat, AT_FDCWD, (long)self, R_OK, 0, 0) < 0 ||
	       dlt_children_reach(path) == DLT_OF_OTHER_KIND;
}

static char *const *changed(const char *path, char *const *envp, void *space)
{
	size_t n = count(envp);
	const char *list = value_of(envp, PRELOAD);
	bool named = list && names_self(list);
	char **array = space, **end, *text = (char *)(array + n + MOST_OWN + 4);

	if (!named && (!adds || (list && !*list)))
		return envp;
	if (would_complain(path)) {
		if (!named)
			return envp;
		*copy_env(array, envp, without_self(list, text)) = NULL;
		return array;
	}
	if (named && has_old_parent(envp)) {
		*copy_env(array, envp, (char *)list - sizeof(PRELOAD) + 1) = NULL;
		return array;
	}
	if (named)
		return envp;
	end = copy_env(array, envp, with_self(list, text));
	for (const char *const *v = own; *v; v++)
		if (!has(envp, n, *v))
			*end++ = (char *)*v;
	*end = NULL;
	return array;
}

char *const *dlt_children_env(const char *path, char *const *envp, void *space)
{
	return space ? changed(path, envp, space) : envp;
}

/* ---- start --------------------------------------------------------------------------------- */

static bool is_handed_on(const char *variable)
{
	return strncmp(variable, "LTTNG_HOME=", 11) == 0 || strncmp(variable, "DLTRACE_", 8) == 0 ||
	       strncmp(variable, "DLTRACE=", 8) == 0 ||
	       (strncmp(variable, INJECTION, sizeof(INJECTION) - 1) == 0 && dlt_cupti_is_ours(variable));
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
		if (*e == parent) {
			own[n++] = parent;
		} else if (is_handed_on(*e)) {
			own[n++] = to;
			to = stpcpy(to, *e) + 1;
		}
	own[n] = NULL;
}

/* Copies the number; returns its end. */
static char *put_number(char *to, uint32_t n)
{
	char digits[12], *d = digits + sizeof(digits) - 1;

	*d = '\0';
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	return stpcpy(to, d);
}

void dlt_children_env_after_fork(void)
{
	char *end = put_number(stpcpy(parent, PARENT), (uint32_t)dlt_process.pid);

	end = put_number(stpcpy(end, ":"), dlt_process.traced ? dlt_process.id : dlt_process.parent);
	put_number(stpcpy(end, ":"), dlt_process.parent);
}

void dlt_children_find_parent(void)
{
	const char *text = dlt_process_env("DLTRACE_PARENT");
	uint32_t number[3] = { 0, 0, 0 };

	for (int i = 0; text && i < 3; i++) {
		for (; *text >= '0' && *text <= '9'; text++)
			number[i] = number[i] * 10 + (uint32_t)(*text - '0');
		text += *text == ':';
	}
	if (number[0] == (uint32_t)dlt_process.pid)
		dlt_process.reason = DLT_REASON_EXEC;
	dlt_process.parent = number[0] == (uint32_t)dlt_process.pid ? number[2] : number[1];
}

/* "" where there is none to name, or the variable is somebody else's. */
static void find_nvtx(void)
{
	const char *slash = strrchr(self, '/');
	size_t folder = slash ? (size_t)(slash + 1 - self) : 0;
	static const char file[] = "libdltrace-nvtx.so";
	char *path = nvtx + sizeof(NVTX) - 1;

	if (!folder || folder + sizeof(file) > PATH_MAX || value_of(environ, NVTX))
		return;
	memcpy(path, self, folder);
	memcpy(path + folder, file, sizeof(file));
	if (dlt_sys(SYS_faccessat, AT_FDCWD, (long)path, R_OK, 0, 0) == 0)
		memcpy(nvtx, NVTX, sizeof(NVTX) - 1);
}

/*
 * Its descendants learn from its environment who was first, and who their parent is. The new
 * array is ours, since putenv would make libc allocate one on the application's heap.
 */
static void mark(void)
{
	size_t n = count(environ), used = 0;
	char **array = dlt_sys_map(NULL, (n + 4) * sizeof(*array), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	bool has_root = has(environ, n, "DLTRACE_ROOT=");

	if (!array)
		return;
	dlt_children_env_after_fork();
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], PARENT, sizeof(PARENT) - 1) != 0)
			array[used++] = environ[i];
	array[used++] = parent;
	if (!has_root) {
		put_number(stpcpy(root, "DLTRACE_ROOT="), (uint32_t)dlt_process.pid);
		array[used++] = root;
	}
	find_nvtx();
	if (nvtx[0])
		array[used++] = nvtx;
	environ = array;
}

void dlt_children_env_init(void)
{
	const char *wanted = dlt_process_env("DLTRACE_CHILDREN");
	const char *path = dlt_elf_own_path();

	if (dlt_process.off)
		return;
	adds = !wanted || (strcmp(wanted, "fork") != 0 && strcmp(wanted, "none") != 0);
	/* A symlink may lead to where LD_PRELOAD can name nothing. */
	if (path && (!realpath(path, self) || strpbrk(self, " :")))
		self[0] = '\0';
	if (dlt_process.traced)
		mark();
	keep_own(environ);
}
