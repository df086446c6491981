/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), for what a Content-Security-Policy lets run. */
#ifndef DLT_ANALYSIS_REPORT_SHA256_H
#define DLT_ANALYSIS_REPORT_SHA256_H

#include <stddef.h>

#define SHA256_BASE64_SIZE 45	/* 44 characters and the end */

/* The digest of `size` bytes in base64; writes SHA256_BASE64_SIZE bytes into out and returns it. */
const char *sha256_base64(const void *data, size_t size, char *out);

#endif
