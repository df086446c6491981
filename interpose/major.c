/* SPDX-License-Identifier: MIT */
/* Reads it once for each library. */
#include "major.h"

#include <string.h>

#include "box_private.h"
#include "elf.h"
#include "library.h"

#define NONE 0xff	/* looked at, and no runtime */

static uint8_t majors[DLT_BOX_LIBRARIES];	/* by id; 0: not looked at */

/* libcudart.so.12, libcudart.so.11.0, and where a package gives names of its own libcudart-d0da41ae.so.11.0 */
static uint8_t in_soname(const char *soname)
{
	const char *ending = soname && strncmp(soname, "libcudart", 9) == 0 ? strstr(soname, ".so.") : NULL;
	unsigned major = 0;

	for (const char *c = ending ? ending + 4 : ""; *c >= '0' && *c <= '9' && major < NONE; c++)
		major = 10 * major + (unsigned)(*c - '0');
	return major && major < NONE ? (uint8_t)major : NONE;
}

static uint8_t major_of(uint16_t id, const void *address)
{
	uint8_t major = __atomic_load_n(&majors[id], __ATOMIC_RELAXED);
	struct dlt_elf e;

	if (major)
		return major;
	if (!dlt_library_elf(address, &e))
		return NONE;		/* unloaded; it may come back */
	major = in_soname(e.soname);
	__atomic_store_n(&majors[id], major, __ATOMIC_RELAXED);
	return major;
}

/* Of all that are known; 0: none, or they differ. */
static unsigned common(void)
{
	uint32_t used = __atomic_load_n(&dlt_box->libraries_used, __ATOMIC_ACQUIRE);
	unsigned all = 0;

	for (uint32_t id = 1; id < used && id < DLT_BOX_LIBRARIES; id++) {
		const struct dlt_box_library *l = dlt_box_library(id);
		uint8_t major;

		if (!__atomic_load_n(&l->ready, __ATOMIC_ACQUIRE))
			continue;
		major = major_of((uint16_t)id, (const void *)(uintptr_t)l->base);
		if (major == NONE || major == all)
			continue;
		if (all)
			return 0;
		all = major;
	}
	return all;
}

unsigned dlt_major(const void *function)
{
	uint16_t id = dlt_library_of(function);
	uint8_t major = id ? major_of(id, function) : NONE;

	return major != NONE ? major : common();
}
