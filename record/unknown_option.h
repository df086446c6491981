/* SPDX-License-Identifier: MIT */
/* What argp would say of options that it does not know, in one line that says what to do. */
#ifndef DLT_RECORD_UNKNOWN_OPTION_H
#define DLT_RECORD_UNKNOWN_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The first one that is wrong, before --help or the like: not in the table, without the value that it needs, or with
 * one that it does not take. False: there is none. in_order: what is no option ends them. argv is put in getopt's
 * order.
 */
bool unknown_option(const struct argp_option *table, int argc, char **argv, bool in_order, char *line, size_t size);

#endif
