/* SPDX-License-Identifier: MIT */
/* CTF 2 field classes: numbers, strings, bytes, arrays, structures, variants. */
#include <string.h>

#include "analysis/reader/ctf2.h"

#define TYPES_MAX (1U << 18)

json_t *ctf2_class(struct ctf2 *p, json_t *class)
{
	const char *name = json_string_value(class);

	if (name)
		class = json_object_get(p->aliases, name);
	if (json_is_object(class))
		return class;
	if (name)
		ctf2_fail(p, "unknown field class '%.80s'", name);
	else
		ctf2_fail(p, "a field class was expected");
	return NULL;
}

static bool is_alignment(int64_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

static bool read_align(struct ctf2 *p, json_t *class, const char *key, struct ctf_type *t)
{
	int64_t align = 1;

	if (!ctf2_number(p, class, key, &align))
		return false;
	if (!is_alignment(align) || align > 4096)
		return ctf2_fail(p, "%s out of range", key);
	if ((unsigned)align > t->align)
		t->align = (unsigned)align;
	return true;
}

/* Little-endian integers must begin at a byte's lowest bit, big-endian ones at its highest, as in CTF 1.8. */
static bool read_order(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	const char *order = "", *bits;

	if (!ctf2_string(p, class, "byte-order", &order))
		return false;
	t->order = strcmp(order, "little-endian") == 0 ? CTF_LITTLE : CTF_BIG;
	if (t->order == CTF_BIG && strcmp(order, "big-endian") != 0)
		return ctf2_fail(p, "unknown byte order '%.80s'", order);
	order = bits = t->order == CTF_LITTLE ? "first-to-last" : "last-to-first";
	if (!ctf2_string(p, class, "bit-order", &bits))
		return false;
	return strcmp(order, bits) == 0 || ctf2_fail(p, "bit order '%.80s' is not known with this byte order", bits);
}

static bool read_number(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	int64_t length = 0;

	if (!ctf2_number(p, class, "length", &length))
		return false;
	if (length < 1 || length > 64)
		return ctf2_fail(p, "a number of %lld bits is not known", (long long)length);
	t->size = (unsigned)length;
	return read_align(p, class, "alignment", t) && read_order(p, class, t);
}

static bool read_signed(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	t->is_signed = true;
	return read_number(p, class, t);
}

/* In others than UTF-8 a byte of 0 is not the end. */
static bool read_string(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	const char *encoding = "utf-8";

	t->align = 8;
	if (!ctf2_string(p, class, "encoding", &encoding))
		return false;
	return strcmp(encoding, "utf-8") == 0 || ctf2_fail(p, "encoding '%.80s' is not known", encoding);
}

static size_t find_member(json_t *structure, const char *name)
{
	json_t *members = json_object_get(structure, "member-classes"), *member;
	size_t i;

	json_array_foreach(members, i, member) {
		const char *other = json_string_value(json_object_get(member, "name"));

		if (other && strcmp(other, name) == 0)
			break;
	}
	return i;
}

/* One step of a path into a structure: to a field that is there, or into one that is being read (NULL). */
static bool take_step(struct ctf2 *p, const char *name, struct ctf2_open *at, unsigned *level, struct ctf_field **field)
{
	size_t i = name && at->type->kind == CTF_STRUCT ? find_member(at->class, name) : SIZE_MAX;
	json_t *member;

	*field = NULL;
	if (i < at->type->field_count) {
		member = json_array_get(json_object_get(at->class, "member-classes"), i);
		*field = &at->type->fields[i];
		at->type = (*field)->type;
		at->class = ctf2_class(p, json_object_get(member, "field-class"));
		*level = p->open_count;
		return at->class != NULL;
	}
	if (i == at->type->field_count && *level + 1 < p->open_count) {
		*at = p->open[++*level];
		return true;
	}
	return ctf2_fail(p, "no field '%.80s' before its use", name ? name : "null");
}

/* The field that a location names: from the scope's outermost structure, without an origin from the innermost. */
static struct ctf_field *find_located(struct ctf2 *p, json_t *class, const char *key)
{
	json_t *location = json_object_get(class, key), *path = json_object_get(location, "path"), *step;
	const char *origin = NULL;
	struct ctf_field *field = NULL;
	struct ctf2_open at;
	unsigned level;
	size_t i;

	if (!ctf2_string(p, location, "origin", &origin))
		return NULL;
	if (p->references++ == CTF_REFERENCES || p->open_count == 0 || (origin && strcmp(origin, p->origin) != 0)) {
		ctf2_fail(p, "%s: in another scope, or more than %d", key, CTF_REFERENCES);
		return NULL;
	}
	level = origin ? 0 : p->open_count - 1;
	at = p->open[level];
	json_array_foreach(path, i, step)
		if (!take_step(p, json_string_value(step), &at, &level, &field))
			return NULL;
	if (field && (field->type->kind == CTF_INTEGER || field->type->kind == CTF_ENUM))
		return field;
	ctf2_fail(p, "%s: no integer", key);
	return NULL;
}

static struct ctf_field *located_slot(struct ctf2 *p, json_t *class, const char *key, struct ctf_type *t)
{
	struct ctf_field *field = find_located(p, class, key);

	if (!field || ctf_metadata_slot(p->m, field, &t->slot))
		return field;
	ctf2_fail(p, "more than %d different lengths and selectors", CTF_SLOTS);
	return NULL;
}

static bool read_length(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	int64_t length = -1;

	if (t->kind == CTF_SEQUENCE)
		return located_slot(p, class, "length-field-location", t) != NULL;
	if (!ctf2_number(p, class, "length", &length))
		return false;
	t->length = (uint64_t)length;
	return length >= 0 || ctf2_fail(p, "an array without a length");
}

/* Where only a member of a structure can say what it means. */
static struct ctf_type *unnamed_type(struct ctf2 *p, json_t *class)
{
	class = ctf2_class(p, class);
	if (class && p->has_roles && json_array_size(json_object_get(class, "roles"))) {
		ctf2_fail(p, "a role of something that is no member of a structure");
		return NULL;
	}
	return class ? ctf2_type(p, class) : NULL;
}

static bool read_array(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	if (!read_length(p, class, t))
		return false;
	t->element = unnamed_type(p, json_object_get(class, "element-field-class"));
	if (!t->element)
		return false;
	t->align = t->element->align;
	return read_align(p, class, "minimum-alignment", t);
}

/* Strings of a length and blobs: TSDL's arrays of characters. */
static bool read_bytes(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	t->element = ctf_metadata_add_type(p->m, CTF_INTEGER);
	t->element->size = t->element->align = t->align = 8;
	t->element->order = CTF_LITTLE;
	return read_length(p, class, t);
}

static const struct role {
	const char *role, *name;
	bool is_clock;
} roles[] = {
	{ "packet-magic-number", "magic", false },
	{ "metadata-stream-uuid", "uuid", false },
	{ "data-stream-class-id", "stream_id", false },
	{ "data-stream-id", "stream_instance_id", false },
	{ "default-clock-timestamp", "timestamp_begin", true },
	{ "packet-end-default-clock-timestamp", "timestamp_end", true },
	{ "packet-content-length", "content_size", false },
	{ "packet-total-length", "packet_size", false },
	{ "packet-sequence-number", "packet_seq_num", false },
	{ "discarded-event-record-counter-snapshot", "events_discarded", false },
	{ "event-record-class-id", "id", false },
};

/* false: one that we do not know, or several. *role: NULL without any. */
static bool find_role(struct ctf2 *p, json_t *class, const struct role **role)
{
	json_t *list = json_object_get(class, "roles");
	const char *name = json_string_value(json_array_get(list, 0));

	*role = NULL;
	if (!p->has_roles || !list)
		return true;
	for (size_t i = 0; name && i < sizeof(roles) / sizeof(*roles); i++)
		if (strcmp(name, roles[i].role) == 0)
			*role = &roles[i];
	return (*role && json_array_size(list) == 1) || ctf2_fail(p, "roles that are not known");
}

static bool set_role(struct ctf2 *p, const struct role *role, struct ctf_type *t)
{
	if (role->is_clock && !p->clock)
		return ctf2_fail(p, "a timestamp where there is no clock");
	if (role->is_clock && t->kind == CTF_INTEGER)
		t->clock = p->clock;
	return t->kind == CTF_INTEGER || t->kind == CTF_ARRAY || ctf2_fail(p, "a role that does not fit its field");
}

static bool read_member(struct ctf2 *p, json_t *member, struct ctf_type *parent)
{
	struct ctf_field *f = &parent->fields[parent->field_count];
	json_t *class = ctf2_class(p, json_object_get(member, "field-class"));
	const char *name = NULL;
	const struct role *role;
	char *full;

	if (!class || !find_role(p, class, &role) || !ctf2_string(p, member, "name", &name))
		return false;
	if (!name)
		return ctf2_fail(p, "a member without a name");
	f->type = ctf2_type(p, class);
	if (!f->type || (role && !set_role(p, role, f->type)))
		return false;
	full = arena_alloc(&p->m->arena, strlen(name) + 2);
	full[0] = '_';
	strcpy(full + 1, name);
	f->name = role ? role->name : full;
	f->slot = -1;
	if (f->type->align > parent->align)
		parent->align = f->type->align;
	parent->field_count++;
	return true;
}

static bool read_structure(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	json_t *members = json_object_get(class, "member-classes"), *member;
	size_t i;

	if (members && !json_is_array(members))
		return ctf2_fail(p, "a structure's members are no list");
	if (json_array_size(members) > CTF_FIELDS)
		return ctf2_fail(p, "a structure of more than %d fields", CTF_FIELDS);
	t->fields = arena_alloc(&p->m->arena, json_array_size(members) * sizeof(*t->fields));
	p->open[p->open_count++] = (struct ctf2_open){ class, t };
	json_array_foreach(members, i, member)
		if (!read_member(p, member, t))
			return false;
	p->open_count--;
	return read_align(p, class, "minimum-alignment", t);
}

static bool read_range(struct ctf2 *p, json_t *range, struct ctf_label *label)
{
	json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);

	if (!json_is_integer(low) || !json_is_integer(high))
		return ctf2_fail(p, "an option's range is none");
	label->low = json_integer_value(low);
	label->high = json_integer_value(high);
	return true;
}

