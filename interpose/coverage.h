/* SPDX-License-Identifier: MIT */
/*
 * What of the process's libraries can be seen, as facts: who brings CUDA, who refers to it, and
 * whose references are bound past our wrappers (RTLD_DEEPBIND, dlmopen, bound before we came).
 *
 * The facts go into the black box as flags of the library (library_flags.h) and are announced
 * with it. They come from dynamic symbols and relocated places alone: no file is read.
 *
 * A forked child has the facts that its parent had then. It looks again only if it has loaded or looked up
 * something itself, which shows that the loader's list can be had in it (walk.h).
 */
#ifndef DLT_INTERPOSE_COVERAGE_H
#define DLT_INTERPOSE_COVERAGE_H

/*
 * Looks at what was loaded since the last time. Allocates and emits nothing; takes the loader's
 * list lock. Some 10 us a library, so where something is looked up for the first time anyway.
 */
void dlt_coverage_look(void);

/*
 * Before the process ends: also at references that were not bound before, and at other namespaces;
 * announces what was found. Not in a hook.
 */
void dlt_coverage_end(void);

#endif
