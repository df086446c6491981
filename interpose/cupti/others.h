/* SPDX-License-Identifier: MIT */
/* What happens to calls that others in the process make of CUPTI (interpose/cupti.h lists them). */
#ifndef DLT_INTERPOSE_CUPTI_OTHERS_H
#define DLT_INTERPOSE_CUPTI_OTHERS_H

#include "interpose/cupti.h"

extern const struct dlt_cupti_handlers others_handlers;

#endif
