/* SPDX-License-Identifier: MIT */
/* Energy of CPU packages and memory through RAPL (/sys/class/powercap), where it may be read. */
#ifndef DLT_RECORD_ENERGY_H
#define DLT_RECORD_ENERGY_H

/* How many domains answer. root: "/sys/class/powercap", or a test's. */
unsigned energy_init(const char *root);

/* Emits dltrace_record:energy for each. */
void energy_tick(void);

#endif
