/* SPDX-License-Identifier: MIT */
/* Interned kernel names: a hash table over an arena of our own. */
#include "names.h"

#include <string.h>
#include <sys/mman.h>

#include "announced.h"
#include "interpose/sys.h"
#include "object_types.h"

#define NAMES 8192	/* kept at most */
#define PLACES (2 * NAMES)
#define ARENA (4u << 20)	/* bytes of text at most; comes with use */

static uint32_t places[PLACES];	/* index into texts + 1; 0: free */
static const char *texts[NAMES];
static uint32_t count;
static char *arena;
static size_t used;

static uint32_t hash(const char *text, size_t length)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}

static void announce(const struct dlt_cupti_host *host, uint32_t id, bool again)
{
	const struct dlt_ev_proc_object e = {
		.process = host->process(), .type = DLT_OBJECT_CUPTI, .id = id,
		.state = again ? DLT_ANNOUNCED_AGAIN : DLT_ANNOUNCED_FIRST, .name = texts[id - 1],
	};

	host->emit(DLT_EV_PROC_OBJECT, &e, again);
}

static uint32_t keep(const char *name, size_t length)
{
	if (!arena)
		arena = dlt_sys_map(NULL, ARENA, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!arena || count == NAMES || used + length + 1 > ARENA)
		return 0;
	memcpy(arena + used, name, length);
	texts[count] = arena + used;
	used += length + 1;
	return ++count;
}

uint32_t names_id(const struct dlt_cupti_host *host, const char *name)
{
	size_t length = strnlen(name, DLT_OBJECT_NAME - 1);
	uint32_t at = hash(name, length) % PLACES;

	for (; places[at]; at = (at + 1) % PLACES) {
		const char *text = texts[places[at] - 1];

		if (strncmp(text, name, length) == 0 && !text[length])
			return places[at];
	}
	places[at] = keep(name, length);
	if (places[at])
		announce(host, places[at], false);
	return places[at];
}

void names_again(const struct dlt_cupti_host *host)
{
	for (uint32_t id = 1; id <= count; id++)
		announce(host, id, true);
}
