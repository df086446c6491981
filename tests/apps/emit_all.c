/* SPDX-License-Identifier: MIT */
/* build: .libs/libproviders-recorder.a .libs/libtables.a -llttng-ust */
/*
 * Emits every event of events.tbl with odd values, and tells what it emitted.
 *
 *	emit_all THREADS ROUNDS
 *
 * Each thread emits each event once a round, with values of odd.h. With one thread, standard output
 * has one line an event, as analysis/reader/text_writer.c writes it but with [0] for the time.
 */
#include <pthread.h>
#include <stdlib.h>

#include "analysis/reader/text_writer.c"
#include "analysis/reader/value.c"
#include "bridge.h"
#include "tests/apps/odd.h"

struct emitter {
	pthread_t thread;
	unsigned rounds;
	FILE *out;		/* borrowed; NULL: quiet */
	struct odd odd;
};

static void emit(struct emitter *e, enum dlt_event type)
{
	const struct reader_info info = { .clock_offset = 0 };
	struct reader_event event = { 0, type, e->odd.data };

	odd_event(&e->odd, type);
	if (*dlt_bridge_states[type])
		dlt_bridge_emitters[type](e->odd.data);
	if (e->out)
		text_write_event(e->out, &info, &event);
}

static void *run(void *argument)
{
	struct emitter *e = argument;

	for (unsigned round = 0; round < e->rounds; round++)
		for (int type = 0; type < DLT_EVENTS; type++)
			if (!(DLT_EVENTS_OF_EVENTS >> type & 1))	/* see batches.sh */
				emit(e, (enum dlt_event)type);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	struct emitter *emitters = calloc(threads, sizeof(*emitters));

	for (unsigned i = 0; i < threads; i++) {
		emitters[i].odd.random = 0x9e3779b97f4a7c15ULL * (i + 1);
		emitters[i].odd.longest = ODD_STRING;
		emitters[i].odd.words = ODD_WORDS;
		emitters[i].rounds = rounds;
		emitters[i].out = threads == 1 ? stdout : NULL;
		pthread_create(&emitters[i].thread, NULL, run, &emitters[i]);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(emitters[i].thread, NULL);
	free(emitters);
	return 0;
}
