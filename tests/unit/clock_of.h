/* SPDX-License-Identifier: MIT */
/* The clock, for unit tests of files that ask for it: included once in a program, beside what is under test. */
#ifndef TESTS_UNIT_CLOCK_OF_H
#define TESTS_UNIT_CLOCK_OF_H

#include "interpose/clock.h"

uint64_t dlt_clock_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
