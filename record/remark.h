/* SPDX-License-Identifier: MIT */
/* What is worth a note of the recording before the command starts. True: there is one, "SEVERITY KIND VALUE TEXT". */
#ifndef DLT_RECORD_REMARK_H
#define DLT_RECORD_REMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* Another tool gets what the program names by NVTX. */
bool remark_nvtx(const struct options *o, char *text, size_t size);

/* There is no room in `output` for the level that was asked for. */
bool remark_level(const struct options *o, enum level wanted, const char *output, char *text, size_t size);

#endif
