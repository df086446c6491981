/* SPDX-License-Identifier: MIT */
/* How much the sampler itself has written. */
#include "emit_sample.h"

uint64_t sample_emitted;
