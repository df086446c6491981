/* SPDX-License-Identifier: MIT */
/* CTF 2 metadata: its fragments, each a JSON object behind a record separator. */
#include "analysis/reader/ctf2.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SEPARATOR 0x1e
#define REAL_EXACT 9007199254740992.0	/* 2^53: larger ones are not what was written */

bool ctf2_fail(struct ctf2 *p, const char *format, ...)
{
	va_list ap;
	int n;

	if (p->failed)
		return false;
	p->failed = true;
	n = snprintf(p->error, p->error_size, "metadata fragment %u: ", p->fragment);
	va_start(ap, format);
	if (n > 0 && (size_t)n < p->error_size)
		vsnprintf(p->error + n, p->error_size - (size_t)n, format, ap);
	va_end(ap);
	return false;
}

bool ctf2_number(struct ctf2 *p, json_t *object, const char *key, int64_t *value)
{
	json_t *number = json_object_get(object, key);
	double real = json_real_value(number);

	if (json_is_integer(number))
		*value = json_integer_value(number);
	else if (json_is_real(number) && real > -REAL_EXACT && real < REAL_EXACT && real == (double)(int64_t)real)
		*value = (int64_t)real;
	else if (number)
		return ctf2_fail(p, "%s: a number was expected", key);
	return true;
}

bool ctf2_string(struct ctf2 *p, json_t *object, const char *key, const char **value)
{
	json_t *string = json_object_get(object, key);

	if (string && !json_is_string(string))
		return ctf2_fail(p, "%s: a string was expected", key);
	if (string)
		*value = json_string_value(string);
	return true;
}

/* The same, to keep. */
static bool keep_string(struct ctf2 *p, json_t *object, const char *key, const char **value)
{
	const char *string = NULL;

	if (!ctf2_string(p, object, key, &string))
		return false;
	if (string)
		*value = arena_string(&p->m->arena, string, strlen(string));
	return true;
}

static bool read_id(struct ctf2 *p, json_t *fragment, const char *key, uint64_t *id)
{
	int64_t number = 0;

	if (!ctf2_number(p, fragment, key, &number))
		return false;
	*id = (uint64_t)number;
	return number >= 0 || ctf2_fail(p, "%s: below 0", key);
}

static bool read_uuid(struct ctf2 *p, json_t *uuid)
{
	json_t *byte;
	size_t i;

	if (!uuid)
		return true;
	if (json_array_size(uuid) != 16)
		return ctf2_fail(p, "the trace's uuid is not one");
	json_array_foreach(uuid, i, byte) {
		if (!json_is_integer(byte) || (uint64_t)json_integer_value(byte) > 255)
			return ctf2_fail(p, "the trace's uuid is not one");
		p->m->uuid[i] = (uint8_t)json_integer_value(byte);
	}
	p->m->has_uuid = true;
	return true;
}

static bool read_preamble(struct ctf2 *p, json_t *fragment)
{
	int64_t version = 0;

	if (p->fragment != 1)
		return ctf2_fail(p, "a second preamble");
	if (!ctf2_number(p, fragment, "version", &version) || !read_uuid(p, json_object_get(fragment, "uuid")))
		return false;
	if (version != 2)
		return ctf2_fail(p, "CTF %lld is not known, only 1.8 and 2", (long long)version);
	return !json_object_get(fragment, "extensions") || ctf2_fail(p, "extensions are not known");
}

/* Where event records, packets and what is in them are described; paths begin there. */
static bool read_scope(struct ctf2 *p, json_t *fragment, const char *key, const char *origin, bool has_roles,
		       struct ctf_type **scope)
{
	json_t *class = json_object_get(fragment, key);

	if (!class)
		return true;
	p->origin = origin;
	p->has_roles = has_roles;
	*scope = ctf2_type(p, class);
	return *scope && ((*scope)->kind == CTF_STRUCT || ctf2_fail(p, "%s: not a structure", key));
}

static bool read_environment(struct ctf2 *p, json_t *env)
{
	struct ctf_metadata *m = p->m;
	const char *host = "", *session = "", *created = "";

	if (!ctf2_string(p, env, "hostname", &host) || !ctf2_string(p, env, "trace_name", &session) ||
	    !ctf2_string(p, env, "trace_creation_datetime", &created))
		return false;
	snprintf(m->host, sizeof(m->host), "%s", host);
	snprintf(m->session, sizeof(m->session), "%s", session);
	snprintf(m->created, sizeof(m->created), "%s", created);
	return true;
}

static bool read_trace_class(struct ctf2 *p, json_t *fragment)
{
	if (p->has_trace)
		return ctf2_fail(p, "a second trace class");
	p->has_trace = true;
	p->clock = NULL;
	return read_environment(p, json_object_get(fragment, "environment")) &&
	       read_scope(p, fragment, "packet-header-field-class", "packet-header", true, &p->m->packet_header);
}

