/* SPDX-License-Identifier: MIT */
/* `flags` of dltrace_proc:library: what a library's dynamic symbols and references tell. */
#ifndef DLT_TRACEPOINTS_LIBRARY_FLAGS_H
#define DLT_TRACEPOINTS_LIBRARY_FLAGS_H

enum dlt_library_flag {
	DLT_LIBRARY_LOOKED_AT = 1,	/* in libdltrace's own entry: all libraries were */
	DLT_LIBRARY_RUNTIME = 2,	/* it is a CUDA runtime: it defines cudaMalloc */
	DLT_LIBRARY_DRIVER = 4,		/* it is a CUDA driver: it defines cuInit */
	DLT_LIBRARY_OWN_RUNTIME = 8,	/* a static CUDA runtime is inside */
	DLT_LIBRARY_USES_RUNTIME = 16,	/* it refers to functions of the runtime */
	DLT_LIBRARY_USES_DRIVER = 32,	/* ... of the driver */
	DLT_LIBRARY_PAST_US = 64,	/* CUDA references of it are bound past libdltrace */
	DLT_LIBRARY_LOOKS_PAST_US = 128, /* its dlsym is: what it looks up itself is not seen */
	DLT_LIBRARY_HEAP_PAST_US = 256,	/* its malloc is */
	DLT_LIBRARY_OWN_MALLOC = 512,	/* it defines malloc and is no C library */
	DLT_LIBRARY_NAMESPACE = 1024,	/* dlmopen put it into another namespace: all of it is past us */
	DLT_LIBRARY_LOOKUPS = 2048,	/* in libdltrace's own entry: it wraps dlsym */
	DLT_LIBRARY_USES_UNKNOWN = 4096, /* it refers to CUDA functions that no row of our tables has */
	DLT_LIBRARY_AUDITED = 8192,	/* in libdltrace's own entry: libdltrace-audit.so is there too */
	DLT_LIBRARY_PROFILES_PAST_US = 16384, /* CUPTI references of it are bound past libdltrace */
	DLT_LIBRARY_USES_UNKNOWN_NCCL = 32768, /* it refers to functions of NCCL that no row of our tables has */
};

#endif
