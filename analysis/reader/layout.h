/* SPDX-License-Identifier: MIT */
/*
 * What the metadata file of a CTF trace describes: types, clocks, streams, event classes.
 *
 * All of it lives in the arena of its struct ctf_metadata; pointers inside are borrowed from
 * there. Sizes and alignments are in bits, as in CTF.
 */
#ifndef DLT_ANALYSIS_READER_LAYOUT_H
#define DLT_ANALYSIS_READER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/reader/arena.h"

enum ctf_kind {
	CTF_INTEGER,
	CTF_ENUM,		/* an integer with labels */
	CTF_FLOAT,
	CTF_STRING,
	CTF_STRUCT,
	CTF_VARIANT,
	CTF_ARRAY,
	CTF_SEQUENCE,
};

enum ctf_order { CTF_NATIVE, CTF_LITTLE, CTF_BIG };

struct ctf_label {
	const char *name;
	int64_t low, high;	/* compared unsigned where the enum's integer is */
};

struct ctf_type {
	enum ctf_kind kind;
	unsigned size;		/* integers and floats: 1 to 64 */
	unsigned align;		/* at least 1; a structure's is its fields' largest */
	bool is_signed;
	enum ctf_order order;	/* CTF_NATIVE only while the metadata is being parsed */
	const char *clock;	/* integers mapped to a clock; NULL: none */
	struct ctf_label *labels;	/* CTF_ENUM */
	size_t label_count;
	struct ctf_field *fields;	/* CTF_STRUCT, CTF_VARIANT */
	size_t field_count;
	struct ctf_type *element;	/* CTF_ARRAY, CTF_SEQUENCE */
	uint64_t length;	/* CTF_ARRAY */
	int slot;		/* CTF_SEQUENCE: holds the length; CTF_VARIANT: the tag */
	struct ctf_type *tag;	/* CTF_VARIANT: an enum */
};

struct ctf_field {
	const char *name;	/* as written */
	struct ctf_type *type;
	int slot;		/* where a walk keeps it as a length or a tag; -1: nobody asks */
};

struct ctf_clock {
	const char *name, *uuid;
	uint64_t freq;
	int64_t offset_s, offset;	/* seconds, cycles */
};

struct ctf_event {
	const char *name;
	uint64_t id, stream_id;
	struct ctf_type *context;	/* NULL: none */
	struct ctf_type *fields;	/* NULL: none */
};

struct ctf_stream {
	uint64_t id;
	struct ctf_type *packet_context, *event_header, *event_context;	/* NULL: none */
	struct ctf_event **events;	/* by id; holes are NULL */
	size_t event_count;		/* largest id + 1 */
};

/* More are refused. */
#define CTF_EVENT_IDS 65536
#define CTF_SLOTS 4096
#define CTF_CLOCKS 16
#define CTF_STREAMS 256
#define CTF_DEPTH 32		/* types in types */
#define CTF_FIELDS 1024		/* of one structure */
#define CTF_CHOICES 64		/* of a variant */
#define CTF_REFERENCES 16384	/* lengths and tags, all in all */

struct ctf_metadata {
	struct arena arena;
	bool has_uuid;
	uint8_t uuid[16];
	enum ctf_order order;		/* of CTF 1.8: where a type has none of its own */
	struct ctf_type *packet_header;	/* NULL: none */
	struct ctf_clock *clocks;
	size_t clock_count;
	struct ctf_stream *streams;
	size_t stream_count;
	struct ctf_event **events;	/* of all streams, in order of the text */
	size_t event_count;
	int slot_count;
	uint64_t digest;		/* of the text: equal for equal texts */
	char host[256];			/* env.hostname; "" */
	char session[256];		/* env.trace_name: LTTng's session; "" */
	char created[32];		/* env.trace_creation_datetime: when it was made; "" */
};

/*
 * Parses TSDL (CTF 1.8) or JSON (CTF 2). NULL and one line in `error` when the text is not what we know: then another
 * source may still understand it. Released by ctf_metadata_free.
 */
struct ctf_metadata *ctf_metadata_parse(const char *text, size_t size, char *error,
					size_t error_size);

/*
 * Reads a `metadata` file, packetised or plain. 0, -ENODATA when it is empty, -ENOTSUP when it
 * is not understood, or another negative errno; one line in `error` (without the path).
 */
int ctf_metadata_read(const char *path, struct ctf_metadata **metadata, char *error,
		      size_t error_size);
void ctf_metadata_free(struct ctf_metadata *m);

/* NULL: none of that id. */
struct ctf_stream *ctf_metadata_stream(const struct ctf_metadata *m, uint64_t id);
struct ctf_clock *ctf_metadata_clock(const struct ctf_metadata *m, const char *name);

/* For parsers; in the arena. Clocks, streams: NULL when there are too many. */
struct ctf_type *ctf_metadata_add_type(struct ctf_metadata *m, enum ctf_kind kind);
struct ctf_clock *ctf_metadata_add_clock(struct ctf_metadata *m);
struct ctf_stream *ctf_metadata_add_stream(struct ctf_metadata *m);
struct ctf_event *ctf_metadata_add_event(struct ctf_metadata *m);
/* The slot in which a walk keeps the field as a length or a tag. false: there are too many. */
bool ctf_metadata_slot(struct ctf_metadata *m, struct ctf_field *f, int *slot);
/* To its stream, which is declared. false and one line in `why`. */
bool ctf_metadata_attach(struct ctf_metadata *m, struct ctf_event *e, char *why, size_t size);

#endif
