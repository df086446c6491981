/* SPDX-License-Identifier: MIT */
/*
 * Short names of kernels, by a reading of C++ names that needs no grammar: brackets, "::" and commas. A name may be
 * hostile, or cut where it was too long: what is not closed ends with it, and depth is limited.
 */
#include "analysis/report/short_name.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST	  16	/* template arguments within template arguments */
#define ARGUMENTS 64	/* looked at, of one name */

/* Template arguments that others imply, by the name of their type. */
static const char *const implied[] = {
	"array", "*OffsetCalculator*", "LoadWithoutCast*", "StoreWithoutCast*", "TensorListMetadata*", "Policy*",
	"identity", "ScaleType*", "AlignedArray*",
};

/* What is around the name that matters: cutlass's kernels, and how PyTorch makes kernels of functors. */
static const char *const wrappers[] = {
	"Kernel", "Kernel2", "gpu_kernel_impl", "gpu_kernel_impl_nocast", "device_kernel",
};

/* Parts of the names of NVIDIA's own kernels; # is a number. The first that stands there counts. */
static const struct { const char *part, *becomes; } vendor_parts[] = {
	{ "_xmma", "" }, { "_implicit_gemm", "" }, { "_segment_k_off", "" }, { "_segment_k", "_k" },
	{ "_execute", "" },
	{ "_kernel", "" }, { "__#x_cudnn", "" }, { "__#x_cublas", "" }, { "_tilesize", "_" }, { "_stage#", "" },
	{ "_warpsize#x#x#", "" }, { "_warpgroupsize#x#x#", "" }, { "_g#", "" }, { "_tensor#x#x#", "" },
	{ "_ffma", "" }, { "_aligna#", "" }, { "_alignc#", "" },
	{ "_nhwckrsc_nhwc", "_nhwc" }, { "_nchwkcrs_nchw", "_nchw" }, { "_nhwckrsc", "_nhwc" },
	{ "_nchwkcrs", "_nchw" },
	{ "_f32f32_tf32f32_f32", "_tf32" }, { "_tf32f32_tf32f32_f32", "_tf32" }, { "_f32f32_f32f32_f32", "_f32" },
	{ "_f16f16_f16f16_f16", "_f16" }, { "_f16f16_f16f32_f32", "_f16f32" }, { "_bf16bf16_bf16f32_f32", "_bf16f32" },
	{ "_nn_n", "_nn" }, { "_nt_n", "_nt" }, { "_tn_n", "_tn" }, { "_tt_n", "_tt" },
	{ "cutlass_tensorop_", "" }, { "cutlass_#_tensorop_", "" }, { "cutlass_#_simt_", "" },
	{ "cutlass_#_wmma_", "" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct piece {
	const char *begin, *end;
};

struct output {
	char *to;
	size_t size, used;
};

static void put(struct output *o, const char *text, size_t n)
{
	size_t room = o->size - 1 - o->used;

	n = n < room ? n : room;
	memcpy(o->to + o->used, text, n);
	o->used += n;
	o->to[o->used] = '\0';
}

static bool begins(struct piece p, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(p.end - p.begin) >= n && !memcmp(p.begin, with, n);
}

static bool is_one_of(struct piece p, const char *const *patterns, size_t count)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(p.end - p.begin), p.begin);
	for (size_t i = 0; i < count; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

/* ---- reading ---- */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Behind an operator's sign: it opens no bracket. */
static const char *operator_end(const char *p, const char *end)
{
	p += strlen("operator");
	p += begins((struct piece){ p, end }, "()") ? 2 : 0;
	while (p < end && strchr("<>=-+*/!&|^~%", *p))
		p++;
	return p;
}

/* Behind the word or the sign at p, with all that is in the bracket when it opens one. */
static const char *step(const char *p, const char *end)
{
	int depth = 0;

	do {
		const char *word = p;

		while (p < end && is_name_char(*p))
			p++;
		if ((size_t)(p - word) == strlen("operator") && !memcmp(word, "operator", (size_t)(p - word))) {
			p = operator_end(word, end);
		} else if (p == word) {
			depth += strchr("<({[", *p) != NULL;
			depth -= strchr(">)}]", *p) != NULL;
			p++;
		}
	} while (depth > 0 && p < end);
	return p;
}

/* The piece up to `by`, outside of brackets; moves *p behind it. */
static struct piece next(const char **p, const char *end, const char *by)
{
	struct piece part = { *p, *p };

	while (part.end < end && !begins((struct piece){ part.end, end }, by))
		part.end = step(part.end, end);
	*p = part.end < end ? part.end + strlen(by) : end;
	while (part.begin < part.end && *part.begin == ' ')
		part.begin++;
	while (part.begin < part.end && part.end[-1] == ' ')
		part.end--;
	return part;
}

/* The bracket of a sort that is not within others; empty: there is none. Without the bracket's own signs. */
static struct piece bracket(struct piece p, char sort)
{
	for (const char *c = p.begin, *behind; c < p.end; c = behind) {
		behind = step(c, p.end);
		if (*c == sort)
			return (struct piece){ c + 1, behind - (behind > c + 1 && strchr(">)}", behind[-1]) != NULL) };
	}
	return (struct piece){ p.end, p.end };
}

static struct piece plain_name(struct piece p)
{
	const char *c = p.begin;

	while (c < p.end && is_name_char(*c))
		c++;
	return (struct piece){ p.begin, c };
}

/* "void f<int>(float*)" without what it returns. */
static struct piece without_return(struct piece p)
{
	struct piece whole = p;

	for (const char *c = p.begin; c < p.end; c = step(c, p.end)) {
		if (*c == '<' || (*c == '(' && !begins((struct piece){ c, p.end }, "(anonymous")))
			return whole;
		if (*c == ' ')
			whole.begin = c + 1;
	}
	return p;
}

/* ---- writing ---- */

/* How much of `text` the part takes; 0: it is another one. */
static size_t takes(const char *part, struct piece text)
{
	const char *c = text.begin;

	for (; *part; part++) {
		if (*part != '#') {
			if (c == text.end || *c++ != *part)
				return 0;
			continue;
		}
		if (c == text.end || !isdigit((unsigned char)*c))
			return 0;
		while (c < text.end && isdigit((unsigned char)*c))
			c++;
	}
	return (size_t)(c - text.begin);
}

static void put_vendor(struct output *o, struct piece p)
{
	while (p.begin < p.end) {
		size_t n = 0, i = 0;

		for (; i < COUNT(vendor_parts); i++) {
			const char *part = vendor_parts[i].part;

			n = takes(part, p);
			/* A whole word, unless it ends with its own "_". */
			if (n && (p.begin + n == p.end || p.begin[n] == '_' || p.begin[n - 1] == '_' ||
				  !strcmp(part, "_tilesize")))
				break;
			n = 0;
		}
		if (n)
			put(o, vendor_parts[i].becomes, strlen(vendor_parts[i].becomes));
		else
			put(o, p.begin, 1);
		p.begin += n ? n : 1;
	}
}

static void put_word(struct output *o, struct piece p)
{
	if (takes("sm#_xmma_", p) || begins(p, "cutlass_"))
		put_vendor(o, p);
	else
		put(o, p.begin, (size_t)(p.end - p.begin));
}

static void put_type(struct output *o, struct piece p, int depth);

/* A type twice in a row says no more than once; numbers do. */
static bool is_again(const char *text, const char *last)
{
	return !isdigit((unsigned char)*text) && strcmp(text, "true") && strcmp(text, "false") && !strcmp(text, last);
}

/* "4, FillFunctor<float>" of what stands in a template's brackets. */
static void put_arguments(struct output *o, struct piece p, int depth)
{
	char one[256] = "", last[256] = "";
	bool any = false;

	for (int i = 0; i < ARGUMENTS && p.begin < p.end; i++) {
		struct output argument = { one, sizeof(one), 0 };

		*one = '\0';
		put_type(&argument, next(&p.begin, p.end, ","), depth + 1);
		if (!*one || is_again(one, last))
			continue;
		if (any)
			put(o, ", ", 2);
		put(o, one, argument.used);
		memcpy(last, one, sizeof(last));
		any = true;
	}
}

/* ul and the like: 4 of "4ul". */
static void put_number(struct output *o, struct piece p)
{
	while (p.end > p.begin + 1 && strchr("ul", p.end[-1]))
		p.end--;
	put(o, p.begin, (size_t)(p.end - p.begin));
}

/* What the name is of, and the last lambda in it, whose arguments tell which of a function's it is. */
static struct piece own_part(struct piece p, struct piece *lambda)
{
	struct piece own = p;

	*lambda = (struct piece){ p.end, p.end };
	for (const char *c = p.begin; c < p.end; ) {
		struct piece part = next(&c, p.end, "::");

		if (begins(part, "{lambda"))
			*lambda = bracket(bracket(part, '{'), '(');
		else if (is_name_char(*part.begin) && !begins(part, "operator"))
			own = part;
	}
	return own;
}

static void put_type(struct output *o, struct piece p, int depth)
{
	struct piece lambda, own, name, inner;
	char arguments[512] = "";
	struct output list = { arguments, sizeof(arguments), 0 };

	if (begins(p, "(") && !begins(p, "(anonymous"))		/* a value of an enumeration: "(kind)2" */
		p.begin = step(p.begin, p.end);
	if (p.begin < p.end && isdigit((unsigned char)*p.begin)) {
		put_number(o, p);
		return;
	}
	own = own_part(p, &lambda);
	name = plain_name(own);
	inner = bracket(own, '<');
	if (depth && is_one_of(name, implied, COUNT(implied)))
		return;
	if (depth < DEEPEST)
		put_arguments(&list, inner, depth);
	if (*arguments && is_one_of(name, wrappers, COUNT(wrappers))) {
		put(o, arguments, list.used);
		return;
	}
	if (name.end == own.end || inner.begin < inner.end || *name.end == '(')
		put_word(o, name);
	else
		put(o, own.begin, (size_t)(own.end - own.begin));	/* "unsigned int", "float const*" */
	if (*arguments) {
		put(o, "<", 1);
		put(o, arguments, list.used);
		put(o, ">", 1);
	}
	/* (int): which element, of any kernel over elements. */
	if (lambda.begin < lambda.end && depth && depth < DEEPEST &&
	    !(lambda.end - lambda.begin == 3 && begins(lambda, "int"))) {
		put(o, "(", 1);
		put_arguments(o, lambda, depth + 1);
		put(o, ")", 1);
	}
}

char *short_name(const char *name, char *to, size_t size)
{
	struct piece p = { name, name + strlen(name) };
	struct output o = { to, size, 0 };

	*to = '\0';
	if (strpbrk(name, "<({"))
		put_type(&o, without_return(p), 0);
	else
		put_word(&o, p);
	if (!o.used)
		snprintf(to, size, "%s", name);
	return to;
}
