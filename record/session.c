/* SPDX-License-Identifier: MIT */
/* One LTTng session: channels, events, rotation, the end. */
#include "session.h"

#include <errno.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"

/*
 * What the events look like reaches the disk that often. By itself LTTng writes it at the end and with a rotation
 * only; and during that, on a busy machine, all processes that start wait for 0.2 s (its consumer daemon
 * looks that often whether the metadata is written, 2.13). Nor can it be written any more when somebody else has
 * filled the disk. Five times a second cost 0.08 % of a core more than once (schedstat of both daemons, 10 s).
 * LTTng 2.16 knows no channel of this name any more.
 */
static const struct plan_channel metadata = {
	.name = "metadata", .subbuf_size = 4096, .subbufs = 2, .switch_timer = 200000,
};

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static int explain(char *why, size_t size, const char *what, int lttng_error)
{
	/* There it looks for what is free. */
	bool blind = abs(lttng_error) == LTTNG_ERR_NOMEM && access("/proc/meminfo", R_OK) < 0;

	snprintf(why, size, "%s: %s%s", what, lttng_strerror(-abs(lttng_error)),
		 blind ? " (LTTng cannot read /proc/meminfo: is all of /proc mounted?)" : "");
	return -EIO;
}

static int open_handle(struct session *s, const char *name, const struct plan *plan)
{
	struct lttng_domain domain = {
		.type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID,
	};

	snprintf(s->name, sizeof(s->name), "%s", name);
	s->plan = *plan;
	s->handle = lttng_create_handle(s->name, &domain);
	return s->handle ? 0 : -ENOMEM;
}

static int add_channel(struct session *s, const struct plan_channel *c)
{
	struct lttng_channel *channel = lttng_channel_create(&s->handle->domain);
	int err;

	if (!channel)
		return -LTTNG_ERR_NOMEM;
	snprintf(channel->name, sizeof(channel->name), "%s", c->name);
	channel->enabled = 1;	/* LTTng 2.16 asks it of a new one, too */
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = c->subbuf_size;
	channel->attr.num_subbuf = c->subbufs;
	channel->attr.switch_timer_interval = c->switch_timer;
	channel->attr.output = LTTNG_EVENT_MMAP;
	err = s->plan.wait ? lttng_channel_set_blocking_timeout(channel, s->plan.wait) : 0;
	if (err == 0)
		err = lttng_enable_channel(s->handle, channel);
	lttng_channel_destroy(channel);
	return err;
}

/*
 * Whether it is on already, or never was, is no matter: a borrowed session may have it. LTTng (2.13) disables by the
 * name alone: it refuses who names a kind of event, or a log level, of which 0 is one.
 */
static int switch_event(struct session *s, const struct plan_event *e, bool on)
{
	const char *channel = s->plan.channels[plan_channel_of(&s->plan, e)].name;
	struct lttng_event *event = lttng_event_create();
	int err;

	if (!event)
		return -LTTNG_ERR_NOMEM;
	event->type = on ? LTTNG_EVENT_TRACEPOINT : LTTNG_EVENT_ALL;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	event->loglevel = -1;
	snprintf(event->name, sizeof(event->name), "%s", e->pattern);
	if (on)
		err = lttng_enable_event_with_exclusions(s->handle, event, channel, NULL, 0, NULL);
	else
		err = lttng_disable_event_ext(s->handle, event, channel, NULL);
	lttng_event_destroy(event);
	return err == -LTTNG_ERR_UST_EVENT_ENABLED || err == -LTTNG_ERR_UST_EVENT_NOT_FOUND ? 0 : err;
}

int session_set_level(struct session *s, enum level level, char *why, size_t size)
{
	for (size_t i = 0; i < plan_event_count; i++) {
		bool on = plan_wants(&s->plan, &plan_events[i], level);
		int err;

		/* What threads have noted before the level was lowered is still to come. */
		if (!on && strcmp(plan_events[i].pattern, PLAN_BATCHES) == 0)
			continue;
		err = switch_event(s, &plan_events[i], on);
		if (err < 0)
			return explain(why, size, plan_events[i].pattern, err);
	}
	return 0;
}

void session_set_notes_only(struct session *s)
{
	for (size_t i = 0; i < plan_event_count; i++)
		if (strcmp(plan_events[i].pattern, PLAN_NOTES) != 0)
			switch_event(s, &plan_events[i], false);
}

/* What LTTng says of it. */
static int add_channels(struct session *s)
{
	int err = add_channel(s, &metadata);

	if (err == -LTTNG_ERR_INVALID_CHANNEL_NAME)
		err = 0;
	for (unsigned i = 0; i < s->plan.count && err >= 0; i++)
		err = add_channel(s, &s->plan.channels[i]);
	return err;
}

/* CTF 1.8, which every reader knows; LTTng 2.16 writes CTF 2 by itself. */
static void choose_format(struct lttng_session_descriptor *descriptor)
{
#if HAVE_DECL_LTTNG_SESSION_DESCRIPTOR_SET_TRACE_FORMAT
	lttng_session_descriptor_set_trace_format(descriptor, LTTNG_TRACE_FORMAT_CTF_1_8);
#else
	(void)descriptor;
#endif
}

