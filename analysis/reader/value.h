/* SPDX-License-Identifier: MIT */
/*
 * Fields of dlt_ev_ structures by their description: for sources and writers that go field by
 * field. Strings and sequences are borrowed pointers; a string is never NULL.
 */
#ifndef DLT_ANALYSIS_READER_VALUE_H
#define DLT_ANALYSIS_READER_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"

/* The event called "provider:event"; DLT_EVENTS when there is none. */
enum dlt_event value_event(const char *name);
/* NULL when the event has no such field. */
const struct dlt_field *value_field(const struct dlt_event_desc *desc, const char *name);

/* Bytes of the largest structure. */
size_t value_largest(void);

/* Width of an integer in bytes; 0 for strings and sequences. */
unsigned value_width(enum dlt_field_type type);
bool value_signed(enum dlt_field_type type);

/* All zero, strings "". */
void value_clear(const struct dlt_event_desc *desc, void *data);

/* Integers: a signed one comes and goes sign-extended. What does not fit is cut. */
uint64_t value_get(const struct dlt_field *field, const void *data);
void value_set(const struct dlt_field *field, void *data, uint64_t value);
/* Does the value (signed: sign-extended) survive value_set and value_get? */
bool value_fits(const struct dlt_field *field, uint64_t value);

const char *value_get_string(const struct dlt_field *field, const void *data);
void value_set_string(const struct dlt_field *field, void *data, const char *text);

const uint64_t *value_get_sequence(const struct dlt_field *field, const void *data,
				   uint32_t *count);
void value_set_sequence(const struct dlt_field *field, void *data, const uint64_t *words,
			uint32_t count);

#endif
