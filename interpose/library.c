/* SPDX-License-Identifier: MIT */
/* Which library an address belongs to. */
#include "library.h"

uint32_t dlt_library_generation;

uint16_t dlt_library_of(const void *address)
{
	(void)address;
	return 0;
}

uintptr_t dlt_library_base(const void *address)
{
	(void)address;
	return 0;
}

bool dlt_library_is_loader(const void *address)
{
	(void)address;
	return false;
}

void dlt_library_init(void)
{
}
