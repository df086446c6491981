/* SPDX-License-Identifier: MIT */
/* Frameworks by libraries and packages; versions from names, then from Python's metadata. */
#include "analysis/frameworks.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/breakdown.h"
#include "analysis/communication.h"

static const struct framework_rule rules[] = {
#include "analysis/frameworks.tbl"
};

#define RULES (sizeof(rules) / sizeof(*rules))

#define IMPORT	     "import "
#define COMMUNICATES "communicates "

static bool is_library_rule(const struct framework_rule *rule)
{
	return strncmp(rule->pattern, IMPORT, strlen(IMPORT)) &&
	       strncmp(rule->pattern, COMMUNICATES, strlen(COMMUNICATES));
}

static bool matches(const char *pattern, const char *path)
{
	const char *name = base_name(path);
	int literal = (int)strcspn(pattern, "*?[");
	char anywhere[256];

	/* What it begins with is looked for first: a pattern takes its time, and there are many of both. */
	if (!strchr(pattern, '/'))
		return !strncmp(pattern, name, (size_t)literal) && !fnmatch(pattern, name, 0);
	snprintf(anywhere, sizeof(anywhere), "/%.*s", literal, pattern);
	if (!strstr(path, anywhere))
		return false;
	snprintf(anywhere, sizeof(anywhere), "*/%s", pattern);
	return !fnmatch(anywhere, path, 0);
}

const struct framework_rule *library_framework(const char *path)
{
	for (size_t i = 0; i < RULES; i++)
		if (is_library_rule(&rules[i]) && matches(rules[i].pattern, path))
			return &rules[i];
	return NULL;
}

/* The rule "KIND NAME"; NULL: none. */
static const struct framework_rule *rule_of(const char *kind, const char *name)
{
	for (size_t i = 0; i < RULES; i++)
		if (!strncmp(rules[i].pattern, kind, strlen(kind)) &&
		    !strcmp(rules[i].pattern + strlen(kind), name))
			return &rules[i];
	return NULL;
}

/* ---- versions ---- */

/* "1.13.0" of libtorch_cpu.so.1.13.0; false when there are not two numbers at least. */
static bool version_of_name(const char *path, char *version, size_t size)
{
	const char *so = strstr(base_name(path), ".so.");

	if (!so)
		return false;
	so += 4;
	if (!isdigit((unsigned char)*so) || strspn(so, "0123456789.") != strlen(so) ||
	    !strchr(so, '.'))
		return false;
	snprintf(version, size, "%s", so);
	return true;
}

/* NAME-VERSION.dist-info, or NAME-VERSION[-py3.11].egg-info; cuts `entry` up; false: neither. */
static bool split_entry(char *entry, char **version)
{
	char *end = strstr(entry, ".dist-info"), *dash;

	if (!end)
		end = strstr(entry, ".egg-info");
	if (!end)
		return false;
	*end = '\0';
	for (dash = strchr(entry, '-'); dash && !isdigit((unsigned char)dash[1]);)
		dash = strchr(dash + 1, '-');
	if (!dash)
		return false;
	*dash = '\0';
	*version = dash + 1;
	dash[1 + strcspn(dash + 1, "-")] = '\0';
	for (char *c = entry; *c; c++)
		*c = *c == '-' || *c == '.' ? '_' : (char)tolower((unsigned char)*c);
	return true;
}

/* Which of the globs a name matches first; their number: none. */
static size_t glob_of_list(const char *list, const char *name)
{
	size_t which = 0;

	for (;; which++) {
		size_t length = strcspn(list, "|");
		char one[128];

		snprintf(one, sizeof(one), "%.*s", (int)length, list);
		if (!*list || !fnmatch(one, name, 0))
			return which;
		list += length + (list[length] == '|');
	}
}

