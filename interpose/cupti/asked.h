/* SPDX-License-Identifier: MIT */
/*
 * Which calls CUPTI makes records of: those that work on the GPU, or waiting for it, can belong to. While it records
 * all of a layer's (CUPTI_ACTIVITY_KIND_RUNTIME, _DRIVER), each call pays, also one whose records are switched off;
 * PyTorch asks for the current device eight times as often as it launches. So they are chosen one by one, by the
 * names that the loaded CUPTI has for its numbers.
 *
 * CUPTI's records of synchronisations (CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) make each call pay too, and on an H100
 * there was one for each call that waits, no more, and 0.4 us shorter than the call. So the calls tell them.
 *
 * A step of MobileNetV2 that waits for its 1,050 launches, not for the GPU, took there 13.3 ms, with all kinds 21.3,
 * so 17.3 (tenth percentiles of 120 steps).
 */
#ifndef DLT_INTERPOSE_CUPTI_ASKED_H
#define DLT_INTERPOSE_CUPTI_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "find.h"

/* Learns the names. */
void asked_init(const struct cupti *c);

/* False: this CUPTI cannot choose, its kinds have to be enabled. */
bool asked_enable(const struct cupti *c);
void asked_disable(const struct cupti *c);

/* CUpti_ActivitySynchronizationType of a call that waits; 0: it does not, or its name is not known. */
uint8_t asked_wait(bool driver, uint64_t number);

#endif
