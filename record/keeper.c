/* SPDX-License-Identifier: MIT */
/* The process that holds the session daemon and the session. */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "disk.h"
#include "folder.h"
#include "inherited.h"
#include "limits.h"
#include "message.h"
#include "metadata.h"
#include "reap.h"
#include "session.h"

#define START_LIMIT	15000	/* ms for an answer: not reached where nothing is broken */
#define LOOK		200	/* ms after which it is looked whether it can still come */
#define TICK		500	/* ms between looks at disk and daemons */
#define TICK_NEAR	20	/* ms, when the disk is nearly full: buffers fill at 100 MB/s and more */
#define ROTATE_LIMIT	5000	/* ms */
#define DRAIN_LIMIT	5000	/* ms */
#define DISK_LIMIT	500	/* ms for what is in the buffers when the disk is full */
#define GROUP_LIMIT	3000	/* ms for daemons without a keeper to end, then SIGKILL; ... */
#define LEFT_LIMIT	300	/* ... and for what a keeper leaves that has ended its daemon itself */

struct keeping {
	struct keeper_config config;
	struct session_daemon daemon;
	struct session session;
	struct disk disk;
	int fd;
	pid_t recorder;				/* our parent, while it lives */
	int metadata;				/* the file in which room is set aside; negative: none (yet) */
	uint64_t started, next_rotation;	/* ms CLOCK_MONOTONIC; 0: not */
	uint64_t rotating;			/* ms: since when; 0: not */
	bool asked;				/* dltrace-record waits for the rotation */
	bool daemon_lost, no_room, stopped, stall_said, last_rotation;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void plan_rotation(struct keeping *k)
{
	k->next_rotation = k->config.rotate ? now_ms() + k->config.rotate / 1000000 : 0;
}

static void rotation_ended(struct keeping *k, int result, const char *path)
{
	k->rotating = 0;
	if (result == 1) {
		message_send(k->fd, "rotated");
		if (k->config.max_size)
			disk_trim(&k->disk, k->config.max_size);
	}
	if (k->asked)
		message_send(k->fd, result == 1 ? "done %s" : "failed the rotation has failed", path);
	k->asked = false;
}

static void rotate(struct keeping *k)
{
	int err = session_rotate(&k->session);

	if (err == 0)
		k->rotating = now_ms();
	else if (k->asked && err == -ENOTSUP)
		message_send(k->fd, "failed this session cannot be rotated");
	if (err)
		k->asked = k->asked && err == -EBUSY;
	plan_rotation(k);
	if (err == -ENOTSUP)
		k->next_rotation = 0;
}

/* A rotation needs 0.1 to 0.5 s, in which the disk must be watched: it goes on beside all else. */
static void check_rotation(struct keeping *k)
{
	char path[1024];
	int result = session_rotated(&k->session, path, sizeof(path));

	if (result != 0) {
		rotation_ended(k, result, path);
	} else if (now_ms() - k->rotating > ROTATE_LIMIT && !k->stall_said) {
		k->stall_said = true;
		message_send(k->fd, "note 1 stall 0 data does not leave LTTng's buffers: "
			     "has a process been killed inside an event?");
	}
}

/* The user's own session may be started: nothing is enabled in it before its time. */
static int set_level(struct keeping *k, enum level level, char *why, size_t size)
{
	k->config.level = level;
	return k->session.borrowed && !k->started ? 0 : session_set_level(&k->session, level, why, size);
}

static int begin(struct keeping *k, char *why, size_t size)
{
	int err;

	if (k->config.session) {
		err = session_borrow(&k->session, k->config.session, k->config.plan, why, size);
	} else {
		err = daemon_start(&k->daemon, k->config.home, why, size);
		if (err)
			return err;
		message_send(k->fd, "daemon %d", (int)k->daemon.pid);
		err = session_create(&k->session, k->config.name, k->config.output, k->config.relay,
				     k->config.plan, why, size);
	}
	return err ? err : set_level(k, k->config.level, why, size);
}

/* Without a process there is no such file yet. False: no room. */
static bool reserve(struct keeping *k)
{
	if (k->metadata < 0 && *k->config.output && !k->session.rotated)
		k->metadata = metadata_reserve(k->config.output);
	return k->metadata != -ENOSPC;
}

/* LTTng's daemons must not be asked for anything any more: they may be about to hang. */
static void has_no_room(struct keeping *k)
{
	k->daemon_lost = k->no_room = true;
	message_send(k->fd, "unstarted no space left for the trace in %s", k->config.output);
}

static void start(struct keeping *k)
{
	char why[512];

	if (session_start(&k->session, why, sizeof(why)) < 0 ||
	    (k->session.borrowed && session_set_level(&k->session, k->config.level, why, sizeof(why)) < 0)) {
		message_send(k->fd, "unstarted %s", why);
		return;
	}
	if (!reserve(k)) {
		has_no_room(k);
		return;
	}
	k->started = now_ms();
	if (!k->session.borrowed)
		plan_rotation(k);
	message_send(k->fd, "started");
}

static void answer(struct keeping *k, const char *text)
{
	const char *value = message_is(text, "level");
	char why[1024];
	int err;

	if (message_is(text, "start")) {
		start(k);
	} else if (value) {
		err = set_level(k, (enum level)atoi(value), why, sizeof(why));
		message_send(k->fd, err ? "failed %s" : "done level %s", err ? why : level_names[k->config.level]);
	} else if (message_is(text, "rotate") && k->daemon_lost) {
		message_send(k->fd, "failed LTTng's daemon has died");
	} else if (message_is(text, "rotate")) {
		k->asked = true;
		rotate(k);
	}
}

/*
 * The trace must stay readable, and says why it ends: stop while there is room, record that word when nothing
 * else is any more, and rotate, which writes the metadata.
 */
static void disk_is_full(struct keeping *k)
{
	uint64_t left = k->disk.free;
	char why[512];

	message_send(k->fd, "full");	/* what follows may never return: see metadata.h */
	session_pause(&k->session, DISK_LIMIT);
	session_set_notes_only(&k->session);
	session_start(&k->session, why, sizeof(why));
	message_send(k->fd, "note 2 disk %" PRIu64 " no space left for the trace, recording has stopped", left);
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	session_pause(&k->session, DISK_LIMIT);
	k->stopped = true;
	k->last_rotation = true;
}

static void look_after_daemon(struct keeping *k)
{
	const char *died = k->daemon_lost ? NULL : daemon_died(&k->daemon);

	if (!died)
		return;
	k->daemon_lost = true;
	k->next_rotation = 0;
	if (k->asked)
		message_send(k->fd, "failed LTTng's %s has died", died);
	k->asked = false;
	if (k->started)
		message_send(k->fd,
			     "note 2 consumer 0 LTTng's %s has died, recording has stopped %.1f s after its start",
			     died, (double)(now_ms() - k->started) / 1000);
	else
		message_send(k->fd, "note 2 consumer 0 LTTng's %s has died, there is no recording", died);
}

static bool rotation_due(struct keeping *k)
{
	if (k->last_rotation) {
		k->last_rotation = false;
		return true;
	}
	if (k->stopped)
		return false;
	if (k->asked || (k->next_rotation && now_ms() >= k->next_rotation))
		return true;
	return k->config.max_size && *k->config.output && disk_current(&k->disk) > k->config.max_size / 4;
}

static void look_after(struct keeping *k)
{
	look_after_daemon(k);
	if (!k->started || k->daemon_lost)
		return;
	reserve(k);
	if (*k->config.output && !k->stopped && disk_low(&k->disk))
		disk_is_full(k);
	if (k->rotating)
		check_rotation(k);
	if (!k->rotating && rotation_due(k))
		rotate(k);
}

/* Until `stop` or `leave`, or dltrace-record is gone. True: it is still there and wants to know. */
static bool serve(struct keeping *k)
{
	char text[MESSAGE_MAX];

	for (;;) {
		int n = message_receive(k->fd, text, k->rotating || disk_near(&k->disk) ? TICK_NEAR : TICK);

		if (n == -ETIMEDOUT)
			look_after(k);
		else if (n <= 0)
			return false;
		else if (message_is(text, "stop") || message_is(text, "leave"))
			break;
		else
			answer(k, text);
	}
	if (message_is(text, "leave") && k->session.borrowed && k->started && !k->daemon_lost)
		session_set_notes_only(&k->session);
	return true;
}

/* A daemon that has died, by the end or at it, is not among what LTTng tells: it then has no data that is pending. */
static void finish(struct keeping *k, struct session_end *end)
{
	*end = (struct session_end){ .left = k->no_room };
	look_after_daemon(k);
	if (!k->daemon_lost) {
		session_finish(&k->session, DRAIN_LIMIT, daemon_is_ours(&k->daemon) && *k->config.output, end);
		look_after_daemon(k);
	}
	end->stalled |= k->daemon_lost;
}

static void keep(struct keeping *k)
{
	struct session_end end;
	char why[512] = "unknown";
	bool listens = true, may_write;

	disk_init(&k->disk, k->config.output, plan_memory(k->config.plan, k->config.cpus));
	if (begin(k, why, sizeof(why)) < 0) {
		message_send(k->fd, "failed %s", why);
	} else {
		message_send(k->fd, "ready %s", k->daemon.private ? "private" : "shared");
		listens = serve(k);
	}
	finish(k, &end);
	message_send(k->fd, "end %" PRIu64 " %" PRIu64 " %d", end.discarded, end.lost_packets, end.stalled);
	may_write = end.stalled && !daemon_is_ours(&k->daemon);
	daemon_stop(&k->daemon, end.left);
	if (!may_write)
		metadata_trim(k->metadata);
	/* Nobody else does, also where dltrace-record was killed after its last word to us. */
	if (!listens || getppid() != k->recorder)
		folder_remove(k->config.home);
}

/* The keeper's own descriptors, process group and signals: Ctrl-C is not for it. */
static void detach(const char *home)
{
	char log[256];
	sigset_t all;
	int fd;

	setpgid(0, 0);
	inherited_let_go();
	limits_set();
	prctl(PR_SET_NAME, "dltrace-keeper");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_DFL);
	snprintf(log, sizeof(log), "%s/log", home);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0)
		dup2(fd, STDOUT_FILENO);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	if (chdir("/") < 0)
		return;
}

