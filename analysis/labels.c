/* SPDX-License-Identifier: MIT */
/* Labels of a trace, from itself, its command line, its folder, and the options of the report. */
#include "analysis/labels.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/frameworks.h"
#include "analysis/model/memory.h"

static const struct {
	const char *label, *option;
} options[] = {
#include "analysis/labels.tbl"
};

#define OPTIONS		(sizeof(options) / sizeof(*options))
#define KEY_CHARACTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
#define WORDS_MAX	4096	/* of a command line; what comes after them is not looked at */

/* ---- the set ---- */

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->key, ((const struct label *)b)->key);
}

static struct label *find(const struct labels *l, const char *key)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcmp(l->items[i].key, key))
			return &l->items[i];
	return NULL;
}

/* Replaces a weaker one; an empty value takes the label away. */
static void set(struct labels *l, const char *key, size_t length, const char *value, bool said)
{
	char *copy = xcheck(strndup(key, length), length + 1);
	struct label *item = find(l, copy);

	if (!item) {
		l->items = xgrow(l->items, l->count, &l->capacity, sizeof(*l->items));
		item = &l->items[l->count++];
		*item = (struct label){ .key = copy };
	} else {
		free(item->value);
		free(copy);
	}
	item->value = xcheck(strdup(value), strlen(value) + 1);
	item->said = said;
}

void labels_release(struct labels *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->items[i].key);
		free(l->items[i].value);
	}
	free(l->items);
	*l = (struct labels){ 0 };
}

const char *label_value(const struct labels *l, const char *key)
{
	const struct label *item = find(l, key);

	return item ? item->value : "";
}

bool label_tells_apart(const char *key)
{
	return strcmp(key, "repeat") != 0;
}

/* Every label of a that counts is in b with the same value. */
static bool contains(const struct labels *b, const struct labels *a, bool said_only, size_t *counted)
{
	*counted = 0;
	for (size_t i = 0; i < a->count; i++) {
		const struct label *mine = &a->items[i], *other = find(b, mine->key);

		if ((said_only && !mine->said) || !label_tells_apart(mine->key))
			continue;
		++*counted;
		if ((!other && *mine->value) || (other && strcmp(other->value, mine->value)) ||
		    (said_only && (!other || !other->said)))
			return false;
	}
	return true;
}

bool labels_same(const struct labels *a, const struct labels *b, bool said_only)
{
	size_t of_a, of_b;

	return contains(b, a, said_only, &of_a) && contains(a, b, said_only, &of_b) &&
	       (!said_only || (of_a && of_b));
}

const char *label_mode(const struct labels *l, char *buffer, size_t size)
{
	const char *batch = label_value(l, "batch");

	if (!*batch)
		return NULL;
	snprintf(buffer, size, strcmp(batch, "1") ? "mini-batch %s" : "SGD", batch);
	return buffer;
}

/* ---- what the trace shows ---- */

static bool uses_gpu(const struct process *p)
{
	if (p->gpu || p->launched.count)
		return true;
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct function *fn = profile_names(p, p->profile_list[i]);

		if (!strcmp(fn->kind, "launch") &&
		    (!strcmp(fn->layer, "runtime") || !strcmp(fn->layer, "driver")))
			return true;
	}
	return false;
}

static void set_whole(struct labels *l, const char *key, const char *value)
{
	set(l, key, strlen(key), value, false);
}

static void from_processes(struct labels *l, const struct trace *t)
{
	char framework[256] = "", ranks[16];
	bool gpu = false;
	int32_t most = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];

		if (!process_shown(p))
			continue;
		if (!*framework)
			process_stack(p, framework, sizeof(framework));
		gpu = gpu || uses_gpu(p);
		most = p->ranks > most ? p->ranks : most;
	}
	if (*framework)
		set_whole(l, "framework", framework);
	set_whole(l, "device", gpu ? "cuda" : "cpu");
	snprintf(ranks, sizeof(ranks), "%d", most);
	if (most > 1)
		set_whole(l, "ranks", ranks);
}

/* ---- the command line ---- */

struct words {
	const char *at[WORDS_MAX];
	size_t length[WORDS_MAX], count;
	size_t script;		/* the first word that ends in .py; count: none */
};

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length > n && !strncmp(text + length - n, end, n);
}

static void split(const char *command, struct words *w)
{
	w->count = 0;
	w->script = WORDS_MAX;
	while (*command && w->count < WORDS_MAX) {
		size_t length = strcspn(command, "\x1f");

		w->at[w->count] = command;
		w->length[w->count] = length;
		if (w->script == WORDS_MAX && ends_in(command, length, ".py"))
			w->script = w->count;
		w->count++;
		command += length + (command[length] != '\0');
	}
}