static bool read_clock_class(struct ctf2 *p, json_t *fragment)
{
	struct ctf_clock *c = ctf_metadata_add_clock(p->m);
	json_t *offset = json_object_get(fragment, "offset-from-origin");
	const char *id = "";
	int64_t freq = 0;

	if (!c)
		return ctf2_fail(p, "more than %d clocks", CTF_CLOCKS);
	if (!keep_string(p, fragment, "id", &id) || !keep_string(p, fragment, "uid", &c->uuid) ||
	    !ctf2_number(p, fragment, "frequency", &freq) || !ctf2_number(p, offset, "seconds", &c->offset_s) ||
	    !ctf2_number(p, offset, "cycles", &c->offset))
		return false;
	if (!*id || ctf_metadata_clock(p->m, id))
		return ctf2_fail(p, "a clock without an id of its own");
	c->name = id;
	c->freq = (uint64_t)freq;
	return freq > 0 || ctf2_fail(p, "a clock of no frequency");
}

static bool read_stream_class(struct ctf2 *p, json_t *fragment)
{
	struct ctf_stream *s;
	uint64_t id;

	p->clock = NULL;
	if (!read_id(p, fragment, "id", &id) || !keep_string(p, fragment, "default-clock-class-id", &p->clock))
		return false;
	if (p->clock && !ctf_metadata_clock(p->m, p->clock))
		return ctf2_fail(p, "clock '%.80s' is not declared", p->clock);
	if (ctf_metadata_stream(p->m, id))
		return ctf2_fail(p, "stream id %llu stands twice", (unsigned long long)id);
	s = ctf_metadata_add_stream(p->m);
	if (!s)
		return ctf2_fail(p, "more than %d streams", CTF_STREAMS);
	s->id = id;
	return read_scope(p, fragment, "packet-context-field-class", "packet-context", true, &s->packet_context) &&
	       read_scope(p, fragment, "event-record-header-field-class", "event-record-header", true,
			  &s->event_header) &&
	       read_scope(p, fragment, "event-record-common-context-field-class", "event-record-common-context",
			  false, &s->event_context);
}

static bool read_event_class(struct ctf2 *p, json_t *fragment)
{
	struct ctf_event *e = ctf_metadata_add_event(p->m);
	char why[160];

	return read_id(p, fragment, "id", &e->id) && read_id(p, fragment, "data-stream-class-id", &e->stream_id) &&
	       keep_string(p, fragment, "name", &e->name) &&
	       read_scope(p, fragment, "specific-context-field-class", "event-record-specific-context", false,
			  &e->context) &&
	       read_scope(p, fragment, "payload-field-class", "event-record-payload", false, &e->fields) &&
	       (ctf_metadata_attach(p->m, e, why, sizeof(why)) || ctf2_fail(p, "%s", why));
}

static bool read_alias(struct ctf2 *p, json_t *fragment)
{
	json_t *class = ctf2_class(p, json_object_get(fragment, "field-class"));
	const char *name = NULL;

	if (!class || !ctf2_string(p, fragment, "name", &name))
		return false;
	if (!name || json_object_get(p->aliases, name))
		return ctf2_fail(p, "a field class alias without a name of its own");
	return json_object_set(p->aliases, name, class) == 0 || ctf2_fail(p, "out of memory");
}

static const struct {
	const char *type;
	bool (*read)(struct ctf2 *p, json_t *fragment);
} fragments[] = {
	{ "preamble", read_preamble },
	{ "field-class-alias", read_alias },
	{ "trace-class", read_trace_class },
	{ "clock-class", read_clock_class },
	{ "data-stream-class", read_stream_class },
	{ "event-record-class", read_event_class },
};

static bool read_fragment(struct ctf2 *p, json_t *fragment)
{
	const char *type = "";

	if (!ctf2_string(p, fragment, "type", &type))
		return false;
	if (p->fragment == 1 && strcmp(type, "preamble") != 0)
		return ctf2_fail(p, "a preamble was expected");
	for (size_t i = 0; i < sizeof(fragments) / sizeof(*fragments); i++)
		if (strcmp(type, fragments[i].type) == 0)
			return fragments[i].read(p, fragment);
	return ctf2_fail(p, "unknown fragment '%.80s'", type);
}

/* Numbers above 63 bits, as only labels of enums have, are known as far as a double knows them. */
static json_t *load_fragment(const char *text, size_t size, json_error_t *why)
{
	json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, why);

	if (!json && json_error_code(why) == json_error_numeric_overflow)
		json = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, why);
	return json;
}

static bool parse_fragment(struct ctf2 *p, const char *text, size_t size)
{
	json_error_t why;
	json_t *fragment = load_fragment(text, size, &why);
	bool good;

	p->fragment++;
	if (!fragment)
		return ctf2_fail(p, "line %d: %s", why.line, why.text);
	good = read_fragment(p, fragment);
	json_decref(fragment);
	return good;
}

bool ctf2_is(const char *text, size_t size)
{
	return size > 0 && *text == SEPARATOR;
}

bool ctf2_parse(struct ctf_metadata *m, const char *text, size_t size, char *error, size_t error_size)
{
	struct ctf2 p = { .m = m, .aliases = json_object(), .error = error, .error_size = error_size };
	const char *end = text + size, *next;

	for (; text < end && !p.failed; text = next) {
		text++;
		next = memchr(text, SEPARATOR, (size_t)(end - text));
		next = next ? next : end;
		if (next > text)	/* several separators in a row are as one */
			parse_fragment(&p, text, (size_t)(next - text));
	}
	json_decref(p.aliases);
	return !p.failed;
}
