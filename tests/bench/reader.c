/* SPDX-License-Identifier: MIT */
/* build: .libs/libreader.a .libs/libtables.a -lbabeltrace2 -ljansson */
/*
 * How fast a trace is decoded:
 *
 *	reader TRACE [fast|babeltrace|text] [dump]
 *
 * Prints `events N seconds S rate R peak_kb K`, one line; with `dump` the events as text instead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/reader/text_writer.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum reader_source source(const char *name)
{
	if (strcmp(name, "babeltrace") == 0)
		return READER_BABELTRACE;
	return strcmp(name, "text") == 0 ? READER_TEXT :
	       strcmp(name, "fast") == 0 ? READER_FAST : READER_AUTO;
}

static void report(const struct reader_info *info, double seconds)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("events %" PRIu64 " seconds %.6f rate %.0f peak_kb %ld\n", info->events, seconds,
	       (double)info->events / seconds, usage.ru_maxrss);
}

int main(int argc, char **argv)
{
	bool dump = argc > 3 && strcmp(argv[3], "dump") == 0;
	struct reader_event event;
	char error[512];
	double begin = now();
	struct reader *r;

	if (argc < 2) {
		fputs("usage: reader TRACE [fast|babeltrace|text] [dump]\n", stderr);
		return 2;
	}
	r = reader_open(argv[1], source(argc > 2 ? argv[2] : ""), error, sizeof(error));
	if (!r) {
		fprintf(stderr, "reader: %s\n", error);
		return 4;
	}
	if (dump)
		text_write_header(stdout, reader_info(r));
	while (reader_next(r, &event) > 0)
		if (dump)
			text_write_event(stdout, reader_info(r), &event);
	if (dump)
		text_write_end(stdout, reader_info(r));
	else
		report(reader_info(r), now() - begin);
	reader_close(r);
	return 0;
}
