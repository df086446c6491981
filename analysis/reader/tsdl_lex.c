/* SPDX-License-Identifier: MIT */
/* TSDL as words. */
#include "analysis/reader/tsdl_lex.h"

#include <ctype.h>
#include <string.h>

static void skip_blanks(struct lexer *l)
{
	while (l->at < l->end) {
		if (*l->at == '\n')
			l->line++;
		if (isspace((unsigned char)*l->at)) {
			l->at++;
		} else if (l->end - l->at >= 2 && memcmp(l->at, "//", 2) == 0) {
			while (l->at < l->end && *l->at != '\n')
				l->at++;
		} else if (l->end - l->at >= 2 && memcmp(l->at, "/*", 2) == 0) {
			l->at += 2;
			while (l->at < l->end &&
			       !(l->end - l->at >= 2 && memcmp(l->at, "*/", 2) == 0))
				l->line += *l->at++ == '\n';
			l->at += l->end - l->at >= 2 ? 2 : 0;
		} else {
			return;
		}
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void lex_word(struct lexer *l)
{
	l->token.kind = TOKEN_WORD;
	while (l->at < l->end && is_word(*l->at))
		l->at++;
}

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Decimal, 0x..., 0...; suffixes u and l are passed over. */
static void lex_number(struct lexer *l)
{
	unsigned base = 10;

	l->token.kind = TOKEN_NUMBER;
	l->token.number = 0;
	if (*l->at == '0') {
		base = 8;
		l->at++;
		if (l->at < l->end && (*l->at == 'x' || *l->at == 'X')) {
			base = 16;
			l->at++;
		}
	}
	for (; l->at < l->end && digit(*l->at) < (int)base; l->at++) {
		unsigned n = (unsigned)digit(*l->at);

		if (__builtin_mul_overflow(l->token.number, base, &l->token.number) ||
		    __builtin_add_overflow(l->token.number, n, &l->token.number))
			l->token.kind = TOKEN_BAD;
	}
	while (l->at < l->end && strchr("uUlL", *l->at) && *l->at)
		l->at++;
	if (l->at < l->end && is_word(*l->at))
		l->token.kind = TOKEN_BAD;
}

/* Escapes stay as they are: no name that we look for has one. */
static void lex_string(struct lexer *l)
{
	l->token.text = ++l->at;
	for (; l->at < l->end && *l->at != '"'; l->at++)
		if (*l->at == '\n' || (*l->at == '\\' && ++l->at == l->end))
			break;
	l->token.length = (size_t)(l->at - l->token.text);
	l->token.kind = l->at < l->end && *l->at == '"' ? TOKEN_STRING : TOKEN_BAD;
	if (l->at < l->end)
		l->at++;
}

void lexer_init(struct lexer *l, const char *text, size_t size)
{
	l->at = text;
	l->end = text + size;
	l->line = 1;
	lexer_next(l);
}

void lexer_next(struct lexer *l)
{
	struct token *t = &l->token;

	skip_blanks(l);
	t->text = l->at;
	t->length = 0;
	if (l->at == l->end) {
		t->kind = TOKEN_END;
		return;
	}
	if (*l->at == '"') {
		lex_string(l);
		return;
	}
	if (isdigit((unsigned char)*l->at)) {
		lex_number(l);
	} else if (is_word(*l->at)) {
		lex_word(l);
	} else if (l->end - l->at >= 3 && memcmp(l->at, "...", 3) == 0) {
		t->kind = TOKEN_DOTS;
		l->at += 3;
	} else if (l->end - l->at >= 2 && memcmp(l->at, ":=", 2) == 0) {
		t->kind = TOKEN_ASSIGN;
		l->at += 2;
	} else {
		t->kind = TOKEN_SIGN;
		t->sign = *l->at++;
	}
	t->length = (size_t)(l->at - t->text);
}

bool token_is_word(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && strlen(word) == t->length &&
	       memcmp(word, t->text, t->length) == 0;
}
