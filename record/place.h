/* SPDX-License-Identifier: MIT */
/*
 * Where dltrace's own files are, asked by its programs.
 *
 * An installed tree may lie anywhere (below DESTDIR, unpacked from a bundle): a file is looked for
 * first in the build folder beside the program, then where it lies relative to the program in the
 * installation, wherever that was moved to, and last under its compiled-in path.
 */
#ifndef DLT_RECORD_PLACE_H
#define DLT_RECORD_PLACE_H

/*
 * `in_build` is the file's path below the build folder, `installed` the absolute folder that it is
 * installed to. 0 and its path in `out` (PATH_MAX bytes), or -ENOENT and the compiled-in path.
 */
int place_find(const char *in_build, const char *installed, char *out);

#endif
