/* SPDX-License-Identifier: MIT */
/* Debugging output that is safe everywhere: no stdio, no allocation, one write(2) a line. */
#include "log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys.h"

bool dlt_log_any;
static char domains[128];

struct line {
	char text[256];
	size_t used;
};

void dlt_log_init(const char *list)
{
	if (!list || !*list)
		return;
	strncpy(domains, list, sizeof(domains) - 1);
	dlt_log_any = true;
}

static bool wanted(const char *domain)
{
	size_t length = strlen(domain);

	for (const char *p = domains; *p; p += *p == ',') {
		const char *end = strchrnul(p, ',');

		if ((size_t)(end - p) == length && memcmp(p, domain, length) == 0)
			return true;
		if (end - p == 3 && memcmp(p, "all", 3) == 0)
			return true;
		p = end;
	}
	return false;
}

static void add(struct line *l, const char *text)
{
	while (*text && l->used < sizeof(l->text) - 1)
		l->text[l->used++] = *text++;
}

static void add_number(struct line *l, long value)
{
	char digits[24], *p = digits + sizeof(digits);
	unsigned long rest = value < 0 ? 0 - (unsigned long)value : (unsigned long)value;

	*--p = '\0';
	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--p = '-';
	add(l, p);
}

void dlt_log_write(enum dlt_log_domain domain, const char *text, const char *detail, long value)
{
	struct line l = { .used = 0 };
	int saved = errno;

	if (!wanted(dlt_log_domain_name(domain)))
		return;
	add(&l, "dltrace: ");
	add(&l, dlt_log_domain_name(domain));
	add(&l, ": ");
	add(&l, text);
	if (detail) {
		add(&l, " ");
		add(&l, detail);
	}
	add(&l, " (");
	add_number(&l, value);
	add(&l, ")");
	l.text[l.used++] = '\n';
	/* Not write(2) itself, which is one of our hooks. */
	dlt_sys(SYS_write, STDERR_FILENO, (long)l.text, (long)l.used, 0, 0);
	errno = saved;
}
