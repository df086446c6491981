/* SPDX-License-Identifier: MIT */
/* Small words that analyses share: lists, ends, sizes and times in texts. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analyses.h"

void each_process(const struct model *m, struct table *table,
		  void (*each)(const struct process *p, struct table *table))
{
	for (size_t i = 0; i < m->trace_count; i++)
		trace_each_process(m->traces[i], table, each);
}

void trace_each_process(const struct trace *t, struct table *table,
			void (*each)(const struct process *p, struct table *table))
{
	model_alive(t->model);
	for (size_t i = 0; i < t->process_count; i++)
		if (process_shown(t->processes[i]))
			each(t->processes[i], table);
}

void set_time(struct table *t, const char *column, int64_t time)
{
	if (time != UNKNOWN)
		table_set_int(t, column, time);
}

void set_text(struct table *t, const char *column, const char *text)
{
	if (text && *text)
		table_set_text(t, column, text);
}

/* Names come from the trace: what is no UTF-8 is kept out of JSON by a question mark. */
static json_t *json_text(const char *s, size_t length)
{
	json_t *text = json_stringn(s, length);
	char copy[4096];

	if (text)
		return text;
	if (length > sizeof(copy))
		length = sizeof(copy);
	for (size_t i = 0; i < length; i++)
		copy[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
	return json_stringn(copy, length);
}

json_t *json_name(const char *name)
{
	return name && *name ? json_text(name, strlen(name)) : json_null();
}

json_t *command_list(const char *command)
{
	json_t *list = json_array();

	while (*command) {
		size_t length = strcspn(command, "\x1f");

		json_array_append_new(list, json_text(command, length));
		command += length;
		if (*command)
			command++;
	}
	return list;
}

const struct process *trace_root(const struct trace *t)
{
	const struct process *root = NULL;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];

		if (!p->announced || process_foreign(p))
			continue;
		/* exec: the same kernel process goes on under a new id */
		if (!root || (root->ending == END_EXEC && p->pid == root->pid))
			root = p;
	}
	return root;
}

/* Who made it may have sent the signal. */
static void find_sender(const struct process *p, struct process_end *e)
{
	e->sender = e->killed && p->signalled == e->code ? p->signalled_by : NULL;
	e->let_go = e->sender && e->sender == p->parent && p->trace->exit_status == 0;
}

const struct note *trace_other_layout(const struct trace *t)
{
	for (size_t i = 0; i < t->note_count; i++)
		if (t->notes[i].t == UNKNOWN && !strcmp(t->notes[i].kind, NOTE_LAYOUT))
			return &t->notes[i];
	return NULL;
}

static struct process_end end_of(const struct process *p)
{
	const struct trace *t = p->trace;
	struct process_end e = { .ending = p->ending, .code = p->code };

	if (p->ending != END_UNKNOWN) {
		e.killed = p->ending == END_SIGNAL && !p->exit_seen;
		find_sender(p, &e);
		return e;
	}
	/* The recorder waited for the command itself and knows. */
	if ((t->exit_signal || t->exit_status >= 0) && p == trace_root(t)) {
		e.ending = t->exit_signal ? END_SIGNAL : END_STATUS;
		e.code = t->exit_signal ? t->exit_signal : t->exit_status;
		e.killed = t->exit_signal != 0;
		return e;
	}
	/* Its last words may be among those that are not read. */
	e.killed = p->final_seen && p->announced && !p->traced && !trace_other_layout(t);
	/* Nobody waited for it, but this one was sent, and it cannot be caught. */
	if (e.killed && p->signalled == SIGKILL) {
		e.ending = END_SIGNAL;
		e.code = SIGKILL;
		find_sender(p, &e);
	}
	return e;
}

struct process_end process_end(const struct process *p)
{
	struct process_end e = end_of(p);

	e.out_of_memory = p->out_of_memory && e.ending == END_SIGNAL && e.code == SIGKILL && !e.sender;
	return e;
}

json_t *exit_object(const struct process *p)
{
	struct process_end e = process_end(p);

	switch (e.ending) {
	case END_STATUS:
		return json_pack("{s:i}", "status", e.code);
	case END_SIGNAL:
		return json_pack("{s:i}", "signal", e.code);
	case END_EXEC:
		return json_pack("{s:b}", "exec", 1);
	case END_UNKNOWN:
		break;
	}
	return p->end != UNKNOWN ? json_pack("{s:b}", "unknown", 1) : NULL;
}

const char *process_who(const struct process *p)
{
	static char text[128];
	const char *name = *process_name(p) ? process_name(p) : "a process";	/* killed before it was asked */

	if (p->pid)
		snprintf(text, sizeof(text), "%.80s (pid %u)", name, p->pid);
	else
		snprintf(text, sizeof(text), "%.80s", name);
	return text;
}

char *bytes_text(char *buffer, size_t size, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t u = 0;

	while (fabs(bytes) >= 1024 && u + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		u++;
	}
	snprintf(buffer, size, fabs(bytes) < 10 && u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
	return buffer;
}

char *time_text(char *buffer, size_t size, double ns)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	size_t u = 0;

	while (fabs(ns) >= 1000 && u + 1 < sizeof(units) / sizeof(*units)) {
		ns /= 1000;
		u++;
	}
	snprintf(buffer, size, fabs(ns) < 10 && u ? "%.1f %s" : "%.0f %s", ns, units[u]);
	return buffer;
}

char *count_text(char *buffer, size_t size, double count)
{
	char plain[32];
	size_t length = (size_t)snprintf(plain, sizeof(plain), "%.0f", count), used = 0;

	for (size_t i = 0; i < length && used + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			buffer[used++] = ',';
		buffer[used++] = plain[i];
	}
	buffer[used] = '\0';
	return buffer;
}

const char *signal_name(int number, char *buffer, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name)
		snprintf(buffer, size, "SIG%s", name);
	else
		snprintf(buffer, size, "signal %d", number);
	return buffer;
}

/* %.3g alone writes 18000 as 1.8e+04. */
char *real_text(char *buffer, size_t size, double value, int digits)
{
	double unit = value > 0 ? pow(10, floor(log10(value)) - digits + 1) : 1;

	if (unit >= 1)
		return count_text(buffer, size, round(value / unit) * unit);
	snprintf(buffer, size, "%.*g", digits, value);
	return buffer;
}
