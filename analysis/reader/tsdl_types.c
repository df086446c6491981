/* SPDX-License-Identifier: MIT */
/* TSDL types: integer, floating_point, string, struct, variant, enum, arrays, and their names. */
#include <string.h>

#include "analysis/reader/tsdl_parse.h"

static struct ctf_type *new_type(struct tsdl *p, enum ctf_kind kind)
{
	struct ctf_type *t = ctf_metadata_add_type(p->m, kind);

	if (kind == CTF_INTEGER || kind == CTF_ENUM || kind == CTF_FLOAT) {
		if (p->type_count == p->type_capacity)
			p->types = arena_grow(&p->m->arena, p->types, &p->type_capacity,
					      sizeof(*p->types));
		p->types[p->type_count++] = t;
	}
	return t;
}

static bool add_alias(struct tsdl *p, const char *name, size_t length, struct ctf_type *type)
{
	if (p->alias_count == TSDL_ALIASES)
		return tsdl_fail(p, "more than %d named types", TSDL_ALIASES);
	p->aliases[p->alias_count++] = (struct tsdl_alias){ name, length, type };
	return true;
}

/* The latest of that name. */
static struct ctf_type *find_alias(struct tsdl *p, const char *name, size_t length)
{
	for (size_t i = p->alias_count; i-- > 0;)
		if (p->aliases[i].length == length &&
		    memcmp(p->aliases[i].name, name, length) == 0)
			return p->aliases[i].type;
	tsdl_fail(p, "unknown type '%.*s'", (int)length, name);
	return NULL;
}

/* "struct" + NAME and the like share the table of names. */
static const char *tagged(struct tsdl *p, const char *keyword, const struct token *name,
			  size_t *length)
{
	size_t n = strlen(keyword);
	char *full = arena_alloc(&p->m->arena, n + 1 + name->length + 1);

	memcpy(full, keyword, n);
	full[n] = ' ';
	memcpy(full + n + 1, name->text, name->length);
	*length = n + 1 + name->length;
	return full;
}

