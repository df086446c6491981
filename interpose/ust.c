/* SPDX-License-Identifier: MIT */
/* libdltrace-ust.so: the providers, and what libdltrace.so needs of LTTng, as one table. */
#include "bridge.h"

/* Exported; libdltrace.so finds it by dlsym. */
extern const struct dlt_bridge dlt_bridge;

__attribute__((visibility("default"))) const struct dlt_bridge dlt_bridge = {
	.version = DLT_BRIDGE_VERSION,
	.events = DLT_EVENTS,
	.states = dlt_bridge_states,
	.emitters = dlt_bridge_emitters,
};
