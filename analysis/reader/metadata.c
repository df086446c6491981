/* SPDX-License-Identifier: MIT */
/* Metadata, as LTTng writes it, into a layout: the blocks of CTF 1.8, the file, its packets. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/ctf2.h"
#include "analysis/reader/must.h"
#include "analysis/reader/source.h"
#include "analysis/reader/tsdl_parse.h"

#define METADATA_MAGIC 0x75d11d57U
#define METADATA_MAX (16U << 20)	/* LTTng's have some 100 bytes a field, of CTF 2 400 */

bool tsdl_fail(struct tsdl *p, const char *format, ...)
{
	va_list ap;
	int n;

	if (p->failed)
		return false;
	p->failed = true;
	n = snprintf(p->error, p->error_size, "metadata line %u: ", p->lexer.line);
	va_start(ap, format);
	if (n > 0 && (size_t)n < p->error_size)
		vsnprintf(p->error + n, p->error_size - (size_t)n, format, ap);
	va_end(ap);
	return false;
}

bool tsdl_take(struct tsdl *p, char sign)
{
	if (!token_is(&p->lexer.token, sign))
		return false;
	lexer_next(&p->lexer);
	return true;
}

bool tsdl_expect(struct tsdl *p, char sign)
{
	return tsdl_take(p, sign) || tsdl_fail(p, "expected '%c'", sign);
}

bool tsdl_number(struct tsdl *p, int64_t *value)
{
	bool negative = tsdl_take(p, '-');

	if (p->lexer.token.kind != TOKEN_NUMBER)
		return tsdl_fail(p, "a number was expected");
	*value = (int64_t)p->lexer.token.number;
	if (negative)
		*value = (int64_t)(0 - (uint64_t)*value);
	lexer_next(&p->lexer);
	return true;
}

const char *tsdl_text(struct tsdl *p)
{
	const char *text = arena_string(&p->m->arena, p->lexer.token.text, p->lexer.token.length);

	lexer_next(&p->lexer);
	return text;
}

/* One value of a block, whatever it turns out to be. */
struct value {
	struct ctf_type *type;	/* key := type */
	int64_t number;
	const char *text;	/* of a string or a word */
};

/* `a.b.c` as one text. */
static bool parse_key(struct tsdl *p, char *key, size_t size)
{
	size_t used = 0;

	do {
		const struct token *t = &p->lexer.token;

		if (t->kind != TOKEN_WORD)
			return tsdl_fail(p, "a key was expected");
		if (used + t->length + 2 > size)
			return tsdl_fail(p, "a key is too long");
		if (used)
			key[used++] = '.';
		memcpy(key + used, t->text, t->length);
		used += t->length;
		lexer_next(&p->lexer);
	} while (tsdl_take(p, '.'));
	key[used] = '\0';
	return true;
}

static bool parse_block_value(struct tsdl *p, struct value *v)
{
	*v = (struct value){ NULL, 0, "" };
	if (p->lexer.token.kind == TOKEN_ASSIGN) {
		lexer_next(&p->lexer);
		v->type = tsdl_type(p, NULL);
		return v->type != NULL;
	}
	if (!tsdl_expect(p, '='))
		return false;
	if (p->lexer.token.kind == TOKEN_WORD || p->lexer.token.kind == TOKEN_STRING) {
		v->text = tsdl_text(p);
		return true;
	}
	return tsdl_number(p, &v->number);
}

typedef bool (*set_fn)(struct tsdl *p, void *to, const char *key, const struct value *v);

/* { key = value; key := type; ... } */
static bool parse_block(struct tsdl *p, set_fn set, void *to)
{
	char key[256];
	struct value v;

	if (!tsdl_expect(p, '{'))
		return false;
	while (!tsdl_take(p, '}'))
		if (!parse_key(p, key, sizeof(key)) || !parse_block_value(p, &v) ||
		    !tsdl_expect(p, ';') || !set(p, to, key, &v))
			return false;
	return true;
}

/* A structure, as every scope of CTF must be. */
static bool set_scope(struct tsdl *p, struct ctf_type **scope, const struct value *v)
{
	if (!v->type || v->type->kind != CTF_STRUCT)
		return tsdl_fail(p, "a scope that is not a structure");
	*scope = v->type;
	return true;
}

/* "ff719153-6ec9-4feb-b97d-f71bfc1d1b79" */
static bool set_uuid(struct tsdl *p, const char *text)
{
	unsigned byte, n = 0;

	for (; n < 16 && *text; text += 2, n++) {
		text += *text == '-';
		if (sscanf(text, "%2x", &byte) != 1 || !text[1])
			break;
		p->m->uuid[n] = (uint8_t)byte;
	}
	p->m->has_uuid = n == 16;
	return p->m->has_uuid || tsdl_fail(p, "the trace's uuid is not one");
}

