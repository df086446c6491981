/* SPDX-License-Identifier: MIT */
/* The one mark of a function that libdltrace.so shows to the application. */
#ifndef DLT_INTERPOSE_EXPORT_H
#define DLT_INTERPOSE_EXPORT_H

#define DLT_EXPORT __attribute__((visibility("default")))

#endif
