/* SPDX-License-Identifier: MIT */
/* One metadata file of a trace and the plans made from it; shared by the streams beside it. */
#ifndef DLT_ANALYSIS_READER_PART_H
#define DLT_ANALYSIS_READER_PART_H

#include "analysis/reader/plan.h"

/* How a stream's event headers look: two that LTTng writes are read directly. */
enum header_kind { HEADER_COMPACT, HEADER_LARGE, HEADER_OTHER };

struct part_class {
	const struct ctf_stream *stream;
	enum header_kind header;
	struct plan **plans;		/* owned: by event id; NULL: no such event */
};

struct part {
	char *folder;			/* owned */
	struct ctf_metadata *metadata;	/* owned */
	struct part_class *classes;	/* owned: one for each of metadata's streams */
	const char *clock_uuid;		/* the machine's boot; "" unknown */
	uint64_t clock_freq;
	int64_t clock_offset;		/* ns: clock + this = ns since 1970 */
};

/* NULL: *ret and `error` are those of ctf_metadata_read. `slow` walks every type, for tests. */
struct part *part_open(const char *folder, bool slow, int *ret, char *error, size_t size);
void part_free(struct part *p);

/* ns since 1970. Only clocks of other frequencies need the long way. */
static inline uint64_t part_time(const struct part *part, uint64_t cycles)
{
	if (part->clock_freq != 1000000000)
		cycles = (uint64_t)((__uint128_t)cycles * 1000000000 / part->clock_freq);
	return cycles + (uint64_t)part->clock_offset;
}

/* How many of its event classes are dltrace's. */
size_t part_count_ours(const struct part *p);

#endif
