/* SPDX-License-Identifier: MIT */
/*
 * What the two halves of the TSDL parser share: metadata.c reads the blocks (trace, clock,
 * stream, event), tsdl_types.c reads types.
 *
 * The first error stays (`error`), and from then on every function returns NULL or false. All
 * loops end because each step takes a token; nesting is bounded, and so are names of types,
 * because each use searches them one by one: no text takes more than seconds.
 */
#ifndef DLT_ANALYSIS_READER_TSDL_PARSE_H
#define DLT_ANALYSIS_READER_TSDL_PARSE_H

#include "analysis/reader/layout.h"
#include "analysis/reader/tsdl_lex.h"

#define TSDL_ALIASES 256

struct tsdl_alias {
	const char *name;	/* "uint8_t", "unsigned long", "struct packet_context" */
	size_t length;
	struct ctf_type *type;
};

struct tsdl {
	struct lexer lexer;
	struct ctf_metadata *m;
	struct tsdl_alias aliases[TSDL_ALIASES];
	size_t alias_count;
	struct ctf_type *scopes[CTF_DEPTH];	/* structures being read, outermost first */
	unsigned scope_count;
	unsigned references;
	struct ctf_type **types;		/* integers whose byte order is still open */
	size_t type_count, type_capacity;
	bool failed;
	char *error;				/* borrowed */
	size_t error_size;
};

/* Always false, so that callers can return it. */
bool tsdl_fail(struct tsdl *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool tsdl_expect(struct tsdl *p, char sign);
/* Takes the sign if it is there. */
bool tsdl_take(struct tsdl *p, char sign);
/* A number with an optional minus. */
bool tsdl_number(struct tsdl *p, int64_t *value);
/* A copy of the present token's text in the arena; takes it. */
const char *tsdl_text(struct tsdl *p);

/*
 * A type. With `name` a declaration `TYPE NAME` is read and the name returned in it. NULL: failed.
 */
struct ctf_type *tsdl_type(struct tsdl *p, struct token *name);
/* Behind the keyword: typealias TYPE := NAME; and typedef TYPE NAME; */
bool tsdl_typealias(struct tsdl *p);
bool tsdl_typedef(struct tsdl *p);
/* Does the present token begin a type that needs no name, as struct at top level? */
bool tsdl_is_declaration(const struct tsdl *p);

#endif