static bool set_trace(struct tsdl *p, void *to, const char *key, const struct value *v)
{
	struct ctf_metadata *m = to;

	if (strcmp(key, "major") == 0 && v->number != 1)
		return tsdl_fail(p, "CTF %lld is not known, only 1.8", (long long)v->number);
	if (strcmp(key, "uuid") == 0)
		return set_uuid(p, v->text);
	if (strcmp(key, "byte_order") == 0)
		m->order = strcmp(v->text, "le") == 0 ? CTF_LITTLE : CTF_BIG;
	if (strcmp(key, "packet.header") == 0)
		return set_scope(p, &m->packet_header, v);
	return true;
}

static bool set_env(struct tsdl *p, void *to, const char *key, const struct value *v)
{
	struct ctf_metadata *m = to;

	(void)p;
	if (strcmp(key, "hostname") == 0)
		snprintf(m->host, sizeof(m->host), "%s", v->text);
	else if (strcmp(key, "trace_name") == 0)
		snprintf(m->session, sizeof(m->session), "%s", v->text);
	else if (strcmp(key, "trace_creation_datetime") == 0)
		snprintf(m->created, sizeof(m->created), "%s", v->text);
	return true;
}

static bool set_clock(struct tsdl *p, void *to, const char *key, const struct value *v)
{
	struct ctf_clock *c = to;

	if (strcmp(key, "name") == 0)
		c->name = v->text;
	else if (strcmp(key, "uuid") == 0)
		c->uuid = v->text;
	else if (strcmp(key, "freq") == 0)
		c->freq = (uint64_t)v->number;
	else if (strcmp(key, "offset_s") == 0)
		c->offset_s = v->number;
	else if (strcmp(key, "offset") == 0)
		c->offset = v->number;
	return c->freq > 0 || tsdl_fail(p, "a clock of 0 Hz");
}

static bool set_stream(struct tsdl *p, void *to, const char *key, const struct value *v)
{
	struct ctf_stream *s = to;

	if (strcmp(key, "id") == 0)
		s->id = (uint64_t)v->number;
	else if (strcmp(key, "packet.context") == 0)
		return set_scope(p, &s->packet_context, v);
	else if (strcmp(key, "event.header") == 0)
		return set_scope(p, &s->event_header, v);
	else if (strcmp(key, "event.context") == 0)
		return set_scope(p, &s->event_context, v);
	return true;
}

static bool set_event(struct tsdl *p, void *to, const char *key, const struct value *v)
{
	struct ctf_event *e = to;

	if (strcmp(key, "name") == 0)
		e->name = v->text;
	else if (strcmp(key, "id") == 0)
		e->id = (uint64_t)v->number;
	else if (strcmp(key, "stream_id") == 0)
		e->stream_id = (uint64_t)v->number;
	else if (strcmp(key, "context") == 0)
		return set_scope(p, &e->context, v);
	else if (strcmp(key, "fields") == 0)
		return set_scope(p, &e->fields, v);
	return true;
}

static bool set_nothing(struct tsdl *p, void *to, const char *key, const struct value *v)
{
	(void)p, (void)to, (void)key, (void)v;
	return true;
}

static bool parse_clock(struct tsdl *p)
{
	struct ctf_clock *c = ctf_metadata_add_clock(p->m);

	return c ? parse_block(p, set_clock, c) : tsdl_fail(p, "more than %d clocks", CTF_CLOCKS);
}

static bool parse_stream(struct tsdl *p)
{
	struct ctf_stream *s = ctf_metadata_add_stream(p->m);

	return s ? parse_block(p, set_stream, s) : tsdl_fail(p, "more than %d streams", CTF_STREAMS);
}

static bool parse_top(struct tsdl *p)
{
	struct token t = p->lexer.token;
	bool ok;

	if (tsdl_is_declaration(p)) {
		ok = tsdl_type(p, NULL) != NULL;
	} else {
		lexer_next(&p->lexer);
		if (token_is_word(&t, "typealias"))
			ok = tsdl_typealias(p);
		else if (token_is_word(&t, "typedef"))
			ok = tsdl_typedef(p);
		else if (token_is_word(&t, "trace"))
			ok = parse_block(p, set_trace, p->m);
		else if (token_is_word(&t, "env"))
			ok = parse_block(p, set_env, p->m);
		else if (token_is_word(&t, "clock"))
			ok = parse_clock(p);
		else if (token_is_word(&t, "stream"))
			ok = parse_stream(p);
		else if (token_is_word(&t, "event"))
			ok = parse_block(p, set_event, ctf_metadata_add_event(p->m));
		else if (token_is_word(&t, "callsite"))
			ok = parse_block(p, set_nothing, NULL);
		else
			ok = tsdl_fail(p, "unknown block '%.*s'",
				       (int)(t.length > 40 ? 40 : t.length), t.text);
	}
	return ok && tsdl_expect(p, ';');
}