/* A variant's tag is an enum whose labels are the options' names: their numbers, as they may have none or the same. */
static bool read_option(struct ctf2 *p, json_t *option, struct ctf_type *t)
{
	json_t *ranges = json_object_get(option, "selector-field-ranges"), *range;
	struct ctf_field *f = &t->fields[t->field_count];
	struct ctf_label *label;
	char name[16];
	size_t i;

	snprintf(name, sizeof(name), "%zu", t->field_count);
	*f = (struct ctf_field){ arena_string(&p->m->arena, name, strlen(name)), NULL, -1 };
	json_array_foreach(ranges, i, range) {
		if (t->label_count == CTF_CHOICES)
			return ctf2_fail(p, "a variant of more than %d ranges", CTF_CHOICES);
		label = &t->labels[t->label_count++];
		label->name = f->name;
		if (!read_range(p, range, label))
			return false;
	}
	f->type = unnamed_type(p, json_object_get(option, "field-class"));
	t->field_count += f->type != NULL;
	return f->type != NULL;
}

/* The labels move from the variant to its tag: the selecting field itself, unless that is another's already. */
static void make_tag(struct ctf2 *p, struct ctf_type *t, struct ctf_type *selector)
{
	t->tag = selector;
	if (selector->kind == CTF_ENUM) {
		t->tag = ctf_metadata_add_type(p->m, CTF_ENUM);
		*t->tag = *selector;
	}
	t->tag->kind = CTF_ENUM;
	t->tag->labels = t->labels;
	t->tag->label_count = t->label_count;
	t->labels = NULL;
	t->label_count = 0;
}

