/* SPDX-License-Identifier: MIT */
/*
 * The identity of a trace: SHA-256 (libcrypto) over what anybody can compute again with coreutils,
 *	cd TRACE && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
 * and of a trace that is one file: sha256sum TRACE.
 */
#ifndef DLT_ANALYSIS_FINGERPRINT_H
#define DLT_ANALYSIS_FINGERPRINT_H

#include <stdint.h>

struct fingerprint {
	char hex[65];
	uint64_t files, bytes;
};

/*
 * 0; -ENOTSUP: built without libcrypto; or the negative errno of what could not be read. progress
 * is called now and then.
 */
int fingerprint_of(const char *path, struct fingerprint *f, void (*progress)(void));

#endif
