/* SPDX-License-Identifier: MIT */
/*
 * What children become that are forked for nothing but exec. They are not traced, so they leave it on a
 * page that they share with their parent, who says it when it has waited for them.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "children.h"
#include "process.h"
#include "sys.h"

#define CHILDREN 64		/* at once; of two with the same place the later one is told */

struct told {
	uint32_t pid;		/* stored last */
	char path[60];
};

_Static_assert(CHILDREN * sizeof(struct told) == 4096, "a page");

static void *told;	/* NULL: no such child was forked yet, or there is no memory */

static struct told *place_of(pid_t pid)
{
	struct told *page = __atomic_load_n(&told, __ATOMIC_ACQUIRE);

	return page ? page + (uint32_t)pid % CHILDREN : NULL;
}

void dlt_children_told_init(void)
{
	void *page, *none = NULL;

	if (told)
		return;
	page = dlt_sys_map(NULL, sizeof(struct told) * CHILDREN, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1);
	if (page && !__atomic_compare_exchange_n(&told, &none, page, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
		dlt_sys_unmap(page, sizeof(struct told) * CHILDREN);
}

void dlt_children_tell(const char *path)
{
	struct told *t = place_of(dlt_sys_pid());
	size_t length = strlen(path);

	if (!t || dlt_process.traced)
		return;
	__atomic_store_n(&t->pid, 0, __ATOMIC_RELAXED);
	/* The end of a path says more than its beginning. */
	strcpy(t->path, length < sizeof(t->path) ? path : path + length - sizeof(t->path) + 1);
	__atomic_store_n(&t->pid, (uint32_t)dlt_sys_pid(), __ATOMIC_RELEASE);
}

const char *dlt_children_told(pid_t child)
{
	const struct told *t = place_of(child);

	return t && __atomic_load_n(&t->pid, __ATOMIC_ACQUIRE) == (uint32_t)child ? t->path : "";
}
