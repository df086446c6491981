/* SPDX-License-Identifier: MIT */
/* The marks of a function that libdltrace.so shows to the application. */
#ifndef DLT_INTERPOSE_EXPORT_H
#define DLT_INTERPOSE_EXPORT_H

#define DLT_EXPORT __attribute__((visibility("default")))

/* Lets a handwritten wrapper be handed out by dlsym too; after its declaration. */
#define DLT_WRAPPER(name) \
	extern __typeof__(name) dlt_wrapper_of_##name \
		__attribute__((alias(#name), visibility("hidden")))

#endif
