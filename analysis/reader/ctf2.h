/* SPDX-License-Identifier: MIT */
/*
 * CTF 2 metadata, a sequence of JSON texts, into the layout that TSDL makes: ctf2.c reads the
 * fragments (trace, clock, data stream and event record classes), ctf2_types.c field classes.
 *
 * Nobody behind it knows the difference: fields with a role have the names that LTTng gives them in
 * CTF 1.8, all others an underscore before theirs. What stands in no layout is refused: variable
 * lengths, optional fields, lengths and selectors in another scope.
 *
 * The first error stays (`error`), and from then on every function returns NULL or false. Nesting
 * is bounded, and so are types, of which aliases of aliases would make any number.
 */
#ifndef DLT_ANALYSIS_READER_CTF2_H
#define DLT_ANALYSIS_READER_CTF2_H

#include <jansson.h>

#include "analysis/reader/layout.h"

/* A structure being read. */
struct ctf2_open {
	json_t *class;		/* borrowed */
	struct ctf_type *type;
};

struct ctf2 {
	struct ctf_metadata *m;
	json_t *aliases;	/* owned: field classes by name */
	unsigned fragment;	/* from 1 */
	bool has_trace;
	const char *origin;	/* the scope being read, as locations name it */
	bool has_roles;		/* its fields mean something to the format itself */
	const char *clock;	/* of the data stream class being read; NULL: none */
	struct ctf2_open open[CTF_DEPTH];	/* outermost first */
	unsigned open_count, depth, references, types;
	bool failed;
	char *error;		/* borrowed */
	size_t error_size;
};

/* Does the text begin as CTF 2's does? */
bool ctf2_is(const char *text, size_t size);
/* Into an empty layout. false, and one line in `error`. */
bool ctf2_parse(struct ctf_metadata *m, const char *text, size_t size, char *error, size_t error_size);

/* Always false, so that callers can return it. */
bool ctf2_fail(struct ctf2 *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A property; where there is none the value stays as it is. false: it is of another kind. */
bool ctf2_number(struct ctf2 *p, json_t *object, const char *key, int64_t *value);
bool ctf2_string(struct ctf2 *p, json_t *object, const char *key, const char **value);
/* The field class itself where a name stands for it; NULL: failed. */
json_t *ctf2_class(struct ctf2 *p, json_t *class);
/* The type of a field class; NULL: failed. */
struct ctf_type *ctf2_type(struct ctf2 *p, json_t *class);

#endif
