/* SPDX-License-Identifier: MIT */
/* Names of kernels, short enough for a column. */
#ifndef DLT_ANALYSIS_REPORT_SHORT_NAME_H
#define DLT_ANALYSIS_REPORT_SHORT_NAME_H

#include <stddef.h>

/*
 * What tells a kernel from others, of its demangled name: "vectorized_elementwise_kernel<4, FillFunctor<float>>" of
 * "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)",
 * and "sm80_fprop_tf32_nhwc_128x64x32" of one of cuDNN's. Different names may have the same short one; a name of
 * another making is its own. Cut to `size`; returns `to`.
 */
char *short_name(const char *name, char *to, size_t size);

#endif
