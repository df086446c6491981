/* SPDX-License-Identifier: MIT */
/* dltrace-sampler: the recorder's eyes, an LTTng-UST application of the recording itself. */
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "carried.h"
#include "config.h"
#include "energy.h"
#include "follow.h"
#include "gpu.h"
#include "message.h"
#include "note.h"
#include "oom.h"
#include "plan.h"
#include "sampler/emit_sample.h"
#include "sampler/sampler.h"
#include "sampler/ticks.h"
#include "wanted.h"

#define AGAIN 10000000000ull	/* ns between descriptions */

/* What dltrace-record tells on the command line; strings are borrowed. */
static struct {
	int fd;
	const char *boxes, *level, *command, *labels;
	bool outboxes;		/* processes put their events into their boxes */
	uint64_t recording, hang;
	bool started;		/* LTTng has started the session: it drops what it is given before */
	bool survivors;		/* dltrace-record waits for the last process */
	unsigned told;		/* how many, last time */
} self;

static uint64_t realtime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* False: LTTng has not written it. */
static bool describe(void)
{
	char host[256] = "";
	struct dlt_ev_record_recording e = {
		.recording = self.recording, .level = self.level, .host = host, .version = PACKAGE_VERSION,
		.command = self.command, .boot = realtime() - ticks_monotonic(), .labels = self.labels,
	};

	gethostname(host, sizeof(host) - 1);
	return sample_emit(DLT_EV_RECORD_RECORDING, &e);
}

/* The recording is described at its start and from time to time. False: its session does not take events yet. */
static bool introduce(uint64_t now)
{
	static uint64_t described;
	static bool introduced;

	if (!self.started)
		return false;
	introduced &= sample_enabled(DLT_EV_RECORD_RECORDING);
	if (!sample_enabled(DLT_EV_RECORD_RECORDING) || (introduced && now - described < AGAIN))
		return true;
	described = now;
	introduced |= describe();
	return introduced;
}

/* False: too early. */
static bool sample(void)
{
	static uint64_t next;
	static bool was_wanted;
	bool wanted = sampler_wanted();
	uint64_t now = ticks_monotonic(), period = sampler_period();

	if (!introduce(now))
		return false;
	if (now < next && wanted == was_wanted)
		return true;
	next = now - now % period + period;
	was_wanted = wanted;
	if (!wanted)
		return true;
	/* How many CPUs there are bounds what processes can have used. */
	sampled_machine_tick(now, false);
	follow_tick(now);
	gpu_tick(now);
	energy_tick();
	return true;
}

/* LTTng wants events and takes them, or a second is over. */
static void wait_for_the_session(void)
{
	for (int waited = 0; waited < 1000 && !(wanted_ready() && sample()); waited++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void send_line(const char *text)
{
	message_send(self.fd, "line %s", text);
}

static void take_note(const char *text)
{
	int severity, at = 0;
	long long value;
	char kind[32];

	if (sscanf(text, "%d %31s %lld %n", &severity, kind, &value, &at) >= 3 && at)
		note_write((enum dlt_severity)severity, kind, 0, value, text + at);
}

/* False: time to end. */
static bool answer(const char *text)
{
	const char *note = message_is(text, "note");

	if (note)
		take_note(note);
	if (message_is(text, "again")) {
		describe();
		follow_again();
	}
	if (message_is(text, "started"))
		self.started = true;
	if (message_is(text, "listen")) {
		wait_for_the_session();
		message_send(self.fd, "listening");
	}
	if (message_is(text, "look")) {
		follow_changes();
		message_send(self.fd, "looked");
	}
	if (message_is(text, "survivors")) {
		self.survivors = true;
		self.told = UINT32_MAX;
	}
	if (message_is(text, "last")) {
		follow_last(ticks_monotonic());
		message_send(self.fd, "said");
	}
	if (message_is(text, "dump")) {
		follow_dump(send_line, ticks_monotonic());
		message_send(self.fd, "dumped");
	}
	return !message_is(text, "finish");
}

static void tell_survivors(void)
{
	if (!self.survivors || self.told == follow_alive())
		return;
	self.told = follow_alive();
	message_send(self.fd, "survivors %u", self.told);
}

/*
 * ms. Samples are taken at full periods of the clock: all of a moment belong together. A session's start is seen
 * within 100 ms.
 */
static int until_next(void)
{
	uint64_t period = sampler_period(), now = ticks_monotonic(), wait = period - now % period;
	uint64_t pause = sampled_pass_on_pause(now), first = follow_first_look(), watch = follow_next_watch();

	wait = wait < pause ? wait : pause;
	first = first < watch ? first : watch;
	first = first > now ? first - now : 0;
	return (int)((wait < first ? wait : first) / 1000000) + 1;
}

static void serve(void)
{
	struct pollfd fds[] = {
		{ self.fd, POLLIN, 0 }, { follow_descriptor(), POLLIN, 0 }, { wanted_descriptor(), POLLIN, 0 },
	};
	char text[MESSAGE_MAX];

	for (;;) {
		int n;

		poll(fds, 3, until_next());
		if (self.started)
			wanted_update();
		if (fds[2].revents)
			wanted_heard();
		follow_pass_on(ticks_monotonic());
		follow_look(ticks_monotonic());
		follow_watch(ticks_monotonic());
		if (fds[1].revents)
			follow_changes();
		sample();
		tell_survivors();
		if (!fds[0].revents)
			continue;
		n = message_receive(self.fd, text, 0);
		if (n <= 0 || !answer(text))
			return;
	}
}

int main(int argc, char **argv)
{
	struct follow_events events;
	struct carried *carried;
	uint64_t now;
	int err;

	if (argc != 10)
		return 125;
	self.fd = atoi(argv[1]);
	self.boxes = argv[2];
	self.recording = strtoull(argv[3], NULL, 16);
	self.level = argv[4];
	self.hang = strtoull(argv[5], NULL, 10);
	self.command = argv[6];
	self.labels = argv[7];
	self.outboxes = strcmp(argv[8], "outboxes") == 0;
	prctl(PR_SET_NAME, "dltrace-sampler");
	note_init(self.fd);
	ticks_init();
	oom_begin("/proc/self/cgroup", "/sys/fs/cgroup");
	carried = carried_map(atoi(argv[9]));
	if (carried)
		sample_counts = &carried->sampler;
	if (follow_init(self.boxes, self.hang, carried ? &carried->gone : NULL) < 0)
		return 125;
	sample_tell_written(&dlt_bridge_wrote);
	if (self.outboxes)
		sample_wait_for_room(PLAN_WAIT * 1000ull);
	err = self.outboxes ? wanted_open(self.boxes) : 0;
	message_send(self.fd, "ready");
	if (err < 0)
		note_say(DLT_WARNING, "outbox", 0, err, "processes give their events to LTTng themselves: "
			 "%s/wanted: %s", self.boxes, strerror(-err));
	gpu_init();
	energy_init("/sys/class/powercap");
	serve();
	follow_changes();
	now = ticks_monotonic();
	sample_try_now();
	sampled_machine_tick(now, true);
	wanted_end();
	follow_leave(now);
	if (sample_stuck())
		note_say(DLT_WARNING, "stuck", 0, (int64_t)sample_stuck(), "LTTng's consumer daemon took nothing for "
			 "%.1f s (a slow disk?): what found no room meanwhile is lost", (double)sample_stuck() / 1e9);
	events = follow_events();
	message_send(self.fd, "final %" PRIu64 " %" PRIu64, events.emitted + sample_counts->emitted,
		     events.lost + sample_counts->unsaid);
	return 0;
}
