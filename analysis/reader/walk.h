/* SPDX-License-Identifier: MIT */
/*
 * Reading values of any CTF type, bit by bit if need be: packet headers, contexts, and events
 * that have no plan (plan.h is the quick way for those of dltrace).
 *
 * Nothing is read beyond `end`; whatever the types and the bytes say, a walk takes at most as
 * twice as many steps as it takes bits, and a few.
 */
#ifndef DLT_ANALYSIS_READER_WALK_H
#define DLT_ANALYSIS_READER_WALK_H

#include "analysis/reader/layout.h"

struct bits {
	const uint8_t *base;	/* borrowed: begin of the packet, where alignment counts from */
	uint64_t at, end;	/* in bits from there */
};

/* One scalar, string, or array of integers, as it is met. */
struct walk_value {
	uint64_t number;	/* signed ones sign-extended */
	const char *text;	/* CTF_STRING: borrowed from the packet */
	const uint64_t *words;	/* CTF_ARRAY, CTF_SEQUENCE of integers: borrowed from the walk */
	uint64_t count;
};

struct walk {
	struct bits bits;
	uint64_t *slots;	/* borrowed: as many as the metadata has */
	/* Called for each field; NULL: nobody listens. */
	void (*put)(void *context, const struct ctf_field *field, const struct walk_value *v);
	void *context;
	uint64_t steps, begin;	/* fields of this walk so far, and where it began */
	uint64_t *words;	/* owned */
	uint64_t words_capacity;
};

/* 0, or -ENODATA when the value reaches beyond the end, -EINVAL when a tag has no choice. */
int walk(struct walk *w, const struct ctf_type *type);
void walk_release(struct walk *w);

int bits_align(struct bits *b, unsigned align);
int bits_integer(struct bits *b, const struct ctf_type *type, uint64_t *value);

#endif
