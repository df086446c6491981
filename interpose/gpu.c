/* SPDX-License-Identifier: MIT */
/* libdltrace-gpu.so: the provider of what the GPU itself does, for processes that have one and LTTng. */
#include "bridge.h"
#include "export.h"

/* libdltrace.so finds it by dlsym. */
extern const struct dlt_bridge dlt_bridge;

DLT_EXPORT const struct dlt_bridge dlt_bridge = {
	.version = DLT_BRIDGE_VERSION,
	.events = DLT_EVENTS,
	.states = dlt_bridge_states,
	.emitters = dlt_bridge_emitters,
};
