/* SPDX-License-Identifier: MIT */
/* Parses the command line of dltrace-report. */
#include "analysis/options.h"

#include <argp.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config.h"
#include "analysis/inputs.h"
#include "analysis/labels.h"
#include "analysis/options_check.h"
#include "analysis/phases.h"
#include "analysis/report/figure.h"
#include "record/units.h"
#include "record/unknown_option.h"

#define LABELS_MAX	1024
#define BASELINES_MAX	1024
#define WIDTH_DEFAULT	80
#define WIDTH_MIN	40
#define WIDTH_MAX	1000
#define JOBS_MOST	256

enum key {
	KEY_FIGURE = 0x100, KEY_TITLE, KEY_SIZE, KEY_DPI, KEY_STYLE, KEY_TABLE, KEY_PROCESS, KEY_RANK, KEY_HOST,
	KEY_FRAMEWORK, KEY_FUNCTION,
	KEY_LAYER, KEY_PHASE, KEY_FROM, KEY_TO, KEY_MIN_SHARE, KEY_COLOR, KEY_WIDTH, KEY_SOURCE,
	KEY_DUMP, KEY_FAIL_IF, KEY_LIVE, KEY_LABEL, KEY_BASELINE, KEY_VERIFY,
	KEY_COUNT, KEY_INTERVAL, KEY_HANG, KEY_JOBS,
};

static const struct argp_option table[] = {
	{ 0, 0, 0, 0, "What is written (text on standard output without any of these):", 1 },
	{ "output", 'o', "FILE", 0, "by its ending: %s; a folder of all tables or figures when "
	  "it ends in / (NAME.csv/); - is standard output; may be repeated", 1 },
	{ "format", 'f', "FORMAT", 0, "text, markdown, json, ..., where the ending of FILE does not tell", 1 },
	{ "figure", KEY_FIGURE, "NAME", 0, "only this one: %s", 1 },
	{ "title", KEY_TITLE, "TEXT", 0, "of figures, in place of their own; '' for none", 1 },
	{ "size", KEY_SIZE, "WIDTH[xHEIGHT]", 0, "of figures: 85mm, 8.5cm, 3.3in, 240pt, "
	  "600x400px", 1 },
	{ "dpi", KEY_DPI, "NUMBER", 0, "pixels an inch of a PNG", 1 },
	{ "style", KEY_STYLE, "NAME", 0, "of figures: paper, slide, dark, mono", 1 },
	{ "table", KEY_TABLE, "NAME", 0, "only this one: breakdown, shares, processes, threads, "
	  "heap, series, ... (those of the JSON)", 1 },
	{ 0, 0, 0, 0, "What is looked at:", 2 },
	{ "process", KEY_PROCESS, "PID|GLOB", 0, "processes with this pid or program name", 2 },
	{ "rank", KEY_RANK, "LIST", 0, "processes of these ranks of a distributed training, as 0 "
	  "or 0,4-7", 2 },
	{ "host", KEY_HOST, "GLOB", 0, "processes on these hosts", 2 },
	{ "framework", KEY_FRAMEWORK, "GLOB", 0, "PyTorch, TensorFlow, ... (case ignored)", 2 },
	{ "function", KEY_FUNCTION, "GLOB", 0, "functions", 2 },
	{ "layer", KEY_LAYER, "GLOB", 0, "runtime, driver, blas, dnn, openmp, ...", 2 },
	{ "from", KEY_FROM, "TIME", 0, "from this time after the trace's begin, as 500ms, "
	  "10s, 2m", 2 },
	{ "to", KEY_TO, "TIME", 0, "until that time", 2 },
	{ "min-share", KEY_MIN_SHARE, "PCT", 0, "functions below it become \"other\" (1)", 2 },
	{ "phase", KEY_PHASE, "NAME", 0, "start-up, compilation, warm-up, steady or end: only what "
	  "happened then (reads the traces twice)", 2 },
	{ 0, 0, 0, 0, "What several traces are compared by:", 3 },
	{ "label", KEY_LABEL, "[GLOB:]KEY=VALUE", 0, "say what the traces with such a path are: "
	  "model=resnet50, dataset=small, ...; those with the same labels are repetitions", 3 },
	{ "baseline", KEY_BASELINE, "TRACE", 0, "compare the others with this one, and with others "
	  "of its kind when repeated (or a pattern, in quotes)", 3 },
	{ "fail-if", KEY_FAIL_IF, "CONDITION", 0, "exit with 3 when it holds: 'total>+5%', "
	  "'rss_peak>2G', 'function:cuda*>+10ms', 'epoch>+5% surely'; may be repeated", 3 },
	{ 0, 0, 0, 0, "How:", 4 },
	{ "color", KEY_COLOR, "WHEN", OPTION_ARG_OPTIONAL, "auto (on a terminal, unless NO_COLOR "
	  "is set), always, never", 4 },
	{ "width", KEY_WIDTH, "COLUMNS", 0, "of text (the terminal's, else 80)", 4 },
	{ "source", KEY_SOURCE, "WHICH", 0, "decoder: fast, babeltrace2 or text (by the "
	  "trace)", 4 },
	{ "jobs", KEY_JOBS, "N", 0, "processes that decode a trace (as many as there are cores)", 4 },
	{ "dump", KEY_DUMP, 0, 0, "print the events as text that dltrace-report reads back", 4 },
	{ "verify", KEY_VERIFY, "full", OPTION_ARG_OPTIONAL, "check that the traces agree with themselves "
	  "and print a certificate instead of a report; full: read them by both decoders too", 4 },
	{ "live", KEY_LIVE, 0, 0, "watch a recording that runs, as top does: TRACE is a pid of "
	  "dltrace-record or of a process that it records, or the folder, or is left out", 4 },
	{ "count", KEY_COUNT, "N", 0, "with --live: so many times, as text", 4 },
	{ "interval", KEY_INTERVAL, "TIME", 0, "with --live: between two of them (1s)", 4 },
	{ "hang", KEY_HANG, "TIME", 0, "with --live: show calls that have not returned for so long "
	  "(1s)", 4 },
	{ "quiet", 'q', 0, 0, "say nothing about what could not be read", 4 },
	{ "verbose", 'v', 0, 0, "say what is read and how fast, and all findings with their evidence", 4 },
	{ 0 },
};

