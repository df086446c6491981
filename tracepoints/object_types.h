/* SPDX-License-Identifier: MIT */
/* What the small ids of dltrace_proc:object stand for. */
#ifndef DLT_TRACEPOINTS_OBJECT_TYPES_H
#define DLT_TRACEPOINTS_OBJECT_TYPES_H

/*
 * Bytes that are kept of a name, with its NUL; what is longer is cut, everywhere alike: a kernel is found by its
 * name among what CUPTI told, and templates' names have no end.
 */
#define DLT_OBJECT_NAME 4096

enum dlt_object {
	DLT_OBJECT_KERNEL = 1,
	DLT_OBJECT_SHAPE,
	DLT_OBJECT_STREAM,
	DLT_OBJECT_UNCOVERED,		/* its values are a text: the function's name, or one of those below */
	DLT_OBJECT_CUPTI,		/* a kernel's name that CUPTI or an event of OpenCL's told */
	DLT_OBJECT_GRAPH,
	DLT_OBJECT_COMMUNICATOR,
	DLT_OBJECT_PACKAGE,		/* of Python: its name is the folder */
	DLT_OBJECT_FOLDER,		/* of files that are read; its handle is a hash of the name */
	DLT_OBJECT_STREAM_NAME,		/* what the program calls the stream of this handle, by NVTX */
	DLT_OBJECT_DEVICE_NAME,		/* likewise the GPU of this number, as the process numbers them */
	DLT_OBJECT_MISSED,		/* what found no room, counted: its values are by enum dlt_missed */
	DLT_OBJECT_CODE,		/* a function of Python's: its file and its name (frame_kinds.h) */
};

enum dlt_missed {
	DLT_MISSED_LAUNCH,		/* launches of kernels that have no id */
	DLT_MISSED_GRAPH,		/* launches of graphs */
	DLT_MISSED_STREAM,		/* calls on streams, which look like those on the default stream */
	DLT_MISSED_CAPTURE,		/* streams and events in captures: what comes of them looks executed */
	DLT_MISSED_NAME,		/* names and all the rest */
	DLT_MISSED_STACK,		/* call stacks, of which only the outer frames are known */
	DLT_MISSED_KINDS
};

#define DLT_SHUT_IN "seccomp"		/* the process may have shut itself in */
#define DLT_SHUT_STRICTLY "strict seccomp"	/* a thread may have left itself nothing but to read and to write */
#define DLT_ASKED_PAST "RTLD_NEXT"	/* functions of CUDA or NCCL were looked up so that the loader answers */

#endif