static bool is_power_of_two(int64_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

/* map = clock.NAME.value */
static bool parse_map(struct tsdl *p, struct ctf_type *t)
{
	if (!token_is_word(&p->lexer.token, "clock"))
		return tsdl_fail(p, "map: only clocks are known");
	lexer_next(&p->lexer);
	if (!tsdl_expect(p, '.'))
		return false;
	t->clock = tsdl_text(p);
	if (!tsdl_expect(p, '.') || !token_is_word(&p->lexer.token, "value"))
		return tsdl_fail(p, "map: expected clock.NAME.value");
	lexer_next(&p->lexer);
	return true;
}

static bool parse_order(struct tsdl *p, struct ctf_type *t)
{
	const struct token *token = &p->lexer.token;

	if (token_is_word(token, "le"))
		t->order = CTF_LITTLE;
	else if (token_is_word(token, "be") || token_is_word(token, "network"))
		t->order = CTF_BIG;
	else if (!token_is_word(token, "native"))
		return tsdl_fail(p, "unknown byte order '%.*s'", (int)token->length, token->text);
	lexer_next(&p->lexer);
	return true;
}

/* One `key = value` of an integer or float; what is not about layout is passed over. */
static bool parse_attribute(struct tsdl *p, struct ctf_type *t, int64_t *exponent,
			    int64_t *mantissa)
{
	struct token key = p->lexer.token;
	int64_t number = 0;

	if (key.kind != TOKEN_WORD)
		return tsdl_fail(p, "a type's attribute was expected");
	lexer_next(&p->lexer);
	if (!tsdl_expect(p, '='))
		return false;
	if (token_is_word(&key, "map"))
		return parse_map(p, t);
	if (token_is_word(&key, "byte_order"))
		return parse_order(p, t);
	if (p->lexer.token.kind == TOKEN_WORD) {
		number = token_is_word(&p->lexer.token, "true") ||
			 token_is_word(&p->lexer.token, "TRUE");
		lexer_next(&p->lexer);
	} else if (!tsdl_number(p, &number)) {
		return false;
	}
	if (token_is_word(&key, "signed"))
		t->is_signed = number != 0;
	else if (token_is_word(&key, "size") && number > 0 && number <= 64)
		t->size = (unsigned)number;
	else if (token_is_word(&key, "align") && is_power_of_two(number) && number <= 4096)
		t->align = (unsigned)number;
	else if (token_is_word(&key, "exp_dig"))
		*exponent = number;
	else if (token_is_word(&key, "mant_dig"))
		*mantissa = number;
	else if (token_is_word(&key, "size") || token_is_word(&key, "align"))
		return tsdl_fail(p, "size or align out of range");
	return true;
}

static bool parse_attributes(struct tsdl *p, struct ctf_type *t)
{
	int64_t exponent = 0, mantissa = 0;

	if (!tsdl_expect(p, '{'))
		return false;
	while (!tsdl_take(p, '}'))
		if (!parse_attribute(p, t, &exponent, &mantissa) || !tsdl_expect(p, ';'))
			return false;
	if (t->kind == CTF_FLOAT) {
		if (exponent < 1 || mantissa < 1 || exponent > 64 || mantissa > 64 - exponent)
			return tsdl_fail(p, "a floating point number of this size is not known");
		t->size = (unsigned)(exponent + mantissa);
	}
	return t->size > 0 || tsdl_fail(p, "an integer without a size");
}

static struct ctf_type *parse_number_type(struct tsdl *p, enum ctf_kind kind)
{
	struct ctf_type *t = new_type(p, kind);

	return parse_attributes(p, t) ? t : NULL;
}

static struct ctf_type *parse_string_type(struct tsdl *p)
{
	struct ctf_type *t = new_type(p, CTF_STRING);

	t->align = 8;
	if (tsdl_take(p, '{'))
		while (!tsdl_take(p, '}')) {	/* encoding = UTF8; */
			if (p->lexer.token.kind == TOKEN_END || p->lexer.token.kind == TOKEN_BAD) {
				tsdl_fail(p, "a string's attributes do not end");
				return NULL;
			}
			lexer_next(&p->lexer);
		}
	return t;
}

/* The field that a length or a tag names: in the structure being read, or one around it. */
static struct ctf_field *find_field(struct tsdl *p, const struct token *name)
{
	if (p->references++ == CTF_REFERENCES) {
		tsdl_fail(p, "more than %d lengths and tags", CTF_REFERENCES);
		return NULL;
	}
	for (unsigned s = p->scope_count; s-- > 0;)
		for (size_t i = p->scopes[s]->field_count; i-- > 0;) {
			struct ctf_field *f = &p->scopes[s]->fields[i];

			if (token_is_word(name, f->name) &&
			    (f->type->kind == CTF_INTEGER || f->type->kind == CTF_ENUM))
				return f;
		}
	tsdl_fail(p, "no field '%.*s' before its use", (int)name->length, name->text);
	return NULL;
}

static bool field_slot(struct tsdl *p, struct ctf_field *f, int *slot)
{
	return ctf_metadata_slot(p->m, f, slot) ||
	       tsdl_fail(p, "more than %d different lengths and tags", CTF_SLOTS);
}

/* [LENGTH]... behind a name; the first dimension is the outermost. */
static struct ctf_type *parse_dimensions(struct tsdl *p, struct ctf_type *element, unsigned depth)
{
	struct ctf_field *length = NULL;
	struct ctf_type *t;
	int64_t number = 0;

	if (!tsdl_take(p, '['))
		return element;
	if (depth == CTF_DEPTH) {
		tsdl_fail(p, "too many dimensions");
		return NULL;
	}
	if (p->lexer.token.kind == TOKEN_WORD) {
		length = find_field(p, &p->lexer.token);
		lexer_next(&p->lexer);
	} else if (!tsdl_number(p, &number) || number < 0) {
		tsdl_fail(p, "an array's length was expected");
	}
	if (p->failed || !tsdl_expect(p, ']'))
		return NULL;
	t = new_type(p, length ? CTF_SEQUENCE : CTF_ARRAY);
	t->length = (uint64_t)number;
	if (length && !field_slot(p, length, &t->slot))
		return NULL;
	t->element = parse_dimensions(p, element, depth + 1);
	if (!t->element)
		return NULL;
	t->align = t->element->align;
	return t;
}

static bool add_field(struct tsdl *p, struct ctf_type *parent, size_t *capacity,
		      const struct token *name, struct ctf_type *type)
{
	struct ctf_field *f;

	if (parent->field_count == CTF_FIELDS)
		return tsdl_fail(p, "a structure of more than %d fields", CTF_FIELDS);
	if (parent->field_count == *capacity)
		parent->fields = arena_grow(&p->m->arena, parent->fields, capacity, sizeof(*f));
	f = &parent->fields[parent->field_count++];
	f->name = arena_string(&p->m->arena, name->text, name->length);
	f->type = type;
	f->slot = -1;
	if (parent->kind == CTF_STRUCT && type->align > parent->align)
		parent->align = type->align;
	return true;
}

/* { TYPE NAME; ... } of a structure or a variant. */
static bool parse_members(struct tsdl *p, struct ctf_type *parent)
{
	size_t capacity = 0;
	struct ctf_type *type;
	struct token name;

	while (!tsdl_take(p, '}')) {
		if (token_is_word(&p->lexer.token, "typealias") ||
		    token_is_word(&p->lexer.token, "typedef"))
			return tsdl_fail(p, "types declared inside of types are not known");
		type = tsdl_type(p, &name);
		if (type)
			type = parse_dimensions(p, type, 0);
		if (!type || !tsdl_expect(p, ';') ||
		    !add_field(p, parent, &capacity, &name, type))
			return false;
	}
	return true;
}

static bool push_scope(struct tsdl *p, struct ctf_type *t)
{
	if (p->scope_count == CTF_DEPTH)
		return tsdl_fail(p, "types are nested too deeply");
	p->scopes[p->scope_count++] = t;
	return true;
}

static bool parse_align(struct tsdl *p, struct ctf_type *t)
{
	int64_t align;

	if (!token_is_word(&p->lexer.token, "align"))
		return true;
	lexer_next(&p->lexer);
	if (!tsdl_expect(p, '(') || !tsdl_number(p, &align) || !tsdl_expect(p, ')'))
		return false;
	if (!is_power_of_two(align) || align > 4096)
		return tsdl_fail(p, "align out of range");
	if ((unsigned)align > t->align)
		t->align = (unsigned)align;
	return true;
}

/* An optional name behind struct, variant, enum. */
static bool take_name(struct tsdl *p, struct token *name)
{
	*name = p->lexer.token;
	if (name->kind != TOKEN_WORD)
		return false;
	lexer_next(&p->lexer);
	return true;
}

static struct ctf_type *parse_struct(struct tsdl *p)
{
	struct token name;
	bool named = take_name(p, &name);
	size_t length = 0;
	const char *full = named ? tagged(p, "struct", &name, &length) : NULL;
	struct ctf_type *t;

	if (!tsdl_take(p, '{')) {
		if (named)
			return find_alias(p, full, length);
		tsdl_fail(p, "struct without a name and without fields");
		return NULL;
	}
	t = new_type(p, CTF_STRUCT);
	if (!push_scope(p, t) || !parse_members(p, t) || !parse_align(p, t))
		return NULL;
	p->scope_count--;
	if (named && !add_alias(p, full, length, t))
		return NULL;
	return t;
}

/* variant <TAG> { ... }: the tag is an enum that came before. */
static struct ctf_type *parse_variant(struct tsdl *p)
{
	struct ctf_type *t = new_type(p, CTF_VARIANT);
	struct ctf_field *tag;
	struct token name;

	take_name(p, &name);	/* only used for later references, which LTTng does not write */
	if (!tsdl_expect(p, '<'))
		return NULL;
	tag = find_field(p, &p->lexer.token);
	lexer_next(&p->lexer);
	if (!tag || !tsdl_expect(p, '>') || !tsdl_expect(p, '{'))
		return NULL;
	if (tag->type->kind != CTF_ENUM) {
		tsdl_fail(p, "a variant's tag is not an enum");
		return NULL;
	}
	t->tag = tag->type;
	if (!field_slot(p, tag, &t->slot) || !push_scope(p, t) || !parse_members(p, t))
		return NULL;
	p->scope_count--;
	if (t->field_count > CTF_CHOICES || t->tag->label_count > CTF_CHOICES) {
		tsdl_fail(p, "a variant of more than %d choices", CTF_CHOICES);
		return NULL;
	}
	return t;
}

/* { LABEL = LOW ... HIGH, LABEL, "label" = -1 } */
static bool parse_labels(struct tsdl *p, struct ctf_type *t)
{
	size_t capacity = 0;
	int64_t next = 0;

	while (!tsdl_take(p, '}')) {
		struct ctf_label *label;

		if (t->label_count == capacity)
			t->labels = arena_grow(&p->m->arena, t->labels, &capacity, sizeof(*label));
		label = &t->labels[t->label_count++];
		if (p->lexer.token.kind != TOKEN_WORD && p->lexer.token.kind != TOKEN_STRING)
			return tsdl_fail(p, "an enum's label was expected");
		label->name = tsdl_text(p);
		label->low = label->high = next;
		if (tsdl_take(p, '=')) {
			if (!tsdl_number(p, &label->low))
				return false;
			label->high = label->low;
			if (p->lexer.token.kind == TOKEN_DOTS) {
				lexer_next(&p->lexer);
				if (!tsdl_number(p, &label->high))
					return false;
			}
		}
		next = (int64_t)((uint64_t)label->high + 1);
		if (!tsdl_take(p, ',') && !token_is(&p->lexer.token, '}'))
			return tsdl_fail(p, "expected ',' or '}' in an enum");
	}
	return true;
}

static struct ctf_type *parse_enum(struct tsdl *p)
{
	struct token name;
	bool named = take_name(p, &name);
	size_t length = 0;
	const char *full = named ? tagged(p, "enum", &name, &length) : NULL;
	struct ctf_type *t, *integer;

	if (!tsdl_take(p, ':')) {
		if (named && !token_is(&p->lexer.token, '{'))
			return find_alias(p, full, length);
		integer = find_alias(p, "int", 3);
	} else {
		integer = tsdl_type(p, NULL);
	}
	if (!integer || !tsdl_expect(p, '{'))
		return NULL;
	if (integer->kind != CTF_INTEGER) {
		tsdl_fail(p, "an enum of something that is not an integer");
		return NULL;
	}
	t = new_type(p, CTF_ENUM);
	t->size = integer->size;
	t->align = integer->align;
	t->is_signed = integer->is_signed;
	t->order = integer->order;
	t->clock = integer->clock;
	if (!parse_labels(p, t) || (named && !add_alias(p, full, length, t)))
		return NULL;
	return t;
}

/* `unsigned long x`: all words but the last are the type, if a name is wanted. */
static struct ctf_type *parse_alias(struct tsdl *p, struct token *name)
{
	struct token first = p->lexer.token, last = first, before = first;
	unsigned words = 0;

	for (; p->lexer.token.kind == TOKEN_WORD; words++) {
		before = last;
		last = p->lexer.token;
		lexer_next(&p->lexer);
	}
	if (words < (name ? 2U : 1U)) {
		tsdl_fail(p, "a type was expected");
		return NULL;
	}
	if (name)
		*name = last;
	else
		before = last;
	return find_alias(p, first.text, (size_t)(before.text + before.length - first.text));
}

static const struct {
	const char *keyword;
	struct ctf_type *(*parse)(struct tsdl *p);
} compounds[] = {
	{ "string", parse_string_type },
	{ "struct", parse_struct },
	{ "variant", parse_variant },
	{ "enum", parse_enum },
};

static struct ctf_type *parse_unnamed(struct tsdl *p)
{
	if (token_is_word(&p->lexer.token, "integer")) {
		lexer_next(&p->lexer);
		return parse_number_type(p, CTF_INTEGER);
	}
	if (token_is_word(&p->lexer.token, "floating_point")) {
		lexer_next(&p->lexer);
		return parse_number_type(p, CTF_FLOAT);
	}
	for (size_t i = 0; i < sizeof(compounds) / sizeof(*compounds); i++)
		if (token_is_word(&p->lexer.token, compounds[i].keyword)) {
			lexer_next(&p->lexer);
			return compounds[i].parse(p);
		}
	return NULL;
}

bool tsdl_is_declaration(const struct tsdl *p)
{
	return token_is_word(&p->lexer.token, "struct") ||
	       token_is_word(&p->lexer.token, "variant") ||
	       token_is_word(&p->lexer.token, "enum");
}

struct ctf_type *tsdl_type(struct tsdl *p, struct token *name)
{
	struct ctf_type *t = parse_unnamed(p);

	if (!t && !p->failed)
		return parse_alias(p, name);
	if (t && name && !take_name(p, name)) {
		tsdl_fail(p, "a field's name was expected");
		return NULL;
	}
	return t;
}

bool tsdl_typealias(struct tsdl *p)
{
	struct ctf_type *t = tsdl_type(p, NULL);
	struct token first, last;

	if (!t)
		return false;
	if (p->lexer.token.kind != TOKEN_ASSIGN)
		return tsdl_fail(p, "expected ':=' in a typealias");
	lexer_next(&p->lexer);
	first = last = p->lexer.token;
	while (p->lexer.token.kind == TOKEN_WORD) {
		last = p->lexer.token;
		lexer_next(&p->lexer);
	}
	if (first.kind != TOKEN_WORD)
		return tsdl_fail(p, "a typealias without a name");
	return add_alias(p, first.text, (size_t)(last.text + last.length - first.text), t);
}

bool tsdl_typedef(struct tsdl *p)
{
	struct token name;
	struct ctf_type *t = tsdl_type(p, &name);

	if (t)
		t = parse_dimensions(p, t, 0);
	return t && add_alias(p, name.text, name.length, t);
}
