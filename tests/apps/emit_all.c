/* SPDX-License-Identifier: MIT */
/* build: .libs/libproviders-recorder.a .libs/libtables.a -llttng-ust */
/*
 * Emits every event of events.tbl with odd values, and tells what it emitted.
 *
 *	emit_all THREADS ROUNDS
 *
 * Each thread emits each event once a round. Fields take the extremes of their type, random
 * numbers, empty and long strings, empty and long sequences. With one thread, standard output
 * has one line an event, as analysis/reader/text_writer.c writes it but with [0] for the time.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/text_writer.c"
#include "analysis/reader/value.c"
#include "bridge.h"

#define LONG_STRING 3000
#define WORDS 300

struct emitter {
	pthread_t thread;
	uint64_t random;
	unsigned rounds;
	FILE *out;		/* borrowed; NULL: quiet */
	char text[LONG_STRING + 1];
	uint64_t words[WORDS];
};

/* xorshift64 */
static uint64_t draw(struct emitter *e)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 7;
	e->random ^= e->random << 17;
	return e->random;
}

static uint64_t odd_integer(struct emitter *e, const struct dlt_field *field)
{
	unsigned bits = 8 * value_width(field->type);
	uint64_t value;

	switch (draw(e) % 5) {
	case 0: value = 0; break;
	case 1: value = UINT64_MAX; break;
	case 2: value = 1ULL << (bits - 1); break;	/* the smallest, where signed */
	case 3: value = (1ULL << (bits - 1)) - 1; break;
	default: value = draw(e);
	}
	return cut(field->type, value);
}

static void odd_string(struct emitter *e, const struct dlt_field *field, void *data)
{
	static const char *const some[] = { "", "x", "\x1f\x01 \"\\\n", "gr\xc3\xbc\xc3\x9f", "\xff\xfe" };
	unsigned choice = (unsigned)(draw(e) % 7);

	memset(e->text, 'a', LONG_STRING);
	if (choice < 5)
		value_set_string(field, data, some[choice]);
	else	/* the tail of one text, so that several fields may share it */
		value_set_string(field, data, e->text + draw(e) % LONG_STRING);
}

static void odd_sequence(struct emitter *e, const struct dlt_field *field, void *data)
{
	static const uint32_t counts[] = { 0, 1, 2, 17, WORDS };

	for (size_t i = 0; i < WORDS; i++)
		e->words[i] = draw(e) >> draw(e) % 64;
	value_set_sequence(field, data, e->words, counts[draw(e) % 5]);
}

static void emit(struct emitter *e, enum dlt_event type)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[type];
	const struct reader_info info = { .clock_offset = 0 };
	_Alignas(8) char data[1024];
	struct reader_event event = { 0, type, data };

	if (desc->size > sizeof(data))
		abort();
	value_clear(desc, data);
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *field = &desc->fields[i];

		if (field->type == DLT_STR)
			odd_string(e, field, data);
		else if (field->type == DLT_SEQ64)
			odd_sequence(e, field, data);
		else
			value_set(field, data, odd_integer(e, field));
	}
	if (*dlt_bridge_states[type])
		dlt_bridge_emitters[type](data);
	if (e->out)
		text_write_event(e->out, &info, &event);
}

static void *run(void *argument)
{
	struct emitter *e = argument;

	for (unsigned round = 0; round < e->rounds; round++)
		for (int type = 0; type < DLT_EVENTS; type++)
			emit(e, (enum dlt_event)type);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	struct emitter *emitters = calloc(threads, sizeof(*emitters));

	for (unsigned i = 0; i < threads; i++) {
		emitters[i].random = 0x9e3779b97f4a7c15ULL * (i + 1);
		emitters[i].rounds = rounds;
		emitters[i].out = threads == 1 ? stdout : NULL;
		pthread_create(&emitters[i].thread, NULL, run, &emitters[i]);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(emitters[i].thread, NULL);
	free(emitters);
	return 0;
}
