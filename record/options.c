/* SPDX-License-Identifier: MIT */
/* Parses the command line. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "say.h"
#include "tracepoints/log_domains.h"
#include "units.h"
#include "unknown_option.h"

#define MAX_SIZE_LEAST	(1u << 20)	/* of --max-size, bytes */

enum key {
	KEY_SESSION = 0x100, KEY_RELAY, KEY_CHILDREN, KEY_DELAY, KEY_DURATION, KEY_MAX_SIZE,
	KEY_THRESHOLD, KEY_SAMPLE, KEY_REQUIRE, KEY_PRINT, KEY_CONTROL, KEY_ROTATE, KEY_HANG,
	KEY_WAIT, KEY_DEBUG, KEY_GPU, KEY_AUDIT, KEY_LABEL, KEY_IN_PROCESS,
	KEY_STACKS,
};

static const struct argp_option table[] = {
	{ 0, 0, 0, 0, "What is recorded:", 1 },
	{ "level", 'l', "LEVEL", 0, "summary: samples and totals, bounded for any length of run; "
	  "calls (default): every outermost CUDA call, large allocation, thread and process; "
	  "full: every heap call too", 1 },
	{ "threshold", KEY_THRESHOLD, "SIZE", 0, "smallest allocation that is an event (64K)", 1 },
	{ "sample", KEY_SAMPLE, "TIME", 0, "between samples (100ms; 1s at summary)", 1 },
	{ "children", KEY_CHILDREN, "WHICH", 0, "which children are traced: auto (default), all, fork, "
	  "none, or a pattern of program names; the others are counted", 1 },
	{ "delay", KEY_DELAY, "TIME", 0, "start recording so long after the command", 1 },
	{ "duration", KEY_DURATION, "TIME", 0, "stop recording after that; the command runs on", 1 },
	{ "wait", KEY_WAIT, 0, 0, "go on until all processes that the command left behind have ended", 1 },
	{ "hang", KEY_HANG, "TIME", 0, "report calls that take longer (60s)", 1 },
	{ "gpu", KEY_GPU, "WHAT", 0, "off: no CUDA calls; calls (default): what the level has; "
	  "activity: also what runs on the GPU itself, by CUPTI", 1 },
	{ "stacks", KEY_STACKS, 0, 0, "also who asks for memory: the call stack, with Python's lines, of each "
	  "allocation of at least the threshold and of GPU memory", 1 },
	{ "audit", KEY_AUDIT, 0, 0, "also see CUDA calls of callers that a preload misses: RTLD_DEEPBIND, dlmopen", 1 },
	{ 0, 0, 0, 0, "Where it goes:", 2 },
	{ "output", 'o', "DIR", 0, "folder of the trace; %h host, %p pid, %r rank, %q{VAR} variable "
	  "(dltrace-PROGRAM-TIME-PID)", 2 },
	{ "session", KEY_SESSION, "NAME", 0, "into an LTTng session that you already have", 2 },
	{ "relay", KEY_RELAY, "URL", 0, "to an lttng-relayd, as net://host", 2 },
	{ "label", KEY_LABEL, "KEY=VALUE", 0, "say what this run is, for comparisons: model=resnet50, "
	  "dataset=small, ...; may be repeated", 2 },
	{ "rotate", KEY_ROTATE, "TIME", 0, "begin a new part of the trace that often (10m)", 2 },
	{ "max-size", KEY_MAX_SIZE, "SIZE", 0, "keep the newest part only", 2 },
	{ 0, 0, 0, 0, "How:", 3 },
	{ "in-process", KEY_IN_PROCESS, 0, 0, "processes give their events to LTTng themselves, as in a session of "
	  "your own, not by way of their black boxes", 3 },
	{ "require", KEY_REQUIRE, 0, 0, "do not run the command when recording cannot start", 3 },
	{ "print", KEY_PRINT, 0, 0, "print the lttng commands that would do the same, and end", 3 },
	{ "control", KEY_CONTROL, "PID", 0, "tell a running recording: dump, snapshot, level=LEVEL "
	  "or stop; PID is dltrace-record's or that of any process it records", 3 },
	{ "quiet", 'q', 0, 0, "no line at the end", 3 },
	{ "verbose", 'v', 0, 0, "say what is done", 3 },
	{ "debug", KEY_DEBUG, "DOMAINS", 0, "DLTRACE_DEBUG of the command's processes", 3 },
	{ 0 },
};

