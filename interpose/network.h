/* SPDX-License-Identifier: MIT */
/* Descriptors of sockets on a network: what network.c has found out about a number, until it is closed. */
#ifndef DLT_INTERPOSE_NETWORK_H
#define DLT_INTERPOSE_NETWORK_H

/* The numbers from `first` to `last` are being closed or taken: whatever they are next, it is asked anew. */
void dlt_network_forget(unsigned first, unsigned last);

#endif
