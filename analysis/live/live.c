/* SPDX-License-Identifier: MIT */
/* The loop of --live: looks, shows, listens to keys; nothing in it waits without limit. */
#include "analysis/live/live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/report/escape.h"
#include "sampler/ticks.h"

#define CHECK 200000000ull	/* ns between looks whether the recording still runs */

static volatile sig_atomic_t stopped_by;

static void on_signal(int number)
{
	stopped_by = number;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

struct live {
	const struct options *o;
	struct live_watch watch;
	struct live_view view;
	struct live_lines lines;
	bool screen, json, quit;
	FILE *out;
	uint64_t shown;		/* refreshes */
};

static void say(const char *text, const char *what)
{
	char *clean = text_clean(what, false);

	fprintf(stderr, "dltrace-report: --live: %s%s\n", text, clean);
	free(clean);
}

/* ---- showing ---- */

static void print_plain(struct live *l)
{
	for (size_t i = 0; i < l->lines.count; i++)
		fprintf(l->out, "%s\n", l->lines.list[i].text);
	fputc('\n', l->out);
	fflush(l->out);
}

static void show(struct live *l)
{
	if (l->json) {
		live_json(l->out, &l->watch);
		return;
	}
	if (l->screen)
		live_screen_size(&l->view.width, &l->view.height);
	live_draw(&l->lines, &l->watch, &l->view);
	if (l->screen)
		live_screen_show(&l->lines);
	else
		print_plain(l);
}

static void toggle(struct live_view *v, enum live_pane pane)
{
	v->pane = v->pane == pane ? PANE_FUNCTIONS : pane;
}

static void press(struct live *l, enum live_key key)
{
	struct live_view *v = &l->view;

	switch (key) {
	case PRESSED_NOTHING:
		return;
	case PRESSED_QUIT:
		l->quit = true;
		return;
	case PRESSED_UP:
	case PRESSED_DOWN:
		live_move(&l->watch, v, key == PRESSED_UP ? -1 : 1);
		break;
	case PRESSED_PICK:
		v->picked = v->picked == v->cursor ? 0 : v->cursor;
		break;
	case PRESSED_THREADS:
		toggle(v, PANE_THREADS);
		break;
	case PRESSED_FUNCTIONS:
		v->pane = PANE_FUNCTIONS;
		break;
	case PRESSED_HELP:
		toggle(v, PANE_HELP);
		break;
	case PRESSED_PAUSE:
		v->paused = !v->paused;
		break;
	case PRESSED_ORDER:
		v->order = (v->order + 1) % ORDERS;
		break;
	case PRESSED_FUNCTION_ORDER:
		v->function_order = (v->function_order + 1) % FUNCTION_ORDERS;
		break;
	case PRESSED_REDRAW:
		break;
	}
	show(l);
}

/* ---- the loop ---- */

static void refresh(struct live *l)
{
	live_watch_refresh(&l->watch);
	if (l->view.paused)
		return;
	show(l);
	l->shown++;
}

static bool is_done(const struct live *l)
{
	return l->quit || stopped_by || ferror(l->out) || (l->o->live_count && l->shown >= l->o->live_count);
}

static void wait_a_step(const struct live *l)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	poll(&in, l->screen, (int)(PERIOD_STEP / 1000000));
}

/* True: the recording has ended. */
static bool loop(struct live *l)
{
	uint64_t now = ticks_monotonic(), check = now + CHECK;
	/* A screen is not left empty; text without rates helps nobody. */
	uint64_t next = l->screen ? now : now + l->o->live_interval;

	while (!is_done(l)) {
		now = ticks_monotonic();
		if (now >= check) {
			check = now + CHECK;
			if (!live_is_running(l->watch.recording))
				return true;
		}
		if (now >= next) {
			refresh(l);
			/* After a stop in the terminal, the past is not made up for. */
			next = now + l->o->live_interval > next + 2 * l->o->live_interval ?
				       now + l->o->live_interval : next + l->o->live_interval;
			if (is_done(l))
				break;
		}
		wait_a_step(l);
		live_watch_glance(&l->watch);
		for (enum live_key key; l->screen && (key = live_screen_key()) != PRESSED_NOTHING;)
			press(l, key);
	}
	return false;
}

static int nothing_readable(const struct live_watch *w)
{
	if (w->count || w->ended || (!w->foreign && !w->refused))
		return 0;
	say(w->foreign ? "the recording is of another version of dltrace; use its own dltrace-report" :
			 "the recording's black boxes may not be read: Permission denied", "");
	return STATUS_NOTHING;
}

static FILE *open_output(const struct options *o)
{
	const char *path = o->output_count ? o->outputs[0].path : "-";
	FILE *f = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!f)
		fprintf(stderr, "dltrace-report: cannot write %s: %s\n", path, strerror(errno));
	return f;
}

static int finish(struct live *l, bool ended)
{
	const char *trace = l->watch.recording->trace;
	int status = ferror(l->out) ? STATUS_UNWRITTEN : STATUS_OK;

	if (ended && !l->o->quiet)
		say(*trace ? "the recording has ended; its trace: " : "the recording has ended", trace);
	if (l->out != stdout && fclose(l->out))
		status = STATUS_UNWRITTEN;
	live_lines_release(&l->lines);
	live_threads_release(&l->view.threads);
	live_watch_release(&l->watch);
	if (stopped_by) {
		fflush(NULL);
		signal(stopped_by, SIG_DFL);
		raise(stopped_by);
	}
	return status;
}

int live_run(const struct options *o)
{
	struct live_recording recording;
	struct live l = {
		.o = o, .json = !strcmp(o->outputs[0].writer->name, "json"),
		.view = { .width = o->writing.width, .unicode = o->writing.unicode },
	};
	int status = live_find(o->trace_count ? o->traces[0] : NULL, &recording);
	bool ended;

	if (status)
		return status;
	l.out = open_output(o);
	if (!l.out)
		return STATUS_UNWRITTEN;
	live_watch_init(&l.watch, &recording, o->live_hang);
	live_watch_refresh(&l.watch);
	status = nothing_readable(&l.watch);
	if (status)
		return status;
	l.screen = !o->live_plain && !l.json && live_screen_open(o->writing.color);
	l.view.keys = l.screen;
	/* After curses, which has handlers of its own for these. */
	catch_signals();
	ended = loop(&l);
	live_screen_close();
	return finish(&l, ended);
}