static uint64_t changed(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

/* Is a file, with the links that lead to it, still what it was then (ns since 1970)? What came later was not used. */
static bool was_there(const char *path, uint64_t then)
{
	char part[4096];
	struct stat st;

	for (size_t n = 1; n <= strlen(path); n++) {
		if (path[n] && path[n] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		if (lstat(part, &st) || (S_ISLNK(st.st_mode) && changed(&st) > then))
			return false;
	}
	return !stat(path, &st) && changed(&st) <= then;
}

/* Of several packages the one that the list names first, then the first by name. */
static bool version_of_folder(const char *folder, const char *packages, uint64_t then, char *version, size_t size)
{
	size_t best = glob_of_list(packages, ""), which;
	char chosen[256] = "", path[4096 + 256] = "";
	struct dirent *e;
	DIR *d = opendir(folder);

	while (d && (e = readdir(d))) {
		char name[256], *number;

		snprintf(name, sizeof(name), "%s", e->d_name);
		if (!split_entry(name, &number))
			continue;
		which = glob_of_list(packages, name);
		if (which > best || (which == best && (!*chosen || strcmp(name, chosen) >= 0)))
			continue;
		best = which;
		strcpy(chosen, name);
		snprintf(path, sizeof(path), "%s%s", folder, e->d_name);
		snprintf(version, size, "%s", number);
	}
	if (d)
		closedir(d);
	if (*chosen && was_there(path, then))
		return true;
	*version = '\0';
	return false;
}

/* Looks beside the library, in the folder that Python packages are installed in. */
static bool version_of_package(const char *path, const char *packages, uint64_t then, char *version, size_t size)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s", path);
	for (size_t i = 0; i < 2; i++) {
		char *at = strstr(folder, folders[i]);

		if (!at)
			continue;
		at[strlen(folders[i])] = '\0';
		return version_of_folder(folder, packages, then, version, size);
	}
	return false;
}

/* A library of that path on another machine may be another one. */
static bool on_this_machine(const struct process *p)
{
	char host[256] = "";

	return !gethostname(host, sizeof(host) - 1) && !strcmp(host, p->host);
}

/* Since when (ns since 1970) a file has to be there to be what the process found; 0: this is not its machine. */
static uint64_t found_by(const struct process *p)
{
	uint64_t begin = p->begin != UNKNOWN ? (uint64_t)p->begin : 0;

	return on_this_machine(p) ? p->trace->begin + begin : 0;
}

/* libtorch_cpu.so.1.13 is a link to libtorch_cpu.so.1.13.0: the longer name tells more. */
static bool version_of_link(const char *path, uint64_t then, char *version, size_t size)
{
	char *target = was_there(path, then) ? realpath(path, NULL) : NULL;
	bool found = target && version_of_name(target, version, size);

	free(target);
	return found;
}

static void find_version(const struct process *p, const char *path,
			 const struct framework_rule *rule, struct framework *f)
{
	char *version = f->version;
	size_t size = sizeof(f->version);
	uint64_t then = found_by(p);

	if (*version)
		return;
	if (version_of_link(path, then, version, size))
		return;
	if (version_of_name(path, version, size))
		return;
	if (*rule->package)
		version_of_package(path, rule->package, then, version, size);
}

/* ---- processes ---- */

struct collection {
	struct framework *found;
	size_t count;
	bool versions;
};

static struct framework *found_as(struct collection *c, const struct framework_rule *rule)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->found[i].rule->name, rule->name))
			return &c->found[i];
	if (c->count == FRAMEWORKS_MAX)
		return NULL;
	c->found[c->count] = (struct framework){ .rule = rule };
	return &c->found[c->count++];
}

/* path: NULL where there is nothing to find a version by. */
static struct framework *add_sign(struct collection *c, const struct process *p,
				  const struct framework_rule *rule, const char *path)
{
	struct framework *f = rule ? found_as(c, rule) : NULL;

	if (f && rule < f->rule)
		f->rule = rule;
	if (f && path && c->versions)
		find_version(p, path, rule, f);
	return f;
}

