/* SPDX-License-Identifier: MIT */
/* Goes over the command line as argp will, by the same getopt_long. */
#include "unknown_option.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX	64
#define KEY_ENDS	0xffff	/* --help and the like: argp does not come further */

/* As getopt wants them. */
struct known {
	struct option list[OPTIONS_MAX];	/* ends with an empty one */
	char letters[3 * OPTIONS_MAX + 8];
	size_t count;
};

static void know(struct known *k, const char *name, int key, int argument)
{
	size_t n = strlen(k->letters);

	if (k->count + 1 < OPTIONS_MAX)
		k->list[k->count++] = (struct option){ name, argument, NULL, key };
	if (key > ' ' && key <= '~')
		snprintf(k->letters + n, sizeof(k->letters) - n, "%c%s", key,
			 argument == required_argument ? ":" : argument == optional_argument ? "::" : "");
}

static void know_all(struct known *k, const struct argp_option *table, bool in_order)
{
	*k = (struct known){ .letters = "" };
	strcpy(k->letters, in_order ? "+:" : ":");
	for (; table->name || table->doc; table++)
		if (table->name)
			know(k, table->name, table->key, !table->arg ? no_argument :
			     table->flags & OPTION_ARG_OPTIONAL ? optional_argument : required_argument);
	know(k, "help", KEY_ENDS, no_argument);
	know(k, "usage", KEY_ENDS, no_argument);
	know(k, "version", KEY_ENDS, no_argument);
	strcat(k->letters, "V");
}

/* How many options a shortened name may mean. */
static size_t meant(const struct known *k, const char *word)
{
	size_t n = 0, length = strcspn(word, "=");

	for (size_t i = 0; i < k->count && !strncmp(word, "--", 2); i++)
		n += !strncmp(k->list[i].name, word + 2, length - 2);
	return n;
}

bool unknown_option(const struct argp_option *table, int argc, char **argv, bool in_order, char *line, size_t size)
{
	struct known known;
	int c;

	know_all(&known, table, in_order);
	optind = 0;	/* from the begin */
	opterr = 0;
	do {
		optopt = 0;
		c = getopt_long(argc, argv, known.letters, known.list, NULL);
	} while (c != -1 && c != KEY_ENDS && c != 'V' && c != '?' && c != ':');
	if ((c != '?' && c != ':') || optopt == '?')
		return false;
	if (c == ':')
		snprintf(line, size, "option '%s' needs a value: %s --help", argv[optind - 1],
			 program_invocation_short_name);
	else if (optopt > '~')
		snprintf(line, size, "option '%s' takes no value", argv[optind - 1]);
	else if (optopt)
		snprintf(line, size, "unrecognized option '-%c': %s --help lists them", optopt,
			 program_invocation_short_name);
	else
		snprintf(line, size, "%s option '%s': %s --help lists them",
			 meant(&known, argv[optind - 1]) > 1 ? "ambiguous" : "unrecognized", argv[optind - 1],
			 program_invocation_short_name);
	return true;
}
