/* SPDX-License-Identifier: MIT */
/* TSDL, the text that describes a CTF 1.8 trace, as words. */
#ifndef DLT_ANALYSIS_READER_TSDL_LEX_H
#define DLT_ANALYSIS_READER_TSDL_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_ASSIGN,		/* := */
	TOKEN_DOTS,		/* ... */
	TOKEN_SIGN,		/* any other single character: `sign` */
	TOKEN_BAD,
};

struct token {
	enum token_kind kind;
	const char *text;	/* borrowed from the source; strings without their quotes */
	size_t length;
	uint64_t number;	/* a negative one is a TOKEN_SIGN '-' before it */
	char sign;
};

struct lexer {
	const char *at, *end;	/* borrowed */
	unsigned line;		/* from 1 */
	struct token token;	/* the present one */
};

void lexer_init(struct lexer *l, const char *text, size_t size);
/* Moves on to the next token. */
void lexer_next(struct lexer *l);

bool token_is_word(const struct token *t, const char *word);
static inline bool token_is(const struct token *t, char sign)
{
	return t->kind == TOKEN_SIGN && t->sign == sign;
}

#endif
