/* SPDX-License-Identifier: MIT */
/* dltrace-report: turns traces into breakdowns, curves, tables and figures. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/certificate.h"
#include "analysis/chosen.h"
#include "analysis/export/export.h"
#include "analysis/live/live.h"
#include "analysis/model/model.h"
#include "analysis/options.h"
#include "analysis/phases.h"
#include "analysis/reader/text_writer.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/output.h"
#include "analysis/model/parts.h"
#include "analysis/team.h"
#include "analysis/worker.h"
#include "record/place.h"

#define PROBLEMS_SHOWN	10	/* a trace; all are in the report */

/* One line on stderr, about a path if there is one; what a trace says in it is made harmless. */
static void say(const struct options *o, const char *path, const char *text)
{
	char *clean_path = text_clean(path ? path : "", o->writing.unicode);
	char *clean_text = text_clean(text, o->writing.unicode);

	fprintf(stderr, "dltrace-report: %s%s%s\n", clean_path, path ? ": " : "", clean_text);
	free(clean_path);
	free(clean_text);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- reading ---- */

/* What takes over a second is seen on a terminal. */
static struct {
	bool shown;		/* wanted, and stderr is a terminal */
	bool visible;
	double begin, last;
	int trace, traces;
} progress;

static void show_progress(uint64_t events)
{
	char count[FORMAT_SIZE];
	double t;

	if (!progress.shown)
		return;
	t = now();
	if (t - progress.begin < 1 || t - progress.last < 0.2)
		return;
	progress.last = t;
	progress.visible = true;
	fprintf(stderr, "\rreading trace %d of %d: %s events\033[K", progress.trace + 1,
		progress.traces, format_whole(count, (double)events));
}

static void clear_progress(void)
{
	if (progress.visible)
		fputs("\r\033[K", stderr);
	progress.visible = false;
}

/* Whether something could not be read; events that LTTng lost were written nowhere. */
static bool is_unread(const struct reader_problem *p)
{
	return strcmp(p->kind, "lost") && strcmp(p->kind, "foreign");
}

static int say_problems(const struct options *o, const char *path, const struct reader_info *info)
{
	uint64_t shown = 0, unread = 0;

	for (size_t i = 0; i < info->problem_count; i++) {
		const struct reader_problem *p = &info->problems[i];
		bool is_shown = is_unread(p) ? shown < PROBLEMS_SHOWN : o->verbose;

		unread += is_unread(p) ? p->count : 0;
		shown += is_unread(p) && is_shown ? p->count : 0;
		if (is_shown && !o->quiet)
			say(o, path, p->text);
	}
	if (unread > shown && !o->quiet)
		fprintf(stderr, "dltrace-report: %" PRIu64 " more such problem%s in the report\n", unread - shown,
			unread - shown == 1 ? " is" : "s are");
	return unread ? STATUS_PARTLY : STATUS_OK;
}

static void say_speed(const struct options *o, const char *path, const struct reader_info *info,
		      double seconds)
{
	char events[FORMAT_SIZE], bytes[FORMAT_SIZE], time[FORMAT_SIZE], speed[FORMAT_SIZE];
	char line[512], parts[64] = "";
	static const char *const sources[] = {
		[READER_AUTO] = "auto", [READER_FAST] = "fast",
		[READER_BABELTRACE] = "babeltrace2", [READER_TEXT] = "text",
	};

	if (info->parts)
		snprintf(parts, sizeof(parts), " in %zu parts", info->parts);
	snprintf(line, sizeof(line), "%s events, %s, %s by source %s%s: %s events/s",
		 format_whole(events, (double)info->events),
		 format_bytes(bytes, (double)info->bytes),
		 format_ns(time, seconds * 1e9, o->writing.unicode), sources[info->source], parts,
		 format_whole(speed, seconds > 0 ? (double)info->events / seconds : 0));
	say(o, path, line);
}

/* As reader_open; what says nothing of its end may be recorded still. */
static struct reader *open_trace(const struct options *o, const char *path, char *error)
{
	struct reader *r = reader_open(path, o->source, error, READER_ERROR_SIZE);

	if (r && reader_info(r)->recording.present && !reader_info(r)->recording.end && live_writes_to(path))
		reader_set_running(r);
	return r;
}

/* STATUS_NOTHING when nothing of it can be used. */
static int read_trace(const struct options *o, struct model *m, const char *path)
{
	char error[READER_ERROR_SIZE] = "";
	struct reader *r = open_trace(o, path, error);
	const struct reader_info *info;
	double begin = now();
	int err, status;

	if (!r) {
		if (!o->quiet)
			say(o, NULL, error);
		model_unreadable(m, path, error);
		return STATUS_NOTHING;
	}
	err = model_read(m, r, path);
	clear_progress();
	info = reader_info(r);
	status = say_problems(o, path, info);
	if (!info->events) {
		if (!o->quiet)
			say(o, path, info->foreign ? "it holds no events of dltrace, only others" :
						     "it holds no events");
		status = STATUS_NOTHING;
	} else if (err) {
		status = STATUS_PARTLY;
	}
	if (o->verbose)
		say_speed(o, path, info, now() - begin);
	reader_close(r);
	return status;
}

/* STATUS_OK, _PARTLY, or _NOTHING when not one trace could be read. */
static int read_traces(const struct options *o, struct model *m, struct worker *w,
		       char *const *broken)
{
	int unread = 0, partly = 0;

	for (int i = 0; i < o->trace_count; i++) {
		int status = STATUS_NOTHING;

		w->trace = progress.trace = i;
		worker_progress();
		if (broken[i]) {
			if (!o->quiet)
				say(o, o->traces[i], broken[i]);
			model_unreadable(m, o->traces[i], broken[i]);
		} else {
			status = read_trace(o, m, o->traces[i]);
		}
		unread += status == STATUS_NOTHING;
		partly += status == STATUS_PARTLY;
	}
	if (unread == o->trace_count)
		return STATUS_NOTHING;
	return unread || partly ? STATUS_PARTLY : STATUS_OK;
}

/* ---- writing ---- */

static void say_unwritten(const struct options *o, const char *path, int err)
{
	char line[PATH_MAX + 128];

	snprintf(line, sizeof(line), "cannot write %s: %s%s", path, strerror(err),
		 err == ENOENT ? " (the folder that it shall be in has to be there)" : "");
	say(o, NULL, line);
}

static int write_outputs(const struct options *o, const struct report *r)
{
	char failed[PATH_MAX];
	int status = STATUS_OK;

	for (int i = 0; i < o->output_count; i++) {
		const struct output_file *file = &o->outputs[i];
		struct writer_options looks = o->writing;
		int err;

		if (file->writer->pages == PAGES_EVENTS)
			continue;
		worker_progress();
		looks.alive = worker_progress;
		if (strcmp(file->path, "-") && !o->color_always)
			looks.color = false;
		err = output_write(r, file->writer, file->path, &looks, failed);
		if (err) {
			say_unwritten(o, failed, -err);
			status = STATUS_UNWRITTEN;
		}
	}
	return status;
}

/* Formats of single events are written from here on; NULL: none is asked for. */
static struct export *start_exports(const struct options *o, int *status)
{
	struct export *x = NULL;

	for (int i = 0; i < o->output_count; i++) {
		const struct output_file *file = &o->outputs[i];
		int err;

		if (file->writer->pages != PAGES_EVENTS)
			continue;
		if (!x)
			x = export_new();
		err = export_add(x, file->writer->name, file->path);
		if (err) {
			say_unwritten(o, file->path, -err);
			*status = STATUS_UNWRITTEN;
		}
	}
	return x;
}

struct unwritten {
	const struct options *o;
	int *status;
};

static void export_failed(void *data, const char *path, int err)
{
	struct unwritten *u = data;

	say_unwritten(u->o, strcmp(path, "-") ? path : "standard output", -err);
	*u->status = STATUS_UNWRITTEN;
}

/* ---- conditions ---- */

/* STATUS_FAIL_IF when one holds, STATUS_PARTLY when one cannot be told; each has its line, as has a misspelt name. */
static int check_conditions(const struct options *o, const struct model *m, const struct report *r)
{
	int status = STATUS_OK;
	char line[2048];

	for (size_t i = 0; i < o->condition_count; i++) {
		enum condition_result result;

		worker_progress();
		result = condition_check(&o->conditions[i], m, r, line, sizeof(line));
		if (*line)
			say(o, NULL, line);
		if (result == CONDITION_NOT)
			continue;
		if (result == CONDITION_HOLDS || status == STATUS_OK)
			status = result == CONDITION_HOLDS ? STATUS_FAIL_IF : STATUS_PARTLY;
	}
	return status;
}

/* ---- the whole ---- */

/* Decodes what number 0 of the team asks for; what there is to say, number 0 says. */
static int help(const struct options *o, struct team *team)
{
	struct parts_order *order = need(calloc(1, sizeof(*order)));
	struct model_options options = o->model;

	options.team = team;
	options.alive = worker_progress;
	while (parts_order_await(team, order)) {
		const char *path = order->trace < (size_t)o->trace_count ? o->traces[order->trace] : "";
		char error[READER_ERROR_SIZE];
		struct reader *r = reader_open(path, o->source, error, sizeof(error));
		struct model *m = model_new(&options);

		parts_order_obey(team, m, r, path, order);
		model_free(m);
		reader_close(r);
	}
	free(order);
	team->leave(team);
	return STATUS_OK;
}

/* What timelines of several traces have to know before the first one is read. */
struct outlook {
	char host[256];		/* of the first that says it */
	bool hosts;		/* there are several */
	int64_t zero;		/* when the first of their clocks began, ns since 1970: nothing is before it */
};

static void look_at(struct outlook *l, const struct reader_info *info)
{
	l->hosts |= *l->host && *info->host && strcmp(l->host, info->host);
	if (!*l->host)
		snprintf(l->host, sizeof(l->host), "%s", info->host);
	if (info->clock_offset >= 0 && info->clock_offset < l->zero)
		l->zero = info->clock_offset;
}

/* What cannot be opened says so later. */
static struct outlook look_ahead(const struct options *o, char *const *broken)
{
	struct outlook l = { .zero = INT64_MAX };
	char error[READER_ERROR_SIZE];

	for (int i = 0; i < o->trace_count && o->trace_count > 1; i++) {
		struct reader *r = broken[i] ? NULL : reader_open(o->traces[i], o->source, error, sizeof(error));

		if (r)
			look_at(&l, reader_info(r));
		reader_close(r);
	}
	return l;
}

/*
 * Single events are written while they are read, but how far the clocks of hosts are apart is known
 * when all has been read: so it is read twice.
 */
static void read_clocks(const struct options *o, const struct model_options *options, struct worker *w,
			char *const *broken, struct export *x)
{
	struct model_options whole = *options;
	struct options silent = *o;
	struct model *m;

	silent.quiet = true;
	silent.verbose = false;
	whole.event = NULL;
	whole.from = INT64_MIN;
	whole.to = INT64_MAX;
	whole.phase = NULL;
	m = model_new(&whole);
	if (read_traces(&silent, m, w, broken) != STATUS_NOTHING)
		export_clocks(x, m);
	model_free(m);
}

/* Single events are written while they are read, by one clock. */
static void set_clock(const struct options *o, const struct model_options *options, struct worker *w,
		      char *const *broken, struct export *x)
{
	struct outlook l = look_ahead(o, broken);

	if (l.zero < INT64_MAX)
		export_zero(x, (uint64_t)l.zero);
	if (l.hosts)
		read_clocks(o, options, w, broken, x);
}

/* When the phases begin and end is known only when all has been read: then it is read again. */
static struct model *read_phase(const struct options *o, const struct model_options *options,
				struct worker *w, char *const *broken, int *status)
{
	struct model_options all = *options, one = *options;
	struct options quiet = *o;
	struct model *whole, *part;
	struct time_range *ranges;

	all.phase = NULL;
	all.event = NULL;
	all.from = INT64_MIN;
	all.to = INT64_MAX;
	quiet.quiet = true;
	quiet.verbose = false;
	whole = model_new(&all);
	*status = read_traces(&quiet, whole, w, broken);
	one.ranges = ranges = *status == STATUS_NOTHING ? NULL : chosen_phase(o, whole, say);
	if (!ranges && *status != STATUS_NOTHING) {
		*status = STATUS_USAGE;
		return whole;
	}
	part = model_new(&one);
	*status = read_traces(o, part, w, broken);
	phases_keep(part, whole);
	part->options.ranges = NULL;
	model_free(whole);
	free(ranges);
	return part;
}

/* Is there anything to report? */
static bool is_something(int status)
{
	return status != STATUS_NOTHING && status != STATUS_USAGE;
}

static int make_report(const struct options *o, struct team *team, struct worker *w, char *const *broken)
{
	struct model_options options = o->model;
	struct model *m;
	struct report *r = report_new();
	int status, written = STATUS_OK, conditions;
	struct unwritten unwritten = { o, &written };
	struct export *exports;

	progress.shown = !o->quiet && isatty(STDERR_FILENO) == 1;
	progress.begin = now();
	progress.traces = o->trace_count;
	options.progress = show_progress;
	exports = start_exports(o, &written);
	if (exports) {
		options.event = export_event;
		options.event_data = exports;
	}
	options.alive = worker_progress;
	options.team = team;
	if (exports)
		set_clock(o, &options, w, broken, exports);
	if (o->model.phase) {
		m = read_phase(o, &options, w, broken, &status);
	} else {
		m = model_new(&options);
		status = read_traces(o, m, w, broken);
	}
	if (team)
		parts_order_end(team);
	w->stage = STAGE_REPORTING;
	worker_progress();
	if (is_something(status) && chosen_nothing(o, m, say))
		status = STATUS_USAGE;
	if (is_something(status)) {
		int unwritten_before = written;

		analyses_run(m, r);
		if (o->verify && certificate_make(o, m, r, worker_progress))
			status = STATUS_PARTLY;
		written = write_outputs(o, r);
		written = written ? written : unwritten_before;
		conditions = check_conditions(o, m, r);
		status = conditions ? conditions : status;
	}
	export_finish(exports, m, is_something(status) ? r : NULL, export_failed, &unwritten);
	if (is_something(status) && written)
		status = written;
	report_free(r);
	model_free(m);
	return status;
}

static int report(const struct options *o, struct worker *w, char *const *broken)
{
	struct team *team = NULL;
	char error[READER_ERROR_SIZE];
	int status;

	if (team_is_meant()) {
		team = team_join(worker_progress, error, sizeof(error));
		if (!team) {
			say(o, NULL, error);
			return STATUS_USAGE;
		}
		if (team->rank)
			return help(o, team);
	}
	status = make_report(o, team, w, broken);
	if (team)
		team->leave(team);
	return status;
}

/* STATUS_OK, or what could not be read. */
static int dump_traces(const struct options *o, struct worker *w, char *const *broken, FILE *out)
{
	int status = STATUS_OK, unread = 0;

	for (int i = 0; i < o->trace_count; i++) {
		char error[READER_ERROR_SIZE] = "";
		struct reader_event event;
		struct reader *r;

		w->trace = i;
		r = broken[i] ? NULL : open_trace(o, o->traces[i], error);
		if (!r) {
			say(o, broken[i] ? o->traces[i] : NULL, broken[i] ? broken[i] : error);
			status = STATUS_PARTLY;
			unread++;
			continue;
		}
		text_write_header(out, reader_info(r));
		while (reader_next(r, &event) > 0)
			text_write_event(out, reader_info(r), &event);
		reader_end(r);
		text_write_end(out, reader_info(r));
		if (say_problems(o, o->traces[i], reader_info(r)) && !status)
			status = STATUS_PARTLY;
		reader_close(r);
	}
	w->stage = STAGE_REPORTING;
	return unread == o->trace_count ? STATUS_NOTHING : status;
}

/* Prints the events of the traces, one after another. */
static int dump(const struct options *o, struct worker *w, char *const *broken)
{
	const char *path = o->outputs[0].path;
	struct output out;
	int status = STATUS_OK, err = output_open(&out, path);

	if (!err) {
		status = dump_traces(o, w, broken, out.file);
		err = output_close(&out, status == STATUS_NOTHING ? -ENODATA : 0);
	}
	if (!err || err == -ENODATA)
		return status;
	say_unwritten(o, strcmp(path, "-") ? path : "standard output", -err);
	return STATUS_UNWRITTEN;
}

/* What a bundle brings, for the libraries that look for it; a choice of the user's own stands. */
static void use_bundled(void)
{
	char path[PATH_MAX];

	if (place_find("babeltrace-plugin-ctf.so", DLT_LIBEXECDIR, path) == 0) {
		*strrchr(path, '/') = '\0';
		setenv("BABELTRACE_PLUGIN_PATH", path, 0);
	}
	if (place_find("fonts.conf", DLT_PKGDATADIR, path) == 0)
		setenv("FONTCONFIG_FILE", path, 0);
}

int main(int argc, char **argv)
{
	struct options o;

	use_bundled();
	options_parse(&o, argc, argv);
	if (o.live)
		return live_run(&o);
	return worker_run(&o, o.dump ? dump : report);
}