static void time_option(const char *text, uint64_t *ns, const char *name)
{
	int err = parse_time(text, ns);

	if (err)
		say_and_end("--%s: %s: %s", name, text, time_refusal(err));
}

static void size_option(const char *text, uint64_t *bytes, const char *name)
{
	int err = parse_size(text, bytes);

	if (err)
		say_and_end("--%s: %s: %s", name, text, size_refusal(err));
}

/* These two are passed on as they were written; there 0 means that nothing was asked for. */
static void threshold_option(const char *text, struct options *o)
{
	uint64_t bytes;

	size_option(text, &bytes, "threshold");
	if (!bytes)
		say_and_end("--threshold: %s: 1B is the least", text);
	o->threshold = text;
}

static void sample_option(const char *text, struct options *o)
{
	uint64_t ns;

	time_option(text, &ns, "sample");
	if (ns < 1000000)
		say_and_end("--sample: %s: 1ms is the least", text);
	o->sample = text;
}

/* Nothing would be recorded of nothing. */
static void duration_option(const char *text, struct options *o)
{
	time_option(text, &o->duration, "duration");
	if (!o->duration)
		say_and_end("--duration: %s: a time above 0 is needed", text);
}

/* What describes a trace's events, which stays, takes a part of it. */
static void max_size_option(const char *text, struct options *o)
{
	size_option(text, &o->max_size, "max-size");
	if (o->max_size < MAX_SIZE_LEAST)
		say_and_end("--max-size: %s: 1M is the least", text);
}

static void pid_option(const char *text, int *pid)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || value <= 0 || value > 1 << 22)
		say_and_end("--control: %s: a process id is needed", text);
	*pid = (int)value;
}

static void label_option(const char *text, struct options *o)
{
	size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	if (!key || text[key] != '=' || strchr(text, '\x1f'))
		say_and_end("--label: %s: KEY=VALUE is needed, as model=resnet50", text);
	for (size_t i = 0; i < o->label_count; i++)
		if (!strncmp(o->labels[i], text, key + 1) && strcmp(o->labels[i], text))
			say_and_end("--label: %s: it is %s already", text, o->labels[i]);
	if (o->label_count == LABELS_MAX)
		say_and_end("more than %d labels", LABELS_MAX);
	o->labels[o->label_count++] = text;
}

static const char *filled(const char *text, const char *option, const char *needed)
{
	if (!*text)
		say_and_end("%s: %s is needed", option, needed);
	return text;
}

/* What was misspelt would never speak. */
static void debug_option(const char *text, struct options *o)
{
	size_t length;

	for (const char *name = text;; name += length + 1) {
		length = strcspn(name, ",");
		if (!dlt_log_domain_known(name, length))
			say_and_end("--debug: %.*s: there are " DLT_LOG_DOMAINS(DLT_LOG_LISTED) "and all", (int)length,
				    name);
		if (!name[length])
			break;
	}
	o->debug = text;
}

static void relay_option(const char *text, struct options *o)
{
	size_t scheme = strncmp(text, "net6", 4) == 0 ? 4 : 3;

	if (strncmp(text, "net", 3) != 0 || strncmp(text + scheme, "://", 3) != 0 || !text[scheme + 3])
		say_and_end("--relay: %s: net://HOST is needed", text);
	o->relay = text;
}

static void level_option(const char *text, enum level *level)
{
	int value = level_parse(text);

	if (value < 0)
		say_and_end("--level: %s: one of summary, calls, full is needed", text);
	*level = (enum level)value;
}

static void gpu_option(const char *text, enum gpu *gpu)
{
	int value = gpu_parse(text);

	if (value < 0)
		say_and_end("--gpu: %s: one of off, calls, activity is needed", text);
	*gpu = (enum gpu)value;
}

/* A trace goes to one of them. */
static void check_place(const struct options *o)
{
	const struct {
		const char *option, *value;
	} places[] = { { "-o", o->output }, { "--session", o->session }, { "--relay", o->relay } };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].value && first)
			say_and_end("%s and %s are two places for one trace: take one of them", first,
				    places[i].option);
		first = places[i].value ? places[i].option : first;
	}
}

