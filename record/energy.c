/* SPDX-License-Identifier: MIT */
/* Reads RAPL's energy counters. */
#include "energy.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/emit_sample.h"

#define DOMAINS 32

static struct domain {
	char path[256];		/* of energy_uj */
	char name[64];		/* "package-0", "package-0 dram" */
	uint64_t range;		/* the counter wraps there; uJ */
	uint64_t last, sum;
} domains[DOMAINS];
static unsigned domain_count;

static bool read_text(const char *folder, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(text, (int)size, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(f);
	return text[0] != '\0';
}

static bool read_energy(const struct domain *d, uint64_t *energy)
{
	char text[32];

	if (!read_text(d->path, "energy_uj", text, sizeof(text)))
		return false;
	*energy = strtoull(text, NULL, 10);
	return true;
}

static bool is_known(const char *name)
{
	for (unsigned i = 0; i < domain_count; i++)
		if (strcmp(domains[i].name, name) == 0)
			return true;
	return false;
}

/* "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. */
static void add(const char *root, const char *entry)
{
	struct domain *d = &domains[domain_count];
	char text[64], parent[PATH_MAX], package[32] = "";
	const char *part = strrchr(entry, ':');
	int n = snprintf(d->path, sizeof(d->path), "%s/%s", root, entry);

	if (n < 0 || (size_t)n >= sizeof(d->path) || !read_text(d->path, "name", text, sizeof(text)) ||
	    !read_energy(d, &d->last))
		return;
	if (part && strchr(entry, ':') != part) {
		snprintf(parent, sizeof(parent), "%s/%.*s", root, (int)(part - entry), entry);
		read_text(parent, "name", package, sizeof(package));
	}
	snprintf(d->name, sizeof(d->name), "%s%s%.24s", package, *package ? " " : "", text);
	if (is_known(d->name))
		return;
	d->range = read_text(d->path, "max_energy_range_uj", text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
	d->sum = d->last;
	domain_count++;
}

unsigned energy_init(const char *root)
{
	struct dirent **list;
	int count = scandir(root, &list, NULL, alphasort);

	domain_count = 0;
	/* Some machines have a package twice, by another interface ("intel-rapl-mmio:0"), with another counter. */
	for (int i = 0; i < count; i++)
		if (strncmp(list[i]->d_name, "intel-rapl:", strlen("intel-rapl:")) == 0 && domain_count < DOMAINS)
			add(root, list[i]->d_name);
	for (int i = 0; i < count; i++) {
		if (strchr(list[i]->d_name, ':') && domain_count < DOMAINS)
			add(root, list[i]->d_name);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return domain_count;
}

void energy_tick(void)
{
	for (unsigned i = 0; i < domain_count && sample_enabled(DLT_EV_RECORD_ENERGY); i++) {
		struct domain *d = &domains[i];
		struct dlt_ev_record_energy e = { .domain = d->name };
		uint64_t now;

		if (!read_energy(d, &now))
			continue;
		d->sum += now >= d->last ? now - d->last : now + (d->range > d->last ? d->range - d->last : 0);
		d->last = now;
		e.energy = d->sum;
		sample_emit(DLT_EV_RECORD_ENERGY, &e);
	}
}
