/* SPDX-License-Identifier: MIT */
/* Which processes are traced: DLTRACE_CHILDREN, and the table of programs that it speaks of. */
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "children.h"
#include "fork.h"
#include "init.h"
#include "library.h"
#include "process.h"
#include "sys.h"

/* Programs that train, by the name of their file. What is in neither table is only counted. */
static const char *const programs[] = {
	"python*", "pypy*", "ipython*", "julia*", "jupyter*", "torchrun", "accelerate", "deepspeed",
	"horovodrun", "tensorflow_model_server", "tritonserver", "caffe", "cntk", "darknet",
};

/*
 * What changes its namespaces or capabilities and becomes another program, and LTTng brings two threads: the
 * kernel lets only a process of one have a user namespace or another's mounts, and capabilities are each thread's
 * own, so that setgroups fails in some of them, for which glibc aborts.
 */
static const char *const of_one_thread[] = { "unshare", "nsenter", "bwrap", "setpriv", "capsh" };

/* What makes any other program an ML program, by the name of a library it is linked with. */
static const char *const libraries[] = {
	"libtorch*.so*", "libc10*.so*", "libtensorflow*.so*", "libmxnet*.so*", "libpaddle*.so*",
	"libphi*.so*", "libsinga*.so*", "libCntk*.so*", "libonnxruntime*.so*", "libcaffe*.so*",
	"libcudart*.so*", "libcuda.so*", "libcudnn*.so*", "libcublas*.so*", "libnccl*.so*", "librccl*.so*",
	"libpython3*.so*", "libjulia*.so*", "libdnnl*.so*",
	/* The ranks that mpirun and its daemons start; these themselves are linked with other ones. */
	"libmpi.so*", "libmpich.so*", "libmpi_*.so*",
};

/*
 * Who forks for nothing but exec, by the path of the library: Python's subprocess, where it does not
 * take vfork (before 3.10, and with preexec_fn). Theano compiles by 70 such children, CNTK starts 40.
 */
static const char *const launchers[] = { "/_posixsubprocess." };

enum policy { POLICY_AUTO, POLICY_ALL, POLICY_FORK, POLICY_NONE, POLICY_GLOB };

static const struct {
	const char *word;
	enum policy policy;
} words[] = {
	{ "", POLICY_AUTO }, { "auto", POLICY_AUTO }, { "all", POLICY_ALL },
	{ "fork", POLICY_FORK }, { "none", POLICY_NONE },
};

static enum policy policy;
static char globs[256];

static void read_policy(const char *text)
{
	policy = POLICY_GLOB;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i].word) == 0)
			policy = words[i].policy;
	if (policy == POLICY_GLOB && strlen(text) < sizeof(globs))
		strcpy(globs, text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_one_of(const char *const *patterns, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(table, name) is_one_of(table, sizeof(table) / sizeof((table)[0]), name)

static bool matches_globs(const char *path)
{
	char glob[sizeof(globs)];
	const char *begin = globs, *end;

	for (; *begin; begin = *end ? end + 1 : end) {
		end = begin + strcspn(begin, ",");
		memcpy(glob, begin, (size_t)(end - begin));
		glob[end - begin] = '\0';
		if (fnmatch(glob, strchr(glob, '/') ? path : base_name(path), 0) == 0)
			return true;
	}
	return false;
}

/* What ld.so has mapped so far: at the first hook, all that the program is linked with. */
static bool is_linked_with_ml(void)
{
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (IS_ONE_OF(libraries, base_name(m->l_name)))
			return true;
	return false;
}

/*
 * What PyInstaller made one file of starts itself once more when it has unpacked that, and opens Python then: by a
 * name of its own, and linked with nothing of that. Up to version 6.9 the second one takes the variable out.
 */
static bool is_unpacked_python(const char *path)
{
	const char *file = dlt_process_env("_PYI_ARCHIVE_FILE"), *folder = dlt_process_env("_MEIPASS2");

	return (file && strcmp(file, path) == 0) || (folder && *folder);
}

/* Started by nobody who is traced, or the same process after an exec. */
static bool is_first(void)
{
	const char *root = dlt_process_env("DLTRACE_ROOT");

	return !root || strtoul(root, NULL, 10) == (unsigned long)dlt_sys_pid();
}

bool dlt_children_would_trace(const char *path)
{
	if (IS_ONE_OF(of_one_thread, base_name(path)))
		return false;
	switch (policy) {
	case POLICY_ALL:
		return true;
	case POLICY_AUTO:
		return IS_ONE_OF(programs, base_name(path));
	case POLICY_GLOB:
		return matches_globs(path);
	default:
		return false;
	}
}

bool dlt_children_fork_traced(void)
{
	return dlt_process.traced && policy != POLICY_NONE && !dlt_fork_is_to_exec();
}

bool dlt_children_forks_to_exec(const void *caller)
{
	const char *path = dlt_process.traced ? dlt_library_path(caller) : NULL;

	for (size_t i = 0; path && i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strstr(path, launchers[i]))
			return true;
	return false;
}

_Bool dlt_children_traced(const char *text, char **argv)
{
	char path[1024];
	long n = dlt_sys(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path,
			 sizeof(path) - 1, 0);

	read_policy(text);
	path[n > 0 ? n : 0] = '\0';
	if (is_first() && !IS_ONE_OF(of_one_thread, base_name(path)))
		return true;
	if (dlt_children_would_trace(n > 0 || !argv || !argv[0] ? path : argv[0]))
		return true;
	return policy == POLICY_AUTO && (is_linked_with_ml() || is_unpacked_python(path));
}
