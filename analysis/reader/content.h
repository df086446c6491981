/* SPDX-License-Identifier: MIT */
/* Whole files of text, pipes among them. */
#ifndef DLT_READER_CONTENT_H
#define DLT_READER_CONTENT_H

#include <stdint.h>

/*
 * What is in it, NUL-terminated; the caller frees it. `size` is its bytes. It stops early where a text of ours is no
 * longer possible: at a NUL (/dev/zero has no end), or when the first 64 KiB do not contain `mark`.
 * NULL and errno, and `why` in a few words; ETIMEDOUT: a pipe that stayed silent.
 */
char *content_read(const char *path, const char *mark, uint64_t *size, const char **why);

#endif
