/* SPDX-License-Identifier: MIT */
/* Prints the lttng commands that would record the same. */
#include "print.h"

#include "environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* As one word of a shell. */
static void quoted(const char *word)
{
	if (*word && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				       "%+,-./:=@_")] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*word);
	}
	putchar('\'');
}

/* NAME=value */
static void variable(const char *entry)
{
	size_t name = strcspn(entry, "=");

	printf("%.*s=", (int)name, entry);
	quoted(entry + name + 1);
	putchar(' ');
}

static void command(const struct options *o, const char *library, const char *audit)
{
	char *added[ENVIRONMENT_RECORDS];
	size_t count = environment_records(o, library, audit, added);

	for (size_t i = 0; i < count; i++)
		if (added[i])
			variable(added[i]);
	for (char *const *arg = o->command; *arg; arg++) {
		quoted(*arg);
		putchar(arg[1] ? ' ' : '\n');
	}
}

static void create(const struct options *o, const char *name, const char *output)
{
	if (o->session)
		return;
	fputs("lttng create ", stdout);
	quoted(name);
	fputs(o->relay ? " --set-url=" : " --output=", stdout);
	quoted(o->relay ? o->relay : output);
	putchar('\n');
}

void print_commands(const struct options *o, const struct plan *plan, const char *output, const char *library,
		    const char *audit)
{
	const char *name = o->session ? o->session : "dltrace";

	create(o, name, output);
	for (unsigned i = 0; i < plan->count; i++) {
		const struct plan_channel *c = &plan->channels[i];

		printf("lttng enable-channel --userspace --session=");
		quoted(name);
		printf(" --buffers-uid --subbuf-size=%" PRIu64 " --num-subbuf=%" PRIu64
		       " --switch-timer=%u %s\n", c->subbuf_size, c->subbufs, c->switch_timer, c->name);
	}
	for (size_t i = 0; i < plan_event_count; i++) {
		if (!plan_wants(plan, &plan_events[i], o->level) ||
		    plan_is_recorder_s(&plan_events[i]))
			continue;
		printf("lttng enable-event --userspace --session=");
		quoted(name);
		printf(" --channel=%s '%s'\n", plan->channels[plan_channel_of(plan, &plan_events[i])].name,
		       plan_events[i].pattern);
	}
	printf("lttng start ");
	quoted(name);
	putchar('\n');
	if (o->command)
		command(o, library, audit);
	if (!o->session)
		printf("lttng destroy dltrace\n");
}