int keeper_launch(struct keeper *k, const struct keeper_config *c)
{
	struct keeping keeping = { .config = *c, .metadata = -1, .recorder = getpid() };
	int fds[2], err = message_pair(fds);

	*k = (struct keeper){ .fd = -1 };
	if (err)
		return err;
	k->pid = reap_fork();
	if (k->pid == 0) {
		close(fds[0]);
		keeping.fd = fds[1];
		detach(c->home);
		keep(&keeping);
		_exit(0);
	}
	close(fds[1]);
	if (k->pid < 0) {
		k->pid = 0;
		close(fds[0]);
		return -EAGAIN;
	}
	k->fd = fds[0];
	return 0;
}

static bool tells_daemon(struct keeper *k, const char *text)
{
	const char *pid = message_is(text, "daemon");

	if (pid)
		k->daemon.pid = (pid_t)atoi(pid);
	return pid != NULL;
}

/*
 * As message_receive(). Who has died is who the keeper waits for in vain: a session daemon whose consumer daemon has
 * not come up answers nobody any more (2.13).
 */
static int hear(struct keeper *k, char *text, const char **died)
{
	int n = -ETIMEDOUT;

	*died = NULL;
	for (int waited = 0; n == -ETIMEDOUT && !*died && waited < START_LIMIT; waited += LOOK) {
		n = message_receive(k->fd, text, LOOK);
		if (n > 0 && tells_daemon(k, text))
			n = -ETIMEDOUT;
		else if (n == -ETIMEDOUT)
			*died = daemon_died(&k->daemon);
	}
	return n;
}

