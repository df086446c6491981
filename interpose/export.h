/* SPDX-License-Identifier: MIT */
/* The marks of a function that libdltrace.so shows to the application. */
#ifndef DLT_INTERPOSE_EXPORT_H
#define DLT_INTERPOSE_EXPORT_H

#define DLT_EXPORT __attribute__((visibility("default")))

/* Lets a wrapper be handed out by dlsym too; after its declaration. `like`: what it is called in C. */
#define DLT_WRAPPER_LIKE(name, like) \
	extern __typeof__(like) dlt_wrapper_of_##name \
		__attribute__((alias(#name), visibility("hidden")))
#define DLT_WRAPPER(name) DLT_WRAPPER_LIKE(name, name)

#endif