static void add_libraries(struct collection *c, const struct process *p)
{
	for (size_t i = 0; i < p->library_count; i++) {
		const char *path = p->libraries[i].path;
		struct framework *f = add_sign(c, p, library_framework(path), path);

		if (f)
			f->has_libraries = true;
	}
}

static void add_packages(struct collection *c, const struct process *p)
{
	for (size_t i = 0; i < p->package_count; i++) {
		const char *path = p->packages[i].path;

		add_sign(c, p, rule_of(IMPORT, base_name(path)), path);
	}
}

#define GRADIENTS 1048576	/* bytes; a rank that sends as much on sockets does not only say where it is */

static bool communicates(const struct process *p, const struct profile *f)
{
	const struct function *fn = profile_names(p, f);

	if (!strcmp(fn->layer, "network"))
		return p->ranks > 1 && profile_counts(p, f)->bytes >= GRADIENTS;
	return layer_communicates(fn->layer) && (!strcmp(fn->kind, "communicate") || !strcmp(fn->kind, "launch"));
}

/* Communication that a framework asks for itself: its own layer for it is one more framework. */
static void add_communication(struct collection *c, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct library *l = process_library(p, profile_library(f));
		const struct framework_rule *rule = l ? library_framework(l->path) : NULL;

		if (rule && communicates(p, f))
			add_sign(c, p, rule_of(COMMUNICATES, rule->name), NULL);
	}
}

static void sort(struct framework *found, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t j = i; j && found[j].rule < found[j - 1].rule; j--) {
			struct framework f = found[j];

			found[j] = found[j - 1];
			found[j - 1] = f;
		}
	}
}

static size_t collect(const struct process *p, struct framework found[FRAMEWORKS_MAX],
		      bool versions)
{
	struct collection c = { .found = found, .versions = versions };
	const struct process *from = p;

	for (int depth = 0; from && depth < 64; depth++) {
		add_libraries(&c, from);
		add_packages(&c, from);
		from = from->reason == 1 ? from->parent : NULL;
	}
	add_communication(&c, p);
	sort(found, c.count);
	frameworks_used(p, found, c.count);
	return c.count;
}

size_t process_frameworks(const struct process *p, struct framework found[FRAMEWORKS_MAX])
{
	return collect(p, found, true);
}

const char *framework_state_name(enum framework_state state)
{
	static const char *const names[] = { "", "works", "imported" };

	return names[state];
}

/* The first engine that works, else the first that may, else the first of all; count: none. */
static size_t engine_of(const struct framework *found, size_t count)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		bool engine = !strcmp(found[i].rule->role, "engine");

		if (engine && found[i].state == FRAMEWORK_WORKS)
			return i;
		if (engine && found[i].state == FRAMEWORK_UNKNOWN && best == count)
			best = i;
	}
	for (size_t i = 0; i < count && best == count; i++)
		if (strcmp(found[i].rule->role, "communication"))
			best = i;
	return best;
}

const char *process_engine(const struct process *p)
{
	struct framework found[FRAMEWORKS_MAX];
	size_t count = collect(p, found, false), engine = engine_of(found, count);

	return engine < count ? found[engine].rule->name : "";
}

static void put(char *text, size_t size, const char *between, const struct framework *f)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s%s%s", used ? between : "", f->rule->name,
		 *f->version ? " " : "", f->version);
}

bool process_stack(const struct process *p, char *text, size_t size)
{
	struct framework found[FRAMEWORKS_MAX];
	size_t count = collect(p, found, true), engine = engine_of(found, count);

	*text = '\0';
	for (size_t i = 0; i < count; i++)
		if (!strcmp(found[i].rule->role, "top") && found[i].state != FRAMEWORK_IMPORTED)
			put(text, size, " + ", &found[i]);
	if (engine < count && strcmp(found[engine].rule->role, "top"))
		put(text, size, " on ", &found[engine]);
	return count;
}

bool framework_chosen(const char *pattern, const char *name)
{
	return !pattern || !fnmatch(pattern, name, FNM_CASEFOLD);
}
