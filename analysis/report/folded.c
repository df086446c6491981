/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as flamegraph.pl, inferno and speedscope read them: frames with ; between, a space,
 * the ns, or of memory the bytes.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/report/stacks.h"
#include "analysis/report/writer.h"

static void write_stack(const struct stack *s, void *data)
{
	FILE *out = data;

	for (size_t i = 0; i < s->depth; i++) {
		if (i)
			fputc(';', out);
		for (const char *c = s->frames[i]; *c; c++)
			fputc(*c == ';' ? ':' : *c, out);
	}
	fprintf(out, " %" PRIu64 "\n", s->weight);
}

int write_folded(const struct report *r, const char *page, FILE *out,
		 const struct writer_options *o)
{
	(void)page;
	(void)o;
	stacks_of_time(r, write_stack, out);
	return 0;
}

int write_memory_folded(const struct report *r, const char *page, FILE *out,
			const struct writer_options *o)
{
	(void)page;
	(void)o;
	stacks_of_memory(r, write_stack, out);
	return 0;
}
