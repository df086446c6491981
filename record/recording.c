/* SPDX-License-Identifier: MIT */
/* The recipe of a recording: folders, keeper, sampler, command, loop, end. */
#include "recording.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "carried.h"
#include "child.h"
#include "control.h"
#include "environment.h"
#include "folder.h"
#include "helper.h"
#include "keeper.h"
#include "label.h"
#include "message.h"
#include "place.h"
#include "remark.h"
#include "say.h"
#include "summary.h"
#include "units.h"

/* Limits of waits, ms: none of them is reached where nothing is broken. */
#define SAMPLER_START	5000
#define SAMPLER_END	15000
#define KEEPER_END	20000
#define KEEPER_FULL	3000	/* while it ends recording since the disk is full */
#define LAST_LOOK	100	/* but this one, on a busy machine: less is known then */

#define SAMPLERS	3	/* that are started in place of one that has died */

struct recording {
	struct options options;		/* with the level that there is room for */
	const struct options *o;
	uint64_t id;
	char output[PATH_MAX];		/* absolute; "": nothing on this machine's disk */
	bool made;			/* that folder; else the user has */
	char program[PATH_MAX];		/* the command's file */
	char library[PATH_MAX];		/* what is preloaded; "": nothing */
	struct private_folder home;
	struct keeper keeper;
	struct helper sampler;
	int counts;			/* of all samplers: carried.h */
	struct child child;
	FILE *label;
	bool start_asked, stop_asked, stopped;
	uint64_t started;		/* ns CLOCK_MONOTONIC; 0: not yet */
	unsigned samplers;		/* that have died */
	bool answered;			/* the sampler: it listens, or has looked at the command, which has ended */
	bool ending;			/* the sampler was told to finish */
	bool waiting;			/* the command has ended, others have not (--wait) */
	bool private_daemon;
	int listener;			/* --control; or -1 */
	int asker, dumper;		/* who waits for the keeper's, the sampler's answer; or -1 */
	int stopper;			/* who waits for the end of recording; or -1 */
	int survivors;			/* processes alive after the command; -1: not known */
	uint64_t begin;			/* ns CLOCK_MONOTONIC, of the command */
	struct summary summary;
	bool full;			/* the disk: the keeper has just found that, and ends recording */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Do events leave recorded processes by their black boxes? */
static bool has_outboxes(const struct options *o)
{
	return !o->session && !o->in_process;
}

/* ---- starting ------------------------------------------------------------------------------ */

/* A level is told to everybody who is started, so this comes first. */
static void choose_level(struct recording *r)
{
	struct plan_machine machine;

	plan_read_machine(&machine, r->output, !has_outboxes(r->o));
	r->options.level = plan_level(r->o->level, &machine);
}

static int start_keeper(struct recording *r, char *why, size_t size)
{
	struct plan_machine machine;
	struct plan plan;
	char name[64];
	struct keeper_config config = {
		.home = r->home.path, .output = r->output, .session = r->o->session, .name = name,
		.relay = r->o->relay, .plan = &plan, .level = r->o->level, .rotate = r->o->rotate,
		.max_size = r->o->max_size,
	};
	int err;

	plan_read_machine(&machine, r->output, !has_outboxes(r->o));
	config.cpus = machine.cpus;
	err = plan_make(&plan, r->o->level, &machine);
	plan.gpu = r->o->gpu;
	plan.stacks = r->o->stacks;
	plan.wait = has_outboxes(r->o) ? PLAN_WAIT : 0;
	if (err) {
		plan_explain(err, &machine, why, size);
		return err;
	}
	snprintf(name, sizeof(name), "dltrace-%d-%08x", (int)getpid(), (unsigned)r->id);
	err = keeper_launch(&r->keeper, &config);
	if (err)
		snprintf(why, size, "%s: %s", err == -EAGAIN ? "fork" : "socketpair", strerror(-err));
	return err ? err : keeper_ready(&r->keeper, &r->private_daemon, why, size);
}

/* A recording without samples is worth having: its lack is said, and no reason to stop. */
static void start_sampler(struct recording *r)
{
	struct helper_config config = {
		.home = r->home.path, .private_daemon = r->private_daemon, .recording = r->id, .options = r->o,
		.outboxes = has_outboxes(r->o), .counts = r->counts,
	};
	char text[MESSAGE_MAX];
	int err = helper_launch(&r->sampler, &config);

	while (err == 0 && message_receive(r->sampler.fd, text, SAMPLER_START) > 0) {
		if (message_is(text, "ready"))
			return;
		/* Of a process that has ended while there was none. */
		if (message_is(text, "note"))
			label_tell(r->label, message_is(text, "note"));
	}
	snprintf(text, sizeof(text), "2 sampler 0 no samples are recorded: dltrace-sampler %s",
		 err ? strerror(-err) : "does not start");
	label_tell(r->label, text);
	helper_reap(&r->sampler, 0);
}

/* The sampler is told, too: its LTTng sees events enabled a moment before their session takes them. */
static void has_started(struct recording *r)
{
	if (!r->started)
		r->started = now_ns();
	message_send(r->sampler.fd, "started");
}

static int start_tracing(struct recording *r, char *why, size_t size)
{
	int err = keeper_start(&r->keeper, why, size);

	r->start_asked = true;
	if (err == 0)
		has_started(r);
	return err;
}

/* Everything but the command. 0; or why there will be no recording, and -errno or what recording_output_make gives. */
static int prepare(struct recording *r, const char *path, char *why, size_t size)
{
	int err = child_prepare(&r->child);

	if (err == 0 && getrandom(&r->id, sizeof(r->id), 0) != sizeof(r->id))
		err = -errno;
	if (err) {
		snprintf(why, size, "cannot set up: %s", strerror(-err));
		return err;
	}
	err = environment_library(r->program, r->library, why, size);
	if (err == 0)
		err = recording_output_make(r->o, path, r->output, &r->made, why, size);
	if (err)
		return err;
	choose_level(r);
	err = recording_output_take(r->o, path, r->output, r->id, &r->label, why, size);
	if (err)
		return err;
	err = private_folder_make(&r->home);
	if (err) {
		snprintf(why, size, "no private folder on /dev/shm or /tmp: %s", strerror(-err));
		return err;
	}
	err = start_keeper(r, why, size);
	if (err)
		return err;
	r->counts = carried_make();
	start_sampler(r);
	private_folder_point(&r->home, *r->output ? r->output : r->o->session ? r->o->session : r->o->relay);
	r->listener = control_listen(r->home.path);
	label_describe(r->label, r->o);
	return r->o->delay ? 0 : start_tracing(r, why, size);
}

static void abandon(struct recording *r)
{
	helper_reap(&r->sampler, 500);
	message_send(r->keeper.fd, "stop");
	keeper_reap(&r->keeper, 5000);
	private_folder_remove(&r->home);
	/* Of several that were given the same folder what is in it is the one's that has its label. */
	if (r->label) {
		fclose(r->label);
		output_folder_clear(r->output);
	}
	r->label = NULL;
	if (r->made)
		rmdir(r->output);
	r->made = false;
}

/* ---- while the command runs ---------------------------------------------------------------- */

static void note(struct recording *r, const char *text)
{
	message_send(r->sampler.fd, "note %s", text);
	label_tell(r->label, text);
}

/* After --delay: the command runs already. */
static void not_started(struct recording *r, const char *why)
{
	char text[MESSAGE_MAX];

	snprintf(text, sizeof(text), "2 start 0 nothing is recorded: %.1024s", why);
	note(r, text);
}

static void from_keeper(struct recording *r)
{
	char text[MESSAGE_MAX];
	const char *value;

	if (message_receive(r->keeper.fd, text, 0) <= 0) {
		close(r->keeper.fd);
		r->keeper.fd = -1;
		if (!r->stopped)
			note(r, "2 keeper 0 the process that holds the LTTng session has died");
		control_end(&r->asker, "error", "the recording has ended");
		control_end(&r->stopper, "error", "the recording has ended");
	} else if ((value = message_is(text, "note"))) {
		r->full = false;
		note(r, value);
	} else if (message_is(text, "full")) {
		r->full = true;
	} else if (message_is(text, "rotated")) {
		message_send(r->sampler.fd, "again");
	} else if ((value = message_is(text, "done"))) {
		control_end(&r->asker, "ok", value);
	} else if ((value = message_is(text, "failed"))) {
		control_end(&r->asker, "error", value);
	} else if (message_is(text, "started")) {
		has_started(r);
	} else if ((value = message_is(text, "unstarted"))) {
		not_started(r, value);
	} else if ((value = message_is(text, "end"))) {
		summary_keeper_says(&r->summary, value);
		r->stopped = true;
		control_end(&r->stopper, "ok", "stopped");
	}
}

/* What processes have put into their boxes meanwhile is still there: another one goes on with it. */
static void sampler_has_died(struct recording *r)
{
	helper_reap(&r->sampler, 0);
	control_end(&r->dumper, "error", "dltrace-sampler has died");
	if (r->stop_asked && !r->ending)
		message_send(r->keeper.fd, "leave");	/* nobody else says that all is said */
	if (r->samplers++ < SAMPLERS && !r->stop_asked && !r->ending)
		start_sampler(r);
	if (r->sampler.fd >= 0) {
		if (r->started)
			has_started(r);
		if (!r->begin)
			message_send(r->sampler.fd, "listen");	/* the command waits for its answer */
		r->waiting = false;	/* it does not know that its survivors are waited for */
		note(r, "1 sampler 0 dltrace-sampler has died and was started again: samples are missing in between");
		return;
	}
	r->survivors = 0;
	label_tell(r->label, "2 samplers 0 dltrace-sampler has died too often: no more samples, and no more events");
}

static void from_sampler(struct recording *r)
{
	char text[MESSAGE_MAX];
	const char *value;

	if (message_receive(r->sampler.fd, text, 0) <= 0) {
		sampler_has_died(r);
	} else if ((value = message_is(text, "note"))) {
		label_tell(r->label, value);
	} else if (message_is(text, "listening") || message_is(text, "looked")) {
		r->answered = true;
	} else if (message_is(text, "said")) {
		message_send(r->keeper.fd, "leave");
	} else if ((value = message_is(text, "survivors"))) {
		r->survivors = atoi(value);
	} else if ((value = message_is(text, "final"))) {
		summary_sampler_says(&r->summary, value);
	} else if ((value = message_is(text, "line"))) {
		/* Who reads no more holds up nobody a second time. */
		if (r->dumper >= 0 && !control_answer(r->dumper, "%s\n", value)) {
			close(r->dumper);
			r->dumper = -1;
		}
	} else if (message_is(text, "dumped") && r->dumper >= 0) {
		close(r->dumper);
		r->dumper = -1;
	}
}

/* Reads until what is waited for has come, `limit` ms at most. */
static void drain(struct recording *r, int *fd, void (*read_one)(struct recording *), const bool *until, int limit)
{
	uint64_t end = now_ns() + (uint64_t)limit * 1000000;

	while (*fd >= 0 && !*until && now_ns() < end) {
		struct pollfd p = { *fd, POLLIN, 0 };

		if (poll(&p, 1, 100) > 0)
			read_one(r);
	}
}

/* What the first process has to say is wanted from its first moment on. */
static void let_listen(struct recording *r)
{
	if (r->sampler.fd < 0 || !r->started)
		return;
	message_send(r->sampler.fd, "listen");
	drain(r, &r->sampler.fd, from_sampler, &r->answered, SAMPLER_START);
	if (!r->answered && r->sampler.fd >= 0)
		note(r, "2 sampler 0 dltrace-sampler does not listen yet: the first events are missing");
}

static void look_at_command(void *data)
{
	struct recording *r = data;

	r->answered = false;
	if (message_send(r->sampler.fd, "look") == 0)
		drain(r, &r->sampler.fd, from_sampler, &r->answered, LAST_LOOK);
}

static int spawn(struct recording *r)
{
	char audit[PATH_MAX], **environment = environ;
	struct environment_setup setup = {
		.library = r->library, .home = r->home.path, .private_daemon = r->private_daemon, .recording = r->id,
	};

	if (r->o->audit && place_find(".libs/libdltrace-audit.so", DLT_LIBDIR, audit) == 0)
		setup.audit = audit;
	else if (r->o->audit)
		say_error("libdltrace-audit.so is not in %s: recording goes on without --audit", DLT_LIBDIR);
	if (*r->library)
		environment = environment_make(r->o, &setup);
	r->begin = now_ns();
	r->child.last_look = look_at_command;
	r->child.data = r;
	return child_spawn(&r->child, r->o->command, environment ? environment : environ);
}

/* The command goes on. Totals and names first, by the sampler, which answers "said". */
static void stop_early(struct recording *r)
{
	if (r->stop_asked)
		return;
	r->stop_asked = true;
	if (message_send(r->sampler.fd, "last") < 0)
		message_send(r->keeper.fd, "leave");
}

/* Who asks a second time need not wait: it has happened. */
static void asked_to_stop(struct recording *r, int fd)
{
	if (r->stopped)
		control_end(&fd, "ok", "stopped");
	else if (control_hand_over(&r->stopper, fd, r->keeper.fd, NULL))
		stop_early(r);
}

static void from_control(struct recording *r)
{
	char request[256], message[32];
	int fd = control_accept(r->listener, request, sizeof(request));
	int level = strncmp(request, "level=", 6) == 0 ? level_parse(request + 6) : -1;

	if (fd < 0)
		return;
	if (strcmp(request, "dump") == 0) {
		if (control_hand_over(&r->dumper, fd, r->sampler.fd, "dump"))
			control_answer(fd, "ok\n");
	} else if (strcmp(request, "snapshot") == 0) {
		control_hand_over(&r->asker, fd, r->keeper.fd, "rotate");
	} else if (level >= 0) {
		snprintf(message, sizeof(message), "level %d", level);
		if (control_hand_over(&r->asker, fd, r->keeper.fd, message))
			message_send(r->sampler.fd, "note 0 level %d level %s", level, request + 6);
	} else if (strcmp(request, "stop") == 0) {
		asked_to_stop(r, fd);
	} else {
		control_answer(fd, "error %s: one of dump, snapshot, level=summary|calls|full, stop is needed\n",
			       request);
		close(fd);
	}
}

/* ms until so long after that moment, as poll takes them: it may come back sooner and ask again. */
static int until(uint64_t moment, uint64_t after)
{
	uint64_t passed = now_ns() - moment;

	return passed >= after ? 0 : poll_time(after - passed);
}

/* ms until --delay or --duration is due, -1: neither; does what is due. */
static int timers(struct recording *r)
{
	if (r->stop_asked || r->keeper.fd < 0)
		return -1;
	if (!r->start_asked) {
		if (until(r->begin, r->o->delay))
			return until(r->begin, r->o->delay);
		r->start_asked = true;
		message_send(r->keeper.fd, "start");
	}
	if (!r->o->duration || !r->started)
		return -1;
	if (until(r->started, r->o->duration))
		return until(r->started, r->o->duration);
	stop_early(r);
	return -1;
}

static bool going_on(const struct recording *r)
{
	if (r->child.pid)
		return true;
	return r->o->wait && !r->stop_asked && !r->child.dismissed && r->survivors != 0 && r->sampler.fd >= 0;
}

static void loop(struct recording *r)
{
	void (*const readers[])(struct recording *) = { from_keeper, from_sampler, from_control };

	while (going_on(r)) {
		struct pollfd fds[] = {
			{ r->keeper.fd, POLLIN, 0 },
			{ r->sampler.fd, POLLIN, 0 },
			{ r->listener, POLLIN, 0 },
			{ r->child.signals, POLLIN, 0 },
		};

		if (!r->child.pid && !r->waiting) {
			r->waiting = true;
			r->survivors = -1;
			message_send(r->sampler.fd, "survivors");
		}
		if (poll(fds, 4, timers(r)) < 0 && errno != EINTR)
			return;
		for (int i = 0; i < 3; i++)
			if (fds[i].revents)
				readers[i](r);
		if (fds[3].revents)
			child_signals(&r->child);
	}
}

/* ---- the end ------------------------------------------------------------------------------- */

static void end_sampler(struct recording *r)
{
	int signal = WIFSIGNALED(r->child.status) ? WTERMSIG(r->child.status) : 0;
	int value = signal ? signal : WEXITSTATUS(r->child.status);

	if (r->sampler.fd < 0)
		return;
	message_send(r->sampler.fd, "note 0 %s %d the command %s %d", signal ? "killed" : "exit", value,
		     signal ? "was ended by signal" : "ended with status", value);
	r->ending = true;
	message_send(r->sampler.fd, "finish");
	drain(r, &r->sampler.fd, from_sampler, &r->summary.events_known, SAMPLER_END);
	helper_reap(&r->sampler, 1000);
}

static void end_keeper(struct recording *r)
{
	if (!r->stop_asked || !r->stopped)
		message_send(r->keeper.fd, "stop");
	drain(r, &r->keeper.fd, from_keeper, &r->stopped, r->full ? KEEPER_FULL : KEEPER_END);
	if (r->keeper.fd >= 0 && !r->stopped)
		note(r, r->full ? "2 disk 0 no space left for the trace, and LTTng's daemons do not answer any more: "
		     "it may be unreadable" :
		     "2 keeper 0 LTTng's daemons do not answer, some of the trace may be missing");
	r->summary.stalled |= !r->stopped;
	keeper_reap(&r->keeper, r->stopped ? 5000 : 0);
}

static void end_label(struct recording *r)
{
	struct summary *s = &r->summary;

	/* The sampler has described the recording, if nothing else. */
	if (s->events_known && !s->events && !s->stalled)
		label_tell(r->label, LABEL_NOTHING_TAKEN);
	s->gone = !label_find_folder(r->label, r->output);
	summary_look(s, r->output);
	label_end(r->label, r->child.status);
	summary_write(s, r->label, has_outboxes(r->o) && !r->o->max_size);	/* else some may be dropped unsaid */
	label_close(&r->label);
}

static void finish(struct recording *r)
{
	r->summary.duration = now_ns() - r->begin;
	if (r->listener >= 0)
		close(r->listener);
	end_sampler(r);
	end_keeper(r);
	end_label(r);
	private_folder_remove(&r->home);
	summary_say(&r->summary, r->output, r->o->session ? r->o->session : r->o->relay);
}

/* Before anything was to be recorded. */
static void end_unstarted(struct recording *r)
{
	abandon(r);
	say_error("nothing was recorded: the %s before --delay",
		  r->stop_asked ? "recording was stopped" : "command ended");
}

static int cannot_run(struct recording *r, int err)
{
	say_error("cannot run %s: %s", r->o->command[0], strerror(-err));
	abandon(r);
	return err == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/* The command takes our place, as if we had not been there. */
static int run_alone(struct recording *r, bool refused, const char *why)
{
	abandon(r);
	say_error("%s: %s", refused ? "not run, since nothing can be recorded" : "nothing is recorded", why);
	return refused ? EXIT_OWN : cannot_run(r, child_replace(&r->child, r->o->command));
}

int recording_run(const struct options *o)
{
	struct recording r = {
		.options = *o, .o = &r.options, .home.lock = -1, .keeper.fd = -1, .sampler.fd = -1, .listener = -1,
		.asker = -1, .dumper = -1, .stopper = -1, .survivors = -1,
	};
	char path[PATH_MAX], why[MESSAGE_MAX];
	const struct remark_about about = { r.o, o->level, r.output, r.program };
	int err = child_lookup(o->command[0], r.program), status;
	unsigned remarks = 0;

	if (err)
		return cannot_run(&r, err);
	status = recording_output(o, path);
	if (status)
		return status;
	err = prepare(&r, path, why, sizeof(why));
	if (err)
		return run_alone(&r, o->require || err == EXIT_OWN, why);
	while (remark_next(&remarks, &about, why, sizeof(why)))
		note(&r, why);
	let_listen(&r);
	status = child_early_signal(&r.child);
	if (status) {
		abandon(&r);
		return child_die_of(status);
	}
	err = spawn(&r);
	if (err)
		return cannot_run(&r, err);
	loop(&r);
	(r.start_asked ? finish : end_unstarted)(&r);
	return child_end_alike(&r.child);
}