/* What argp calls back for needs more than the options themselves. */
struct parse {
	struct options *o;
	const char *paths[OUTPUTS_MAX];
	const char *format, *color;
	const char *labels[LABELS_MAX], *baselines[BASELINES_MAX];
	size_t labels_said, baselines_said;
};

static int64_t time_option(const char *text, const char *name)
{
	uint64_t ns = 0;
	int err = parse_time(text, &ns);

	if (err)
		wrong("--%s: %s: %s", name, text, time_refusal(err));
	return (int64_t)ns;
}

/* 0 is an option that was not given. */
static uint64_t some_time_option(const char *text, const char *name)
{
	int64_t ns = time_option(text, name);

	if (!ns)
		wrong("--%s: %s: a time above 0 is needed, as 1s", name, text);
	return (uint64_t)ns;
}

static uint64_t count_option(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !n)
		wrong("--count: %s: a number from 1 on is needed", text);
	return n;
}

static double share_option(const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")) || !(percent >= 0 && percent <= 100))
		wrong("--min-share: %s: a percentage from 0 to 100 is needed", text);
	return percent / 100;
}

/* N or N-M, separated by commas: what the model then reads without a doubt. */
static const char *rank_option(const char *text)
{
	const char *p = text;

	for (;; p++) {
		const char *begin = p, *range = NULL;
		size_t first = strspn(p, "0123456789"), last = 1;

		p += first;
		if (*p == '-') {
			range = p + 1;
			last = strspn(p + 1, "0123456789");
			p += last + 1;
		}
		if (!first || !last || first > 9 || last > 9 || (*p && *p != ','))
			wrong("--rank: %s: ranks are needed, as 0 or 0,4-7", text);
		if (range && atoi(begin) > atoi(range))
			wrong("--rank: %s: no rank is in %.*s: the smaller one comes first", text,
			      (int)(p - begin), begin);
		if (!*p)
			return text;
	}
}

static int width_option(const char *text)
{
	char *end;
	long columns = strtol(text, &end, 10);

	if (end == text || *end || columns < WIDTH_MIN || columns > WIDTH_MAX)
		wrong("--width: %s: a number from %d to %d is needed", text, WIDTH_MIN,
			   WIDTH_MAX);
	return (int)columns;
}

