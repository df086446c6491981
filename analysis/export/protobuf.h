/* SPDX-License-Identifier: MIT */
/*
 * The wire format of protocol buffers, written by hand: fields of one message into memory.
 *
 * Messages in a message are opened and closed, in order, up to PB_DEPTH deep. Memory is kept from
 * message to message; there is no error but its end, which stops the program.
 */
#ifndef DLT_ANALYSIS_EXPORT_PROTOBUF_H
#define DLT_ANALYSIS_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#define PB_DEPTH 8

struct pb {
	unsigned char *data;	/* owned */
	size_t size, capacity;
	size_t open[PB_DEPTH];	/* where the contents of open messages begin */
	unsigned depth;
};

void pb_release(struct pb *p);

void pb_uint(struct pb *p, unsigned field, uint64_t value);	/* uint, bool, enum */
void pb_fixed64(struct pb *p, unsigned field, uint64_t value);
void pb_double(struct pb *p, unsigned field, double value);
void pb_string(struct pb *p, unsigned field, const char *text);

void pb_open(struct pb *p, unsigned field);
void pb_close(struct pb *p);

#endif
