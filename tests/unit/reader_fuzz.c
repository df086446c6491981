/* SPDX-License-Identifier: MIT */
/*
 * Broken traces, by the hundred: bits turned, numbers made huge, files cut and repeated. Whatever
 * comes out, the reader ends, in time, and touches nothing that is not its own (sanitizers).
 *
 *	reader_fuzz.unit [TRACE-FOLDER [SECONDS [SEED]]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include "reader_all.h"
#include "reader_trace.h"

#define FILES_MAX 16
#define LEAST 50		/* tries, however slow the machine is */

struct fuzz_file {
	char name[256];
	uint8_t *bytes;		/* owned */
	size_t size;
};

static struct fuzz_file files[FILES_MAX];
static unsigned file_count;
static unsigned seconds = 2;
static struct odd dice;
static uint64_t seed;
static unsigned tries;
static const char *given;	/* a real trace; NULL: made here */

/* What is needed to see a failure again, however it ended the test. */
static void say_where(void)
{
	fprintf(stderr, "seed %" PRIu64 ", try %u\n", seed, tries);
}

static void hangs(int signal)
{
	say_where();
	_exit(128 + signal);
}

static void load_file(const char *folder, const char *name)
{
	struct fuzz_file *file = &files[file_count];
	char path[1024];
	long size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f || fseek(f, 0, SEEK_END) < 0 || (size = ftell(f)) <= 0 || size > 1 << 20) {
		if (f)
			fclose(f);
		return;
	}
	rewind(f);
	snprintf(file->name, sizeof(file->name), "%s", name);
	file->size = (size_t)size;
	file->bytes = malloc(file->size);
	assert_int_equal(fread(file->bytes, 1, file->size, f), file->size);
	fclose(f);
	file_count++;
}

static void load_folder(const char *folder)
{
	struct dirent *entry;
	DIR *d = opendir(folder);

	assert_non_null(d);
	while ((entry = readdir(d)) && file_count < FILES_MAX)
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "index") != 0)
			load_file(folder, entry->d_name);
	closedir(d);
	assert_true(file_count >= 2);
}

/* Where damage does most: sizes and ids stand at the begin of packets and of the metadata. */
static size_t somewhere(size_t size)
{
	size_t at = odd_draw(&dice) % size;

	return odd_draw(&dice) % 2 ? at : odd_draw(&dice) % (size < 512 ? size : 512);
}

static void damage(uint8_t *bytes, size_t *size)
{
	static const uint64_t some[] = { 0, 1, UINT64_MAX, 1ULL << 63, 0xffffffff, 8, 1 << 20 };
	size_t at = somewhere(*size), n;

	switch (odd_draw(&dice) % 7) {
	case 0:
		*size = at;
		break;
	case 1:
		n = *size - at < 8 ? *size - at : 8;
		memcpy(bytes + at, &some[odd_draw(&dice) % 7], n);
		break;
	case 2:		/* a part of it somewhere else */
		n = odd_draw(&dice) % 64;
		if (at + n < *size)
			memmove(bytes + somewhere(*size - n), bytes + at, n);
		break;
	case 3:		/* a digit or sign of the metadata */
		bytes[at] = (uint8_t)"0123456789{}[]<>;=:.-\"/* \n"[odd_draw(&dice) % 26];
		break;
	case 4:		/* another number, which every parser takes */
		while (at < *size && !isdigit(bytes[at]))
			at++;
		if (at < *size)
			bytes[at] = (uint8_t)('0' + odd_draw(&dice) % 10);
		break;
	default:
		bytes[at] ^= (uint8_t)(1 << odd_draw(&dice) % 8);
	}
}

static void write_files(const char *folder)
{
	unsigned victim = (unsigned)(odd_draw(&dice) % file_count), times;

	for (unsigned i = 0; i < file_count; i++) {
		size_t size = files[i].size;
		uint8_t *copy = malloc(size);
		char path[1024];
		FILE *f;

		memcpy(copy, files[i].bytes, size);
		times = i == victim || odd_draw(&dice) % 4 == 0 ? 1 + odd_draw(&dice) % 4 : 0;
		while (times-- && size)
			damage(copy, &size);
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		f = fopen(path, "w");
		assert_int_equal(fwrite(copy, 1, size, f), size);
		fclose(f);
		free(copy);
	}
}

static bool is_one_line(const char *text)
{
	return text[0] && !strpbrk(text, "\n\r\v\f");
}

static void check_text(const char *text)
{
	if (is_one_line(text))
		return;
	say_where();
	fail_msg("not one line of text: '%s'", text);
}

/* Everything that is read is looked at; true when the trace could be opened. */
static bool read_it(const char *path)
{
	char error[READER_ERROR_SIZE] = "";
	struct reader *r = reader_open(path, READER_FAST, error, sizeof(error));
	struct reader_event event;
	FILE *out;

	if (!r) {
		check_text(error);
		return false;
	}
	out = fopen("/dev/null", "w");
	text_write_header(out, reader_info(r));
	while (reader_next(r, &event) > 0)
		text_write_event(out, reader_info(r), &event);
	text_write_end(out, reader_info(r));
	fclose(out);
	for (size_t i = 0; i < reader_info(r)->problem_count; i++)
		check_text(reader_info(r)->problems[i].text);
	reader_close(r);
	return true;
}

static void load_trace(bool json)
{
	struct trace *t = calloc(1, sizeof(*t));

	t->natural = odd_draw(&dice) % 2;
	t->contexts = true;
	t->json = json;
	trace_write(t, 2, NULL);
	load_folder(t->folder);
	trace_remove(t);
	free(t);
}

static void forget_files(void)
{
	while (file_count)
		free(files[--file_count].bytes);
}

/* state: of what kind, where no trace is given */
static void broken_traces(void **state)
{
	char folder[] = "/tmp/dltrace-fuzz.XXXXXX", path[1024];
	time_t end = time(NULL) + seconds;
	unsigned opened = 0;

	dice.random = 88172645463325252ULL + seed;
	tries = 0;
	if (given)
		load_folder(given);
	else
		load_trace(*(const bool *)*state);
	assert_non_null(mkdtemp(folder));
	for (; time(NULL) < end || tries < LEAST; tries++) {
		write_files(folder);
		/* One broken trace that takes so long, of the processor's time, is a hang. */
		setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = 20 }, NULL);
		opened += read_it(folder);
		setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = 0 }, NULL);
	}
	for (unsigned i = 0; i < file_count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		unlink(path);
	}
	rmdir(folder);
	forget_files();
	print_message("%u broken traces, %u of them opened\n", tries, opened);
	assert_true(opened > 0 && opened < tries);
}

int main(int argc, char **argv)
{
	bool kinds[] = { false, true };		/* metadata in TSDL, in JSON */
	const struct CMUnitTest tests[] = {
		{ "CTF 1.8", broken_traces, NULL, NULL, &kinds[0] },
		{ "CTF 2", broken_traces, NULL, NULL, &kinds[1] },
	};
	const struct CMUnitTest one[] = { { "the trace given", broken_traces, NULL, NULL, NULL } };

	given = argc > 1 && *argv[1] ? argv[1] : NULL;	/* "" to name a seed only */
	seconds = argc > 2 ? (unsigned)atoi(argv[2]) : seconds;
	seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	signal(SIGPROF, hangs);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_set_death_callback(say_where);
#endif
	return given ? cmocka_run_group_tests(one, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
