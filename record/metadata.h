/* SPDX-License-Identifier: MIT */
/*
 * Room for the trace's metadata, which says what its events look like: LTTng writes it while it records, 0.2 s after
 * the first event. Where the disk is full by then nothing can be read, and the consumer daemon hangs (2.13).
 */
#ifndef DLT_RECORD_METADATA_H
#define DLT_RECORD_METADATA_H

/*
 * Sets room aside in the metadata that LTTng has made in the trace's folder; that does not get longer by it. The file's
 * descriptor, which metadata_trim closes; -ENOSPC where there is none, else -errno: not there yet, or no such file
 * system.
 */
int metadata_reserve(const char *output);

/* Gives back what was not needed. Nobody writes there any more. fd: negative is nothing. */
void metadata_trim(int fd);

#endif