static unsigned jobs_option(const char *text)
{
	char *end;
	unsigned long jobs = strtoul(text, &end, 10);

	if (end == text || *end || jobs < 1 || jobs > JOBS_MOST)
		wrong("--jobs: %s: a number from 1 to %d is needed", text, JOBS_MOST);
	return (unsigned)jobs;
}

static enum reader_source source_option(const char *text)
{
	static const struct { const char *name; enum reader_source source; } sources[] = {
		{ "auto", READER_AUTO }, { "fast", READER_FAST },
		{ "babeltrace2", READER_BABELTRACE }, { "text", READER_TEXT },
	};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i].name, text))
			return sources[i].source;
	wrong("--source: %s: one of auto, fast, babeltrace2, text is needed", text);
	return READER_AUTO;
}

static void add_label(struct parse *p, const char *text)
{
	size_t key = label_option_key(text);

	if (!key)
		wrong("--label: %s: KEY=VALUE is needed, as model=resnet50, or a pattern of "
			   "paths before it, as 'runs/a*:model=resnet50'", text);
	for (size_t i = 0; i < p->labels_said; i++)
		if (!strncmp(p->labels[i], text, key) && strcmp(p->labels[i], text))
			wrong("--label: %s: it is %s already", text, p->labels[i]);
	if (p->labels_said == LABELS_MAX)
		wrong("more than %d labels", LABELS_MAX);
	p->labels[p->labels_said++] = text;
}

static void add_baseline(struct parse *p, const char *text)
{
	if (p->baselines_said == BASELINES_MAX)
		wrong("more than %d baselines", BASELINES_MAX);
	p->baselines[p->baselines_said++] = text;
}

/* How figures look. */
static void looks_option(struct looks *l, int key, const char *arg)
{
	if (key == KEY_SIZE && !looks_size(l, arg))
		wrong("--size: %s: a size with a unit is needed, from 1in to 200in, as "
			   "85mm, 8.5cm, 3.3in, 240pt or 600x400px", arg);
	if (key == KEY_DPI && !looks_dpi(l, arg))
		wrong("--dpi: %s: a number from 36 to 2400 is needed", arg);
	if (key == KEY_STYLE && !looks_style(l, arg))
		wrong("--style: %s: one of paper, slide, dark, mono is needed", arg);
}

static void add_condition(struct options *o, const char *text)
{
	char error[1024];

	if (o->condition_count == CONDITIONS_MAX)
		wrong("more than %d conditions", CONDITIONS_MAX);
	if (condition_parse(&o->conditions[o->condition_count++], text, error, sizeof(error)))
		wrong("%s", error);
}

static void add_output(struct parse *p, const char *path)
{
	if (!*path)
		wrong("-o: a file is needed");
	if (p->o->output_count == OUTPUTS_MAX)
		wrong("more than %d outputs", OUTPUTS_MAX);
	p->paths[p->o->output_count++] = path;
}

