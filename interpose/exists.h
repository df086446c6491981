/* SPDX-License-Identifier: MIT */
/*
 * A wrapper must not make a function exist: a program that asks whether cudaMalloc or
 * free_sized is there (weak reference, dlsym, a dlopen that needs it) gets the true answer.
 *
 * Every function that libdltrace.so exports (but dltrace_*, and lttng_ust_* of descriptors.c) is
 * absent from its dynamic symbol table while no other loaded object defines it, and there as soon as
 * one does. Nothing is registered: exporting a function is enough. exists.c says how.
 */
#ifndef DLT_INTERPOSE_EXISTS_H
#define DLT_INTERPOSE_EXISTS_H

#include <stdbool.h>

/* Looks again at what is loaded; hook-safe. For whoever has just unloaded something. */
void dlt_exists_update(void);

/*
 * While we load libraries of our own, which define nothing that we wrap: no look at each of them, the
 * most of what a process's start would spend here. Called with true, then with false.
 */
void dlt_exists_pause(bool pause);

/* True while `name` is a wrapper that others see. */
bool dlt_exists_is_shown(const char *name);

/* Hides the wrapper of that name for a moment, or ends that (counted); not in a loader callback. */
void dlt_exists_hide(const char *name, bool hide);

/* How many objects were loaded at start: their order is the global search order. */
extern unsigned dlt_exists_startup_objects;

#endif
