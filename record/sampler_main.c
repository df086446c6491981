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

#include "bridge.h"
#include "config.h"
#include "message.h"

struct arguments {
	int fd;
	const char *boxes, *level, *command;
	uint64_t recording, hang;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static bool enabled(enum dlt_event event)
{
	return *dlt_bridge_states[event] != 0;
}

static void note(int severity, const char *kind, int64_t value, const char *text)
{
	struct dlt_ev_record_note e = {
		.severity = (uint8_t)severity, .kind = kind, .value = value, .text = text,
	};

	if (enabled(DLT_EV_RECORD_NOTE))
		dlt_bridge_emitters[DLT_EV_RECORD_NOTE](&e);
}

static void describe(const struct arguments *a)
{
	char host[256] = "";
	struct dlt_ev_record_recording e = {
		.recording = a->recording, .level = a->level, .host = host, .version = PACKAGE_VERSION,
		.command = a->command,
		.boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC),
	};

	gethostname(host, sizeof(host) - 1);
	if (enabled(DLT_EV_RECORD_RECORDING))
		dlt_bridge_emitters[DLT_EV_RECORD_RECORDING](&e);
}

/* False: time to end. */
static bool answer(const struct arguments *a, const char *text)
{
	char kind[32];
	int severity, at = 0;
	long long value;
	const char *rest = message_is(text, "note");

	if (rest && sscanf(rest, "%d %31s %lld %n", &severity, kind, &value, &at) >= 3 && at)
		note(severity, kind, value, rest + at);
	if (message_is(text, "again"))
		describe(a);
	if (message_is(text, "survivors"))
		message_send(a->fd, "survivors 0");
	if (message_is(text, "dump"))
		message_send(a->fd, "dumped");
	return !message_is(text, "finish");
}

int main(int argc, char **argv)
{
	struct arguments a;
	char text[MESSAGE_MAX];
	int n, before = 0;

	if (argc != 7)
		return 125;
	a = (struct arguments){
		.fd = atoi(argv[1]), .boxes = argv[2], .recording = strtoull(argv[3], NULL, 16),
		.level = argv[4], .hang = strtoull(argv[5], NULL, 10), .command = argv[6],
	};
	prctl(PR_SET_NAME, "dltrace-sampler");
	message_send(a.fd, "ready");
	while ((n = message_receive(a.fd, text, 100)) != 0) {
		int now = enabled(DLT_EV_RECORD_RECORDING);

		if (now && !before)
			describe(&a);
		before = now;
		if (n > 0 && !answer(&a, text))
			break;
	}
	message_send(a.fd, "final 0 0");
	return 0;
}