int session_create(struct session *s, const char *name, const char *output, const char *relay,
		   const struct plan *plan, char *why, size_t size)
{
	struct lttng_session_descriptor *descriptor;
	enum lttng_error_code code;
	int err;

	*s = (struct session){ .borrowed = false };
	descriptor = relay ? lttng_session_descriptor_network_create(name, relay, NULL)
			   : lttng_session_descriptor_local_create(name, output);
	if (!descriptor) {
		snprintf(why, size, "%s cannot be traced to%s", relay ? relay : output,
			 relay ? ": no such host, or no URL as net://host" : "");
		return -EINVAL;
	}
	choose_format(descriptor);
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	if (code != LTTNG_OK)
		return explain(why, size, "session", (int)code);
	if (open_handle(s, name, plan) < 0) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	err = add_channels(s);
	if (err == -LTTNG_ERR_RELAYD_CONNECT_FAIL)
		snprintf(why, size, "cannot connect to lttng-relayd at %s (is it running?)", relay);
	else if (err < 0)
		explain(why, size, "channel", err);
	return err < 0 ? -EIO : 0;
}

/*
 * A session that has been started takes no more channels; then our events go into the first one
 * that it has.
 */
int session_borrow(struct session *s, const char *name, const struct plan *plan, char *why, size_t size)
{
	struct lttng_session *sessions = NULL;
	struct lttng_channel *channels = NULL;
	int count = lttng_list_sessions(&sessions), found = 0;

	*s = (struct session){ .borrowed = true };
	for (int i = 0; i < count; i++) {
		if (strcmp(sessions[i].name, name) != 0)
			continue;
		found = 1;
		s->started = sessions[i].enabled;
	}
	free(sessions);
	if (!found) {
		snprintf(why, size, "there is no LTTng session named %s (lttng list)", name);
		return -ENOENT;
	}
	if (open_handle(s, name, plan) < 0) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	if (add_channels(s) >= 0)
		return 0;
	if (lttng_list_channels(s->handle, &channels) <= 0)
		return -EIO;
	s->plan.count = 1;
	/* lttng_enable_event creates channel0 when no channel is named; this one exists. */
	s->plan.channels[0].name = strdup(channels[0].name);
	free(channels);
	return s->plan.channels[0].name ? 0 : -ENOMEM;
}

int session_start(struct session *s, char *why, size_t size)
{
	int err = s->started ? 0 : lttng_start_tracing(s->name);

	if (err < 0 && err != -LTTNG_ERR_TRACE_ALREADY_STARTED)
		return explain(why, size, "start", err);
	s->started = true;
	return 0;
}

static void archive_path(struct lttng_rotation_handle *rotation, char *path, size_t size)
{
	const struct lttng_trace_archive_location *location;
	const char *absolute = NULL;

	if (lttng_rotation_handle_get_archive_location(rotation, &location) == LTTNG_ROTATION_STATUS_OK)
		lttng_trace_archive_location_local_get_absolute_path(location, &absolute);
	snprintf(path, size, "%s", absolute ? absolute : "");
}

int session_rotate(struct session *s)
{
	int err = s->rotation ? -LTTNG_ERR_ROTATION_PENDING : lttng_rotate_session(s->name, NULL, &s->rotation);

	if (err == -LTTNG_ERR_ROTATION_PENDING)
		return -EBUSY;
	s->rotated = true;
	return err < 0 ? -ENOTSUP : 0;
}

int session_rotated(struct session *s, char *path, size_t size)
{
	enum lttng_rotation_state state;
	int result = -EIO;

	path[0] = '\0';
	if (lttng_rotation_handle_get_state(s->rotation, &state) == LTTNG_ROTATION_STATUS_OK) {
		if (state == LTTNG_ROTATION_STATE_ONGOING)
			return 0;
		result = state == LTTNG_ROTATION_STATE_COMPLETED ? 1 : -EIO;
	}
	if (result == 1)
		archive_path(s->rotation, path, size);
	lttng_rotation_handle_destroy(s->rotation);
	s->rotation = NULL;
	return result;
}

static void count_lost(struct session *s, struct session_end *end)
{
	struct lttng_channel *channels = NULL;
	int count = lttng_list_channels(s->handle, &channels);

	for (int i = 0; i < count; i++) {
		uint64_t n;

		/* A buffer whose writer was killed gives 2^63 too many (2.13). */
		if (lttng_channel_get_discarded_event_count(&channels[i], &n) == 0)
			end->discarded += n & INT64_MAX;
		if (lttng_channel_get_lost_packet_count(&channels[i], &n) == 0)
			end->lost_packets += n;
	}
	free(channels);
}

/* Data that stays in flight has no end: a process that was killed inside an event holds its sub-buffer. */
static bool drained(struct session *s, int limit)
{
	for (int waited = 0; waited < limit; waited += 10) {
		if (lttng_data_pending(s->name) <= 0)
			return true;
		pause_ms(10);
	}
	return false;
}

void session_pause(struct session *s, int limit)
{
	lttng_stop_tracing_no_wait(s->name);
	s->started = false;
	drained(s, limit);
}

static void destroy(struct session *s, int limit)
{
	struct lttng_destruction_handle *h = NULL;

	if (lttng_destroy_session_ext(s->name, &h) == LTTNG_OK)
		lttng_destruction_handle_wait_for_completion(h, limit);
	lttng_destruction_handle_destroy(h);
}

void session_finish(struct session *s, int limit, bool ends, struct session_end *end)
{
	*end = (struct session_end){ 0 };
	if (!s->handle)
		return;
	if (!s->borrowed) {
		lttng_stop_tracing_no_wait(s->name);
		end->stalled = !drained(s, limit);
	}
	count_lost(s, end);
	end->left = !s->borrowed && ends && !end->stalled && !s->rotated;
	if (!s->borrowed && !end->left)
		destroy(s, end->stalled ? 500 : limit);
	lttng_destroy_handle(s->handle);
	s->handle = NULL;
}