/* The value of an option, the last one if it is given several times; NULL: not given. The caller's. */
static char *option_value(const struct words *w, const char *option)
{
	size_t n = strlen(option), first = option[1] == '-' ? 1 : w->script + 1;
	char *value = NULL;

	for (size_t i = first; i < w->count; i++) {
		const char *word = w->at[i];
		const char *from = NULL;
		size_t length = 0;

		if (w->length[i] < n || strncmp(word, option, n))
			continue;
		if (w->length[i] == n && i + 1 < w->count && w->at[i + 1][0] != '-') {
			from = w->at[i + 1];
			length = w->length[i + 1];
		} else if (word[n] == '=') {
			from = word + n + 1;
			length = w->length[i] - n - 1;
		}
		if (!from)
			continue;
		free(value);
		value = xcheck(strndup(from, length), length + 1);
	}
	return value;
}

/* The script, where there is one; else the program. */
static void set_program(struct labels *l, const struct words *w)
{
	size_t which = w->script < w->count ? w->script : 0;
	char *path;

	if (!w->count)
		return;
	path = xcheck(strndup(w->at[which], w->length[which]), w->length[which] + 1);
	set_whole(l, "program", base_name(path));
	free(path);
}

static void from_command(struct labels *l, const char *command)
{
	static struct words w;
	struct labels found = { 0 };

	split(command, &w);
	set_program(l, &w);
	for (size_t i = 0; i < OPTIONS; i++) {
		char *value = find(&found, options[i].label) ? NULL : option_value(&w, options[i].option);

		if (value)
			set_whole(&found, options[i].label, value);
		free(value);
	}
	for (size_t i = 0; i < found.count; i++)
		set_whole(l, found.items[i].key, found.items[i].value);
	labels_release(&found);
}

/* ---- what somebody said ---- */

static void said(struct labels *l, const char *text)
{
	size_t key = strspn(text, KEY_CHARACTERS);

	if (key && text[key] == '=')
		set(l, text, key, text + key + 1, true);
}

static void from_recording(struct labels *l, const char *labels)
{
	while (*labels) {
		size_t length = strcspn(labels, "\x1f");
		char *one = xcheck(strndup(labels, length), length + 1);

		said(l, one);
		free(one);
		labels += length + (labels[length] != '\0');
	}
}

/* Where KEY=VALUE begins; NULL: nowhere. A path may have colons and equal signs of its own. */
static const char *label_begin(const char *text)
{
	size_t key;

	for (const char *p = text; p; p = strchr(p, ':'), p = p ? p + 1 : NULL) {
		key = strspn(p, KEY_CHARACTERS);
		if (key && p[key] == '=')
			return p;
	}
	return NULL;
}

size_t label_option_key(const char *text)
{
	const char *label = label_begin(text);

	return label ? (size_t)(strchr(label, '=') - text) + 1 : 0;
}

/* [PATTERN:]KEY=VALUE: the pattern is matched with the path as given, and with its last part. */
bool label_option_fits(const char *text, const char *path)
{
	const char *label = label_begin(text);
	size_t length = label && label > text ? (size_t)(label - text - 1) : 0;
	char *pattern = xcheck(strndup(text, length), length + 1), *bare;
	bool fits;

	bare = xcheck(strdup(path), strlen(path) + 1);
	for (size_t n = strlen(bare); n > 1 && bare[n - 1] == '/';)
		bare[--n] = '\0';
	while (length > 1 && pattern[length - 1] == '/')
		pattern[--length] = '\0';
	fits = label && (!length || !fnmatch(pattern, bare, 0) || !fnmatch(pattern, base_name(bare), 0));
	free(bare);
	free(pattern);
	return fits;
}

void labels_found_number(struct labels *l, const char *key, size_t number)
{
	char value[24];

	snprintf(value, sizeof(value), "%zu", number);
	if (find(l, key))
		return;
	set_whole(l, key, value);
	qsort(l->items, l->count, sizeof(*l->items), by_key);
}

struct labels labels_of(const struct trace *t)
{
	const struct model_options *o = &t->model->options;
	const struct process *root = trace_root(t);
	struct labels l = { 0 };

	from_processes(&l, t);
	from_command(&l, *t->command ? t->command : root ? root->command : "");
	from_recording(&l, t->said);
	from_recording(&l, t->labels);
	for (size_t i = 0; i < o->label_count; i++)
		if (label_option_fits(o->labels[i], t->path))
			said(&l, label_begin(o->labels[i]));
	if (l.count)
		qsort(l.items, l.count, sizeof(*l.items), by_key);
	return l;
}
