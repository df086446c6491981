/* SPDX-License-Identifier: MIT */
/*
 * Which calls CUPTI makes records of: those that work on the GPU, or waiting for it, can belong to. While it records
 * all of a layer's (CUPTI_ACTIVITY_KIND_RUNTIME, _DRIVER), each call pays, also one whose records are switched off;
 * PyTorch asks for the current device eight times as often as it launches. So they are chosen one by one, by the
 * names that the loaded CUPTI has for its numbers.
 */
#ifndef DLT_INTERPOSE_CUPTI_ASKED_H
#define DLT_INTERPOSE_CUPTI_ASKED_H

#include <stdbool.h>

#include "find.h"

/* False: this CUPTI cannot choose, its kinds have to be enabled. */
bool asked_enable(const struct cupti *c);
void asked_disable(const struct cupti *c);

#endif