/* Options that are kept as they are. */
static bool keep_string(struct options *o, int key, const char *arg)
{
	static const struct { int key; size_t offset; } strings[] = {
		{ KEY_FIGURE, offsetof(struct options, writing.figure) },
		{ KEY_TITLE, offsetof(struct options, writing.looks.title) },
		{ KEY_TABLE, offsetof(struct options, writing.table) },
		{ KEY_PROCESS, offsetof(struct options, model.process) },
		{ KEY_HOST, offsetof(struct options, model.host) },
		{ KEY_FRAMEWORK, offsetof(struct options, model.framework) },
		{ KEY_FUNCTION, offsetof(struct options, model.function) },
		{ KEY_LAYER, offsetof(struct options, model.layer) },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (strings[i].key != key)
			continue;
		*(const char **)((char *)o + strings[i].offset) = arg;
		return true;
	}
	return false;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	struct options *o = p->o;

	if (keep_string(o, key, arg))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		state->err_stream = NULL;	/* else a second line of argp's own */
		return 0;
	case 'o':
		add_output(p, arg);
		return 0;
	case 'f':
		p->format = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = o->writing.verbose = true;
		return 0;
	case KEY_FROM:
		o->model.from = time_option(arg, "from");
		return 0;
	case KEY_TO:
		o->model.to = time_option(arg, "to");
		return 0;
	case KEY_MIN_SHARE:
		o->model.min_share = share_option(arg);
		return 0;
	case KEY_COLOR:
		p->color = arg ? arg : "always";
		return 0;
	case KEY_SIZE:
	case KEY_DPI:
	case KEY_STYLE:
		looks_option(&o->writing.looks, key, arg);
		return 0;
	case KEY_WIDTH:
		o->writing.width = width_option(arg);
		return 0;
	case KEY_SOURCE:
		o->source = source_option(arg);
		return 0;
	case KEY_JOBS:
		o->model.jobs = jobs_option(arg);
		return 0;
	case KEY_DUMP:
		o->dump = true;
		return 0;
	case KEY_LIVE:
		o->live = true;
		return 0;
	case KEY_COUNT:
		o->live_count = count_option(arg);
		return 0;
	case KEY_INTERVAL:
		o->live_interval = some_time_option(arg, "interval");
		return 0;
	case KEY_HANG:
		o->live_hang = some_time_option(arg, "hang");
		return 0;
	case KEY_VERIFY:
		if (arg && strcmp(arg, "full"))
			wrong("--verify=%s: only --verify and --verify=full are known", arg);
		o->verify = arg ? VERIFY_FULL : VERIFY_YES;
		return 0;
	case KEY_RANK:
		o->model.rank = rank_option(arg);
		return 0;
	case KEY_LABEL:
		add_label(p, arg);
		return 0;
	case KEY_BASELINE:
		add_baseline(p, arg);
		return 0;
	case KEY_FAIL_IF:
		add_condition(o, arg);
		return 0;
	case KEY_PHASE:
		if (!phase_known(arg))
			wrong("--phase: %s: one of start-up, compilation, warm-up, steady, end is "
				   "needed", arg);
		o->model.phase = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->traces = state->argv + state->next;
		o->trace_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!o->live)
			wrong("a trace is needed: a folder that dltrace-record wrote");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A format that cannot be written: `option` asks for it, as "-f html" or "-o x.html". */
static _Noreturn void no_writer(const char *option, const char *value, const struct writer *w)
{
	const char *package = w->package;

	wrong("%s %s: %s is not %s%s%s", option, value, w->name,
	      package ? "built in: install " : "available in this build", package ? package : "",
	      package ? ", then configure and make again" : "");
}

/* Names of those that this build has; valid until the next call. */
static const char *formats(void)
{
	static char names[512];
	size_t used = 0;

	for (size_t i = 0; i < writer_count && used < sizeof(names); i++)
		if (writers[i].write || writers[i].pages == PAGES_EVENTS)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", writers[i].name);
	return names;
}

static const struct writer *format_option(const char *name)
{
	const struct writer *w = name ? writer_by_name(name) : NULL;

	if (name && !w)
		wrong("-f %s: no such format; there are %s", name, formats());
	if (w && !w->write && w->pages != PAGES_EVENTS)
		no_writer("-f", name, w);
	return w;
}

/* Files, and the folders of formats that have pages, or are one. */
static void check_form(const char *path, const struct writer *w)
{
	size_t length = strlen(path);
	bool pages = w->pages == PAGES_TABLES || w->pages == PAGES_FIGURES;

	if (!strcmp(path, "-") && w->folder)
		wrong("%s is a folder: -o NAME%s", w->name, w->ending);
	if (pages || w->folder || !length || path[length - 1] != '/')
		return;
	while (length > 1 && path[length - 1] == '/')
		length--;
	wrong("-o %s: %s is one file: -o %.*s", path, w->name, (int)length, path);
}

/* A name with a known ending means that, unless -f says what the rest means. */
static void choose_writers(struct parse *p)
{
	const struct writer *format = format_option(p->format);
	struct options *o = p->o;

	if (!o->output_count)
		p->paths[o->output_count++] = "-";
	for (int i = 0; i < o->output_count; i++) {
		const char *path = p->paths[i];
		const struct writer *w = strcmp(path, "-") ? writer_by_path(path) : NULL;

		if (!w && format)
			w = format;
		if (!w && strcmp(path, "-"))
			wrong("-o %s: its ending tells no format, nor does -f; there are %s", path,
			      writer_endings());
		if (!w)
			w = writer_by_name("text");
		if (!w->write && w->pages != PAGES_EVENTS)
			no_writer("-o", path, w);
		check_form(path, w);
		o->outputs[i] = (struct output_file){ path, w };
	}
}

