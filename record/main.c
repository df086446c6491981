/* SPDX-License-Identifier: MIT */
/* dltrace-record: runs a command and records what it does with the machine. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "inherited.h"
#include "options.h"
#include "place.h"
#include "print.h"
#include "recording.h"
#include "say.h"

static int print(const struct options *o)
{
	char output[PATH_MAX], library[PATH_MAX], audit[PATH_MAX];
	struct plan_machine machine;
	struct plan plan;
	int err, status = recording_output(o, output);

	if (status)
		return status;
	plan_read_machine(&machine, "", true);
	err = plan_make(&plan, o->level, &machine);
	if (err) {
		say_error("no buffers for tracing: %s", strerror(-err));
		return EXIT_OWN;
	}
	plan.gpu = o->gpu;
	place_find(".libs/libdltrace.so", DLT_LIBDIR, library);
	place_find(".libs/libdltrace-audit.so", DLT_LIBDIR, audit);
	return print_commands(o, &plan, output, library, o->audit ? audit : NULL);
}

int main(int argc, char **argv)
{
	struct options o;

	inherited_fill();
	options_parse(&o, argc, argv);
	if (o.control_pid)
		return control_ask(o.control_pid, o.command);
	if (o.print)
		return print(&o);
	return recording_run(&o);
}
