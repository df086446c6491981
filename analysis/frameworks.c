/* SPDX-License-Identifier: MIT */
/* Frameworks by their libraries; versions from names, then from Python's metadata. */
#include "analysis/frameworks.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct framework_rule rules[] = {
#include "analysis/frameworks.tbl"
};

#define RULES (sizeof(rules) / sizeof(*rules))

static bool matches(const char *pattern, const char *path)
{
	const char *name = base_name(path);
	size_t literal = strcspn(pattern, "*?[");
	char anywhere[256];

	if (!strchr(pattern, '/'))
		return !strncmp(pattern, name, literal) && !fnmatch(pattern, name, 0);
	snprintf(anywhere, sizeof(anywhere), "*/%s", pattern);
	return !fnmatch(anywhere, path, 0);
}

const struct framework_rule *library_framework(const char *path)
{
	for (size_t i = 0; i < RULES; i++)
		if (matches(rules[i].pattern, path))
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

static bool glob_of_list(const char *list, const char *name)
{
	while (*list) {
		size_t length = strcspn(list, "|");
		char one[128];

		snprintf(one, sizeof(one), "%.*s", (int)length, list);
		if (!fnmatch(one, name, FNM_CASEFOLD))
			return true;
		list += length + (list[length] == '|');
	}
	return false;
}

/* NAME-VERSION.dist-info, or NAME-VERSION[-py3.11].egg-info */
static bool version_of_entry(const char *entry, const char *package, char *version, size_t size)
{
	char name[256], *dash, *end;

	snprintf(name, sizeof(name), "%s", entry);
	end = strstr(name, ".dist-info");
	if (!end)
		end = strstr(name, ".egg-info");
	if (!end)
		return false;
	*end = '\0';
	for (dash = strchr(name, '-'); dash && !isdigit((unsigned char)dash[1]);)
		dash = strchr(dash + 1, '-');
	if (!dash)
		return false;
	*dash = '\0';
	if (!glob_of_list(package, name))
		return false;
	dash++;
	dash[strcspn(dash, "-")] = '\0';
	snprintf(version, size, "%s", dash);
	return true;
}

/* Looks beside the library, in the folder that Python packages are installed in. */
static bool version_of_package(const char *path, const char *package, char *version, size_t size)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };
	bool found = false;
	struct dirent *e;
	char folder[4096];
	DIR *d;

	snprintf(folder, sizeof(folder), "%s", path);
	for (size_t i = 0; i < 2; i++) {
		char *at = strstr(folder, folders[i]);

		if (!at)
			continue;
		at[strlen(folders[i])] = '\0';
		d = opendir(folder);
		while (d && !found && (e = readdir(d)))
			found = version_of_entry(e->d_name, package, version, size);
		if (d)
			closedir(d);
		return found;
	}
	return false;
}

/* A library of that path on another machine may be another one. */
static bool on_this_machine(const struct process *p)
{
	char host[256] = "";

	return !gethostname(host, sizeof(host) - 1) && !strcmp(host, p->host);
}

/* libtorch_cpu.so.1.13 is a link to libtorch_cpu.so.1.13.0: the longer name tells more. */
static bool version_of_link(const char *path, char *version, size_t size)
{
	char *target = realpath(path, NULL);
	bool found = target && version_of_name(target, version, size);

	free(target);
	return found;
}

static void find_version(const struct process *p, const char *path, struct framework *f)
{
	char *version = f->version;
	size_t size = sizeof(f->version);
	bool here = on_this_machine(p);

	if (*version)
		return;
	if (here && version_of_link(path, version, size))
		return;
	if (version_of_name(path, version, size))
		return;
	if (here && *f->rule->package)
		version_of_package(path, f->rule->package, version, size);
}

/* ---- processes ---- */

static struct framework *found_as(struct framework *found, size_t *count,
				  const struct framework_rule *rule)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(found[i].rule->name, rule->name))
			return &found[i];
	if (*count == FRAMEWORKS_MAX)
		return NULL;
	found[*count] = (struct framework){ .rule = rule };
	return &found[(*count)++];
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
	const struct process *from = p;
	size_t count = 0;

	for (int depth = 0; from && depth < 64; depth++) {
		for (size_t i = 0; i < from->library_count; i++) {
			const char *path = from->libraries[i].path;
			const struct framework_rule *rule = library_framework(path);
			struct framework *f = rule ? found_as(found, &count, rule) : NULL;

			if (f && versions)
				find_version(from, path, f);
		}
		from = from->reason == 1 ? from->parent : NULL;
	}
	sort(found, count);
	return count;
}

size_t process_frameworks(const struct process *p, struct framework found[FRAMEWORKS_MAX])
{
	return collect(p, found, true);
}

const char *process_engine(const struct process *p)
{
	struct framework found[FRAMEWORKS_MAX];
	size_t count = collect(p, found, false);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(found[i].rule->role, "engine"))
			return found[i].rule->name;
	return count ? found[0].rule->name : "";
}

bool framework_chosen(const char *pattern, const char *name)
{
	return !pattern || !fnmatch(pattern, name, FNM_CASEFOLD);
}