/* 0, or -EIO and why. */
static int expect(struct keeper *k, const char *wanted, const char *refusal, char *text, char *why, size_t size)
{
	const char *died;
	int n = hear(k, text, &died);

	if (n > 0 && message_is(text, wanted))
		return 0;
	k->deaf = n == -ETIMEDOUT;
	if (n > 0 && message_is(text, refusal))
		snprintf(why, size, "%s", message_is(text, refusal));
	else if (died)
		snprintf(why, size, "LTTng's %s has died", died);
	else
		snprintf(why, size, "%s", k->deaf ? "LTTng's session daemon does not answer" :
			 "the process that holds the LTTng session has died");
	return -EIO;
}

int keeper_ready(struct keeper *k, bool *private_daemon, char *why, size_t size)
{
	char text[MESSAGE_MAX];
	int err = expect(k, "ready", "failed", text, why, size);

	*private_daemon = err == 0 && strcmp(message_is(text, "ready"), "private") == 0;
	return err;
}

int keeper_start(struct keeper *k, char *why, size_t size)
{
	char text[MESSAGE_MAX];

	message_send(k->fd, "start");
	return expect(k, "started", "unstarted", text, why, size);
}

/*
 * Where the keeper hung in a call of LTTng's, or was killed, nobody has ended the daemon; it gets SIGTERM as its maker
 * is gone, and waits for its consumer, which may be what hangs. A daemon that was killed while its consumer came up
 * leaves that one, and who acts for users, waiting for it for ever.
 */
static void end_group(pid_t group, int limit)
{
	for (int waited = 0; kill(-group, 0) == 0; waited += 5) {
		if (waited >= limit) {
			kill(-group, SIGKILL);
			return;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

void keeper_reap(struct keeper *k, int limit)
{
	int status = -1;

	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
	if (k->pid) {
		if (!reap_within(k->pid, k->deaf ? 0 : limit, &status))
			reap_killed(k->pid);
		end_group(k->pid, status == 0 || k->deaf ? LEFT_LIMIT : GROUP_LIMIT);
	}
	k->pid = 0;
}
