/* SPDX-License-Identifier: MIT */
/* dltrace-record: runs a command and records what it does with the machine. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
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
	plan_read_machine(&machine, "");
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

/*
 * Started with 0, 1 or 2 closed, our own descriptors would land there. The command finds them
 * closed as ever: these close on exec.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct options o;

	fill_standard_descriptors();
	options_parse(&o, argc, argv);
	if (o.control_pid)
		return control_ask(o.control_pid, o.command);
	if (o.print)
		return print(&o);
	return recording_run(&o);
}