/* What only a folder of dltrace-record's own can keep to: parts of another session are its owner's. */
static void check_parts(const struct options *o)
{
	const char *option = o->max_size ? "--max-size" : "--rotate";

	if (o->session && (o->max_size || o->rotate_asked))
		say_and_end("%s: not with --session, whose parts lttng enable-rotation makes", option);
	if (o->relay && o->max_size)
		say_and_end("--max-size: not with --relay: lttng-relayd has the parts, and removes none");
}

static void check(const struct options *o)
{
	check_place(o);
	check_parts(o);
	if (o->gpu == GPU_ACTIVITY && o->level == LEVEL_SUMMARY && !o->control_pid)
		say_and_end("--gpu=activity: not at the level summary, whose size would have no bound; take -l calls");
	if (o->stacks && o->level == LEVEL_SUMMARY && !o->control_pid)
		say_and_end("--stacks: not at the level summary, whose size would have no bound; take -l calls");
	if (o->control_pid && !o->command)
		say_and_end("--control: one of dump, snapshot, level=LEVEL, stop is needed");
	if (o->control_pid && o->command[1])
		say_and_end("--control: %s: one request at a time, behind %s", o->command[1], o->command[0]);
	if (!o->control_pid && !o->print && !o->command)
		say_and_end("a command is needed, as in: dltrace-record -- python3 train.py");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->err_stream = NULL;	/* else a second line of argp's own */
		return 0;
	case 'l':
		level_option(arg, &o->level);
		return 0;
	case 'o':
		o->output = filled(arg, "-o", "a folder");
		return 0;
	case 'q':
		loudness = QUIET;
		return 0;
	case 'v':
		loudness = VERBOSE;
		return 0;
	case KEY_SESSION:
		o->session = filled(arg, "--session", "the name of an LTTng session");
		return 0;
	case KEY_RELAY:
		relay_option(arg, o);
		return 0;
	case KEY_CHILDREN:
		o->children = filled(arg, "--children", "one of auto, all, fork, none, or a pattern");
		return 0;
	case KEY_DELAY:
		time_option(arg, &o->delay, "delay");
		return 0;
	case KEY_DURATION:
		duration_option(arg, o);
		return 0;
	case KEY_ROTATE:
		time_option(arg, &o->rotate, "rotate");
		o->rotate_asked = true;
		return 0;
	case KEY_HANG:
		time_option(arg, &o->hang, "hang");
		return 0;
	case KEY_MAX_SIZE:
		max_size_option(arg, o);
		return 0;
	case KEY_THRESHOLD:
		threshold_option(arg, o);
		return 0;
	case KEY_SAMPLE:
		sample_option(arg, o);
		return 0;
	case KEY_DEBUG:
		debug_option(arg, o);
		return 0;
	case KEY_LABEL:
		label_option(arg, o);
		return 0;
	case KEY_IN_PROCESS:
		o->in_process = true;
		return 0;
	case KEY_REQUIRE:
		o->require = true;
		return 0;
	case KEY_PRINT:
		o->print = true;
		return 0;
	case KEY_WAIT:
		o->wait = true;
		return 0;
	case KEY_CONTROL:
		pid_option(arg, &o->control_pid);
		return 0;
	case KEY_GPU:
		gpu_option(arg, &o->gpu);
		return 0;
	case KEY_AUDIT:
		o->audit = true;
		return 0;
	case KEY_STACKS:
		o->stacks = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void options_parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = parse_option,
		.args_doc = "-- COMMAND [ARGUMENT...]\n--control PID dump|snapshot|level=LEVEL|stop",
		.doc = "Runs COMMAND and records what it and its children do with the machine: threads, "
		       "CPU, memory, heap, CUDA calls.\v"
		       "Exit status: the command's own, 128 + n after signal n; 125 when dltrace-record "
		       "itself failed, 126 and 127 when the command cannot be run or found. "
		       "dltrace-report shows what was recorded.",
	};
	char line[1024];

	*o = (struct options){
		.level = LEVEL_CALLS, .gpu = GPU_CALLS, .rotate = 600000000000ULL, .hang = 60000000000ULL,
	};
	argp_program_version = "dltrace-record " PACKAGE_VERSION;
	argp_err_exit_status = EXIT_OWN;
	argv[0] = program_invocation_short_name;	/* getopt's messages begin with it */
	if (unknown_option(table, argc, argv, true, line, sizeof(line)))
		say_and_end("%s", line);
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o) != 0)
		exit(EXIT_OWN);
	check(o);
}
