/* SPDX-License-Identifier: MIT */
/*
 * libdltrace-nvtx.so: what NVTX_INJECTION64_PATH names. It leads NVTX to the libdltrace.so that is
 * preloaded; in a process without one (the variable is inherited further than LD_PRELOAD) it
 * declines, and NVTX unloads it again. libdltrace.so itself must never be loaded that way.
 */
#include "export.h"
#include "nvtx_abi.h"

extern int dltrace_nvtx(nvtx_get_table get_table) __attribute__((weak));

DLT_EXPORT int InitializeInjectionNvtx2(nvtx_get_table get_table);

DLT_EXPORT int InitializeInjectionNvtx2(nvtx_get_table get_table)
{
	return dltrace_nvtx ? dltrace_nvtx(get_table) : 0;
}