/* What could only be known at the end: byte orders, clocks, which stream an event is of. */
static bool resolve(struct tsdl *p)
{
	char why[160];

	if (p->m->order == CTF_NATIVE)
		return tsdl_fail(p, "no trace block that tells the byte order");
	for (size_t i = 0; i < p->type_count; i++) {
		struct ctf_type *t = p->types[i];

		if (t->order == CTF_NATIVE)
			t->order = p->m->order;
		if (t->clock && !ctf_metadata_clock(p->m, t->clock))
			return tsdl_fail(p, "clock '%.80s' is not declared", t->clock);
	}
	for (size_t i = 0; i < p->m->event_count; i++)
		if (!ctf_metadata_attach(p->m, p->m->events[i], why, sizeof(why)))
			return tsdl_fail(p, "%s", why);
	return true;
}

/* FNV-1a */
static uint64_t digest(const char *text, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3ULL;
	return hash;
}

static bool parse_tsdl(struct ctf_metadata *m, const char *text, size_t size, char *error, size_t error_size)
{
	struct tsdl *p = must(calloc(1, sizeof(*p)));
	bool good;

	p->m = m;
	p->error = error;
	p->error_size = error_size;
	lexer_init(&p->lexer, text, size);
	while (p->lexer.token.kind != TOKEN_END && parse_top(p))
		;
	good = !p->failed && resolve(p);
	free(p);
	return good;
}

struct ctf_metadata *ctf_metadata_parse(const char *text, size_t size, char *error,
					size_t error_size)
{
	struct ctf_metadata *m = must(calloc(1, sizeof(*m)));
	bool good = ctf2_is(text, size) ? ctf2_parse(m, text, size, error, error_size)
					: parse_tsdl(m, text, size, error, error_size);

	m->digest = digest(text, size);
	if (good)
		return m;
	ctf_metadata_free(m);
	return NULL;
}

/* The header of a metadata packet; sizes in bits. LTTng writes it in the machine's byte order. */
struct metadata_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum, content_size, packet_size;
	uint8_t compression, encryption, checksum_scheme, major, minor;
} __attribute__((packed));

/* Moves the packets' contents together at the front; the new size, or -1. */
static long unpack(char *text, size_t size, char *error, size_t error_size)
{
	size_t at = 0, used = 0, content, packet;
	struct metadata_packet h;

	while (at < size) {
		if (size - at < sizeof(h))
			break;	/* the rest of a packet: what came before may do */
		memcpy(&h, text + at, sizeof(h));
		if (h.magic == __builtin_bswap32(METADATA_MAGIC)) {
			h.content_size = __builtin_bswap32(h.content_size);
			h.packet_size = __builtin_bswap32(h.packet_size);
		} else if (h.magic != METADATA_MAGIC) {
			snprintf(error, error_size, "metadata packet at byte %zu has no magic", at);
			return -1;
		}
		content = h.content_size / 8;
		packet = h.packet_size / 8;
		if (content < sizeof(h) || content > packet || content > size - at) {
			snprintf(error, error_size,
				 "metadata packet at byte %zu has impossible sizes", at);
			return -1;
		}
		if (h.compression || h.encryption) {
			snprintf(error, error_size,
				 "compressed or encrypted metadata is not known");
			return -1;
		}
		memmove(text + used, text + at + sizeof(h), content - sizeof(h));
		used += content - sizeof(h);
		at += packet < size - at ? packet : size - at;
	}
	return (long)used;
}

/* The whole file, owned by the caller; NULL and errno. */
static char *read_metadata(const char *path, size_t *size)
{
	FILE *file = source_open_file(path);
	char *text = NULL;
	long length;

	if (!file)
		return NULL;
	errno = 0;
	if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0) {
		if ((unsigned long)length > METADATA_MAX) {
			errno = EFBIG;
		} else if ((text = malloc((size_t)length + 1))) {
			rewind(file);
			*size = fread(text, 1, (size_t)length, file);
		}
	}
	fclose(file);
	return text;
}

int ctf_metadata_read(const char *path, struct ctf_metadata **metadata, char *error,
		      size_t error_size)
{
	size_t size = 0;
	char *text = read_metadata(path, &size);
	uint32_t magic = 0;
	long length;
	int ret;

	*metadata = NULL;
	if (!text) {
		ret = errno ? -errno : -EIO;
		snprintf(error, error_size, "%s", strerror(-ret));
		return ret;
	}
	ret = -ENODATA;
	snprintf(error, error_size, "the metadata is empty: the recording still runs or was killed "
		 "(LTTng writes it at a stop or a rotation)");
	if (size == 0)
		goto out;
	if (size >= 4)
		memcpy(&magic, text, 4);
	length = (long)size;
	if (magic == METADATA_MAGIC || magic == __builtin_bswap32(METADATA_MAGIC))
		length = unpack(text, size, error, error_size);
	ret = -ENOTSUP;
	if (length >= 0)
		*metadata = ctf_metadata_parse(text, (size_t)length, error, error_size);
	if (*metadata)
		ret = 0;
out:
	free(text);
	return ret;
}
