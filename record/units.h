/* SPDX-License-Identifier: MIT */
/* Sizes and times as users write them: 64K, 4M, 1.5G; 500us, 10ms, 5s, 2m, 1h. */
#ifndef DLT_RECORD_UNITS_H
#define DLT_RECORD_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes (K M G T: powers of 1024) and nanoseconds. 0, or -EINVAL: no number, or none with a unit; -EDOM: no such unit;
 * -ERANGE: too large.
 */
int parse_size(const char *text, uint64_t *bytes);
int parse_time(const char *text, uint64_t *ns);

/* What is wrong then, for people; valid until the next call. */
const char *size_refusal(int err);
const char *time_refusal(int err);

/* "3.4 MiB", "12.3 s", "1,234": for people. `out` has `size` bytes; returns `out`. */
const char *format_size(uint64_t bytes, char *out, size_t size);
const char *format_time(uint64_t ns, char *out, size_t size);
const char *format_count(uint64_t count, char *out, size_t size);

/* As poll wants it: ms, rounded up; INT_MAX, 24.8 days, of whatever is longer. */
int poll_time(uint64_t ns);

#endif
