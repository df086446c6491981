/* SPDX-License-Identifier: MIT */
/* Looks names up in the hash tables that gen-functions has made, with the same hash. */
#include "lookup.h"

#include <string.h>

/*
 * Eight bytes at a time; the last eight overlap. lookup_hash() in gen-functions does the same. A plain
 * memcpy would be a call, as this library is compiled without builtins.
 */
static uint64_t hash(const char *name, size_t length)
{
	uint64_t h = length, word = 0;

	for (size_t i = 0; i + 8 <= length; i += 8) {
		__builtin_memcpy(&word, name + i, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	if (length >= 8)
		__builtin_memcpy(&word, name + length - 8, 8);
	else
		for (size_t i = 0; i < length; i++)
			word |= (uint64_t)(unsigned char)name[i] << 8 * i;
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

unsigned dlt_lookup_name(const char *name)
{
	size_t length = strlen(name);
	uint32_t mask = (1u << dlt_lookup_names_bits) - 1;
	uint64_t h;

	if (length - dlt_lookup_shortest > dlt_lookup_longest - dlt_lookup_shortest)
		return DLT_FN_NONE;
	h = hash(name, length);
	for (uint32_t i = (uint32_t)(h >> 32) & mask;; i = (i + 1) & mask) {
		const struct dlt_lookup *l = &dlt_lookup_names[i];

		if (!l->function ||
		    (l->tag == (uint32_t)h && strcmp(dlt_functions[l->function].name, name) == 0))
			return l->function;
	}
}

static const struct dlt_form *first_form(const char *name)
{
	size_t length = strlen(name);
	uint64_t h = hash(name, length);
	uint32_t mask = (1u << dlt_lookup_forms_bits) - 1;

	for (uint32_t i = (uint32_t)(h >> 32) & mask;; i = (i + 1) & mask) {
		const struct dlt_lookup *l = &dlt_lookup_forms[i];
		const struct dlt_form *f = &dlt_forms[l->function];

		if (!l->function)
			return NULL;
		if (l->tag == (uint32_t)h && f->length == length &&
		    memcmp(dlt_functions[f->function].name, name, length) == 0)
			return f;
	}
}

unsigned dlt_lookup_form(const char *name, unsigned version, int per_thread)
{
	const struct dlt_form *first = first_form(name), *best = NULL;

	if (!first)
		return dlt_lookup_name(name);
	for (const struct dlt_form *f = first; f->length == first->length; f++) {
		if (strncmp(dlt_functions[f->function].name, name, f->length) != 0)
			break;
		if (f->version <= version)
			best = f;
	}
	if (!best)
		return DLT_FN_NONE;
	return per_thread && best->per_thread ? best->per_thread : best->function;
}

bool dlt_lookup_passes(const char *name)
{
	for (const char *const *p = dlt_lookup_passed; *p; p++)
		if (strcmp(*p, name) == 0)
			return true;
	return false;
}
