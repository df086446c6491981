/* SPDX-License-Identifier: MIT */
/* Both ends of --control. */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "homes.h"
#include "message.h"
#include "say.h"

/* Seconds for a request to come and an answer to go; for the answer to come, which may take a rotation or an end. */
#define REQUEST_LIMIT	1
#define ANSWER_LIMIT	60

static int socket_at(const char *home, struct sockaddr_un *address)
{
	int n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(address->sun_path, sizeof(address->sun_path), "%s/control", home);
	if (n < 0 || (size_t)n >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void set_limits(int fd, int seconds)
{
	struct timeval limit = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

int control_listen(const char *home)
{
	struct sockaddr_un address;
	int fd = socket_at(home, &address), err;

	if (fd < 0)
		return fd;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    chmod(address.sun_path, 0600) == 0 && listen(fd, 4) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int control_accept(int listener, char *request, int size)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	int at = 0;

	if (fd < 0)
		return -errno;
	set_limits(fd, REQUEST_LIMIT);
	while (at < size - 1 && recv(fd, request + at, 1, 0) == 1 && request[at] != '\n')
		at++;
	request[at] = '\0';
	return fd;
}

bool control_answer(int fd, const char *format, ...)
{
	char text[8192];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n > (int)sizeof(text) - 1)
		n = sizeof(text) - 1;
	return fd >= 0 && n > 0 && send(fd, text, (size_t)n, MSG_NOSIGNAL) == n;
}

bool control_hand_over(int *waiting, int fd, int helper, const char *message)
{
	if (*waiting >= 0) {
		control_end(&fd, "error", "another request is being answered");
		return false;
	}
	if (helper < 0 || (message && message_send(helper, "%s", message) < 0)) {
		control_end(&fd, "error", "the recording has ended");
		return false;
	}
	*waiting = fd;
	return true;
}

void control_end(int *waiting, const char *prefix, const char *text)
{
	if (*waiting < 0)
		return;
	control_answer(*waiting, "%s %s\n", prefix, text);
	close(*waiting);
	*waiting = -1;
}

/* A recorded process knows the folder of its boxes, which is in the private folder. */
static bool home_of_recorded(int pid, char *home, size_t size)
{
	char path[64], entry[PATH_MAX + 32];
	bool found = false;
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	while (f && !found) {
		size_t at = 0;

		while ((c = getc(f)) > 0)
			if (at < sizeof(entry) - 1)
				entry[at++] = (char)c;
		entry[at] = '\0';
		if (strncmp(entry, "DLTRACE_BOX=", 12) == 0 && at > 16) {
			snprintf(home, size, "%.*s", (int)(at - 12 - 4), entry + 12);
			found = true;
		}
		if (c == EOF)
			break;
	}
	if (f)
		fclose(f);
	return found;
}

/* A descriptor, or -errno. */
static int reach(const char *home)
{
	struct sockaddr_un address;
	int fd = socket_at(home, &address), err;

	if (fd < 0)
		return fd == -1 ? -errno : fd;
	set_limits(fd, ANSWER_LIMIT);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Ours, or of whoever has that process: anybody may make a folder of such a name. */
static bool is_home_of(int pid, const char *home)
{
	struct stat folder, process;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return lstat(home, &folder) == 0 && S_ISDIR(folder.st_mode) &&
	       (folder.st_uid == geteuid() || (stat(path, &process) == 0 && folder.st_uid == process.st_uid));
}

struct recorder {
	int pid;
	int fd;		/* reach's answer of its home; -ESRCH while there is none */
};

/* Containers may share the place of such folders, and have the same pid: the next one may be it. */
static bool reach_if_its(const char *home, pid_t pid, void *arg)
{
	struct recorder *recorder = arg;

	if (pid == recorder->pid && is_home_of(pid, home))
		recorder->fd = reach(home);
	return recorder->fd >= 0;
}

/* By dltrace-record's own pid. A descriptor, or -errno; -ESRCH: there is no such folder. */
static int reach_recorder(int pid)
{
	struct recorder recorder = { .pid = pid, .fd = -ESRCH };

	homes_everywhere(reach_if_its, &recorder);
	return recorder.fd;
}

/* Copies the answer to stdout but for its first word. Exit status. */
static int show(int fd)
{
	char text[4096];
	bool first = true, failed = true, late;
	FILE *f = fdopen(fd, "r");

	while (f && fgets(text, sizeof(text), f)) {
		const char *rest = text;

		if (first || strncmp(text, "error ", 6) == 0) {
			failed = strncmp(text, "ok", 2) != 0;
			rest += strcspn(text, " \n");
			rest += *rest == ' ';
		}
		first = false;
		fputs(*rest == '\n' && rest != text ? "" : rest, failed ? stderr : stdout);
	}
	late = f && ferror(f) && errno == EAGAIN;
	if (late)
		say_error("--control: the recording does not answer");
	else if (first)
		say_error("--control: the recording has ended");
	if (f)
		fclose(f);
	return failed || late ? EXIT_OWN : 0;
}

int control_ask(int pid, char *const *words)
{
	char home[PATH_MAX];
	int fd = reach_recorder(pid);

	if (fd == -ESRCH && home_of_recorded(pid, home, sizeof(home)))
		fd = reach(home);
	if (fd == -ESRCH) {
		say_error("--control: process %d is neither dltrace-record nor recorded by it", pid);
		return EXIT_OWN;
	}
	if (fd < 0) {
		say_error("--control: cannot reach the recording of process %d: %s", pid, strerror(-fd));
		return EXIT_OWN;
	}
	control_answer(fd, "%s\n", words[0]);
	shutdown(fd, SHUT_WR);
	return show(fd);
}