static bool read_variant(struct ctf2 *p, json_t *class, struct ctf_type *t)
{
	json_t *options = json_object_get(class, "options"), *option;
	struct ctf_field *selector = located_slot(p, class, "selector-field-location", t);
	size_t i;

	if (!selector)
		return false;
	if (json_array_size(options) > CTF_CHOICES)
		return ctf2_fail(p, "a variant of more than %d choices", CTF_CHOICES);
	t->fields = arena_alloc(&p->m->arena, CTF_CHOICES * sizeof(*t->fields));
	t->labels = arena_alloc(&p->m->arena, CTF_CHOICES * sizeof(*t->labels));
	json_array_foreach(options, i, option)
		if (!read_option(p, option, t))
			return false;
	make_tag(p, t, selector->type);
	return true;
}

static const struct {
	const char *name;
	enum ctf_kind kind;
	bool (*read)(struct ctf2 *p, json_t *class, struct ctf_type *t);
} field_classes[] = {
	{ "fixed-length-unsigned-integer", CTF_INTEGER, read_number },
	{ "fixed-length-signed-integer", CTF_INTEGER, read_signed },
	{ "fixed-length-boolean", CTF_INTEGER, read_number },
	{ "fixed-length-bit-array", CTF_INTEGER, read_number },
	{ "fixed-length-bit-map", CTF_INTEGER, read_number },
	{ "fixed-length-floating-point-number", CTF_FLOAT, read_number },
	{ "null-terminated-string", CTF_STRING, read_string },
	{ "static-length-string", CTF_ARRAY, read_bytes },
	{ "static-length-blob", CTF_ARRAY, read_bytes },
	{ "dynamic-length-string", CTF_SEQUENCE, read_bytes },
	{ "dynamic-length-blob", CTF_SEQUENCE, read_bytes },
	{ "static-length-array", CTF_ARRAY, read_array },
	{ "dynamic-length-array", CTF_SEQUENCE, read_array },
	{ "structure", CTF_STRUCT, read_structure },
	{ "variant", CTF_VARIANT, read_variant },
};

static struct ctf_type *class_type(struct ctf2 *p, json_t *class, const char *name)
{
	for (size_t i = 0; i < sizeof(field_classes) / sizeof(*field_classes); i++)
		if (strcmp(name, field_classes[i].name) == 0) {
			struct ctf_type *t = ctf_metadata_add_type(p->m, field_classes[i].kind);

			return field_classes[i].read(p, class, t) ? t : NULL;
		}
	ctf2_fail(p, "unknown field class '%.80s'", name);
	return NULL;
}

struct ctf_type *ctf2_type(struct ctf2 *p, json_t *class)
{
	const char *name = "";
	struct ctf_type *t;

	if (p->depth == CTF_DEPTH || p->types++ == TYPES_MAX) {
		ctf2_fail(p, "field classes are nested too deeply, or too many");
		return NULL;
	}
	class = ctf2_class(p, class);
	if (!class || !ctf2_string(p, class, "type", &name))
		return NULL;
	p->depth++;
	t = class_type(p, class, name);
	p->depth--;
	return t;
}
