/* SPDX-License-Identifier: MIT */
/*
 * What NVTX 2 and 3 and a tool say to each other, as far as it is needed here.
 *
 * A library that uses NVTX has it inside (3, headers only) or in libnvToolsExt.so.1 (2). At its
 * first call it loads the library that NVTX_INJECTION64_PATH names and calls that one's
 * InitializeInjectionNvtx2 with a function that gives tables by number. The table of callbacks
 * gives, for each module, an array of places for function pointers, by the numbers below; places
 * left alone stay without effect. Each copy of NVTX in a process does this once.
 */
#ifndef DLT_INTERPOSE_NVTX_ABI_H
#define DLT_INTERPOSE_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

typedef void (*nvtx_function)(void);
typedef const void *(*nvtx_get_table)(uint32_t table);

enum { NVTX_TABLE_CALLBACKS = 1, NVTX_TABLE_VERSION = 3 };
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CUDA, NVTX_MODULE_CUDART = 4, NVTX_MODULE_CORE2 };
enum { NVTX_CUDA_DEVICE_A = 1, NVTX_CUDA_DEVICE_W, NVTX_CUDA_STREAM_A = 5, NVTX_CUDA_STREAM_W };
enum { NVTX_CUDART_DEVICE_A = 1, NVTX_CUDART_DEVICE_W, NVTX_CUDART_STREAM_A, NVTX_CUDART_STREAM_W };

struct nvtx_callbacks {
	size_t size;
	/* 1: *table has *count places, each NULL or the address of a function pointer */
	int (*get_module)(int module, nvtx_function ***table, unsigned *count);
};

struct nvtx_version {
	size_t size;
	uint32_t version, unused;
	void (*set_tool_version)(uint32_t version);
};

enum nvtx_core {
	NVTX_MARK_EX = 1, NVTX_MARK_A, NVTX_MARK_W, NVTX_START_EX, NVTX_START_A, NVTX_START_W,
	NVTX_END, NVTX_PUSH_EX, NVTX_PUSH_A, NVTX_PUSH_W, NVTX_POP, NVTX_CATEGORY_A, NVTX_CATEGORY_W,
	NVTX_OS_THREAD_A, NVTX_OS_THREAD_W,
};

enum nvtx_core2 {
	NVTX_DOMAIN_MARK_EX = 1, NVTX_DOMAIN_START_EX, NVTX_DOMAIN_END, NVTX_DOMAIN_PUSH_EX,
	NVTX_DOMAIN_POP, NVTX_DOMAIN_CATEGORY_A = 8, NVTX_DOMAIN_CATEGORY_W, NVTX_DOMAIN_STRING_A,
	NVTX_DOMAIN_STRING_W, NVTX_DOMAIN_CREATE_A, NVTX_DOMAIN_CREATE_W,
};

enum { NVTX_MESSAGE_ASCII = 1, NVTX_MESSAGE_WIDE, NVTX_MESSAGE_REGISTERED };
enum { NVTX_U64 = 1, NVTX_I64, NVTX_DOUBLE, NVTX_U32, NVTX_I32, NVTX_FLOAT };

/* What a range or a mark is given, from version 1 on. */
struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, unused;
	union {
		uint64_t u64;
		int64_t i64;
		double real;
		uint32_t u32;
		int32_t i32;
		float real32;
	} payload;
	int32_t message_type;
	union {
		const char *ascii;
		const wchar_t *wide;
		const void *registered;
	} message;
};

_Static_assert(sizeof(struct nvtx_attributes) == 48, "as NVTX lays it out");

#endif
