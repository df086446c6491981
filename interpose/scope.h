/* SPDX-License-Identifier: MIT */
/*
 * The real function behind a wrapper, as the loader would have bound it for that caller if this
 * library were not there. Takes the loader's list lock for a moment (never its main lock, so
 * it cannot wait for a constructor that waits for us); no allocation. Some microseconds: cache it.
 */
#ifndef DLT_INTERPOSE_SCOPE_H
#define DLT_INTERPOSE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf.h"

/* NULL: nobody defines it. `caller`: an address in the calling library. */
void *dlt_scope_find(const void *caller, const char *name);

/* Would dlsym(RTLD_NEXT) find it, asked from here? One that fails allocates. */
bool dlt_scope_is_next(const char *name);

/* The same as the first for a variable, whoever asks: the program's copy of a library's comes first. */
void *dlt_scope_find_data(const char *name);

/* A loaded object, while dlt_scope_each goes over them. */
struct dlt_object {
	struct dlt_elf elf;		/* elf.symbols NULL: it cannot be looked into */
	uintptr_t begin, end;
	const char *path;		/* borrowed from the loader; "" for the program itself */
	bool queued;
};

/*
 * Calls `each` for every object of the program's own namespace in the loader's order, with the
 * loader's list lock held. *adds: how often the loader has added something so far; when it has not
 * changed, nothing is called.
 */
void dlt_scope_each(void (*each)(const struct dlt_object *o, void *data), void *data,
		    unsigned long long *adds);

/* Inside `each`: the object that holds an address, NULL: none; one's place in the order. */
const struct dlt_object *dlt_scope_object(const void *address);
unsigned dlt_scope_order(const struct dlt_object *o);

/* The same without the last resort, anything that is loaded. */
void *dlt_scope_find_linked(const void *caller, const char *name);

#endif
