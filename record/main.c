/* SPDX-License-Identifier: MIT */
/* dltrace-record: runs a command and records what it does with the machine. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "inherited.h"
#include "options.h"
#include "place.h"
#include "print.h"
#include "recording.h"
#include "say.h"

static int print(const struct options *o)
{
	char output[PATH_MAX], library[PATH_MAX], audit[PATH_MAX], why[128];
	struct plan_machine machine;
	struct plan plan;
	int err, status = recording_output(o, output);

	if (status)
		return status;
	plan_read_machine(&machine, "", true);
	err = plan_make(&plan, o->level, &machine);
	if (err) {
		plan_explain(err, &machine, why, sizeof(why));
		say_error("%s", why);
		return EXIT_OWN;
	}
	plan.gpu = o->gpu;
	plan.stacks = o->stacks;
	place_find(".libs/libdltrace.so", DLT_LIBDIR, library);
	place_find(".libs/libdltrace-audit.so", DLT_LIBDIR, audit);
	print_commands(o, &plan, output, library, o->audit ? audit : NULL);
	return 0;
}

/* Of --print, --control, --help: what nobody has got must not look as if somebody had. */
static void end_output(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return;
	say_error("cannot write standard output: %s", strerror(errno ? errno : EIO));
	_exit(EXIT_OWN);
}

int main(int argc, char **argv)
{
	struct options o;

	atexit(end_output);
	options_parse(&o, argc, argv);
	inherited_fill();
	if (o.control_pid)
		return control_ask(o.control_pid, o.command);
	if (o.print)
		return print(&o);
	return recording_run(&o);
}