/* Of --help and --version, which end the program; what a report does not reach says its own. */
static bool parsing;

static void end_output(void)
{
	errno = 0;
	if (!parsing || (!fflush(stdout) && !ferror(stdout)))
		return;
	fprintf(stderr, "dltrace-report: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
	_exit(STATUS_UNWRITTEN);
}

/* With a pattern that no path has, it would be said of nothing. */
static void check_label(const struct options *o, const char *label)
{
	int i = 0;

	while (i < o->trace_count && !label_option_fits(label, o->traces[i]))
		i++;
	if (i == o->trace_count)
		wrong("--label %s: no trace has a path that matches; there %s %s%s", label,
		      i == 1 ? "is" : "are", o->traces[0], i > 1 ? ", ..." : "");
}

static void choose_traces(struct options *o, const struct parse *p)
{
	size_t i = inputs_choose(o, p->baselines, p->baselines_said);

	if (i < p->baselines_said)
		wrong("--baseline %s: cannot look for it", p->baselines[i]);
	for (i = 0; i < p->labels_said && o->trace_count; i++)
		check_label(o, p->labels[i]);
	o->model.labels = p->labels;
	o->model.label_count = p->labels_said;
}

static void choose_looks(struct options *o, const char *color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = isatty(STDOUT_FILENO) == 1;
	struct winsize size;

	if (color && strcmp(color, "auto") && strcmp(color, "always") && strcmp(color, "never"))
		wrong("--color=%s: one of auto, always, never is needed", color);
	if (color && strcmp(color, "auto"))
		o->writing.color = !strcmp(color, "always");
	else
		o->writing.color = terminal && !(no_color && *no_color) &&
				   !(term && !strcmp(term, "dumb"));
	o->color_always = color && !strcmp(color, "always");
	if (!o->writing.width && terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		o->writing.width = size.ws_col < WIDTH_MIN ? WIDTH_MIN :
				   size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
	if (!o->writing.width)
		o->writing.width = WIDTH_DEFAULT;
}

/* Only the width and kind of characters follow the locale: numbers look the same everywhere. */
static void choose_characters(struct options *o)
{
	setlocale(LC_CTYPE, "");
	o->writing.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	wrong_unicode = o->writing.unicode;
	if (!o->writing.unicode)
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Lists that stand elsewhere, in place of %s. */
static char *fill_help(int key, const char *text, void *input)
{
	char *list = key == KEY_FIGURE ? figure_names() : key == 'o' ? writer_endings() : NULL;
	const char *at = list && text ? strstr(text, "%s") : NULL;
	char *filled = NULL;

	(void)input;
	if (at && asprintf(&filled, "%.*s%s%s", (int)(at - text), text, list, at + 2) < 0)
		filled = NULL;
	free(list);
	return filled ? filled : (char *)(uintptr_t)text;
}

void options_parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = parse_option,
		.help_filter = fill_help,
		.args_doc = "TRACE...\n--live [PID|TRACE]",
		.doc = "Reports what was recorded in TRACE: a folder written by dltrace-record, or "
		       "any LTTng trace with events of dltrace. Several are compared in one report.\v"
		       "Exit status: 0; 1 something could not be read, the rest is reported, or a "
		       "check of --verify failed; 2 the "
		       "command line is wrong, or asks for what is not available yet; 3 a "
		       "condition of --fail-if holds; 4 nothing could be read; 5 an output could not be written.",
	};
	static struct parse p;	/* the labels stay */
	char line[1024];
	bool plain;

	p.o = o;

	*o = (struct options){ .model = MODEL_OPTIONS_INIT };
	choose_characters(o);
	argp_program_version = "dltrace-report " PACKAGE_VERSION;
	argp_err_exit_status = STATUS_USAGE;
	argv[0] = program_invocation_short_name;	/* getopt's messages begin with it */
	parsing = true;
	atexit(end_output);
	if (unknown_option(table, argc, argv, false, line, sizeof(line)))
		wrong("%s", line);
	if (argp_parse(&argp, argc, argv, 0, NULL, &p) != 0)
		exit(STATUS_USAGE);
	parsing = false;
	choose_traces(o, &p);
	looks_finish(&o->writing.looks);
	plain = o->output_count || p.format;
	choose_writers(&p);
	choose_looks(o, p.color);
	options_check(o, plain);
}
