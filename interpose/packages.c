/* SPDX-License-Identifier: MIT */
/*
 * Which Python packages a program imports, told by what it opens: the file that makes a folder a
 * package, compiled or not, is the first one that is read of it.
 *
 * Nothing of the interpreter is looked at: every Python 3 will do, and its lock does not matter.
 * Packages inside others are left out, and those of the standard library.
 */
#include "packages.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "objects.h"
#include "process.h"
#include "sys.h"

#define PACKAGES 1024		/* a power of 2; a program with many imports has some 200 */
#define LONGEST 1024		/* bytes of a folder's path */

static uint64_t seen[PACKAGES];	/* hashes of folders; 0: free. A forked child has its parent's */

/* True: for the first time; false where there is no room, too. */
static bool see(uint64_t hash)
{
	for (uint64_t i = 0; i < PACKAGES; i++) {
		uint64_t there = 0;

		if (__atomic_compare_exchange_n(&seen[(hash + i) % PACKAGES], &there, hash, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
		if (there == hash)
			return false;
	}
	return false;
}

static bool is_seen(uint64_t hash)
{
	for (uint64_t i = 0; i < PACKAGES; i++) {
		uint64_t there = __atomic_load_n(&seen[(hash + i) % PACKAGES], __ATOMIC_RELAXED);

		if (!there || there == hash)
			return there == hash;
	}
	return false;
}

/* Where the last of `length` bytes' components begins. */
static size_t last_component(const char *path, size_t length)
{
	while (length && path[length - 1] != '/')
		length--;
	return length;
}

static bool component_is(const char *at, size_t length, const char *name, size_t least)
{
	return length >= least && memcmp(at, name, least) == 0;
}

#define INIT  "__init__.py"
#define CACHE "__pycache__/"
#define CACHED "__init__."

/*
 * Of FOLDER/__init__.py, FOLDER/__init__.pyc, FOLDER/__pycache__/__init__.TAG.pyc the length of
 * FOLDER; 0 for everything else, nearly always after a look at two bytes.
 */
static size_t package_folder(const char *path)
{
	size_t length = strlen(path), base;
	bool compiled = length > sizeof(INIT) && path[length - 1] == 'c' && path[length - 2] == 'y';

	if (!compiled && (length < sizeof(INIT) || path[length - 1] != 'y' || path[length - 2] != 'p'))
		return 0;
	base = last_component(path, length);
	if (!component_is(path + base, length - base, CACHED, sizeof(CACHED) - 1))
		return 0;
	if (base >= sizeof(CACHE) - 1 &&
	    !memcmp(path + base - (sizeof(CACHE) - 1), CACHE, sizeof(CACHE) - 1))
		base -= sizeof(CACHE) - 1;
	else if (!component_is(path + base, length - base, INIT, sizeof(INIT) - 1))
		return 0;
	return base > 1 ? base - 1 : 0;
}

/* Right in ".../python3.11": the standard library. */
static bool is_standard(const char *path, size_t length)
{
	size_t end = last_component(path, length);
	size_t begin = end ? last_component(path, end - 1) : 0;

	return end > begin + sizeof("python") && !memcmp(path + begin, "python", sizeof("python") - 1) &&
	       path[begin + 6] >= '2' && path[begin + 6] <= '9';
}

/* Parents are imported before what is in them. A vfork's child writes its parent's memory. */
static void note(const char *path, size_t length)
{
	uint64_t hash = DLT_HASH_BASIS;

	if (length > LONGEST || is_standard(path, length) || dlt_sys_pid() != dlt_process.pid)
		return;
	for (size_t i = 0; i < length; i++) {
		if (path[i] == '/' && is_seen(hash | 1))
			return;
		hash = dlt_hash(hash, path + i, 1);
	}
	if (see(hash | 1))
		dlt_object_named(DLT_OBJECT_PACKAGE, hash | 1, path, length);
}

void dlt_packages_opened(const char *path)
{
	size_t length = package_folder(path);

	if (__builtin_expect(length != 0, 0))
		note(path, length);
}
