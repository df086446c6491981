/* SPDX-License-Identifier: MIT */
/* Both ends of --control. */
#include "control.h"

#include <dirent.h>
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

#include "folder.h"
#include "say.h"

static int socket_at(const char *home, struct sockaddr_un *address)
{
	int n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(address->sun_path, sizeof(address->sun_path), "%s/control", home);
	if (n < 0 || (size_t)n >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void set_limits(int fd)
{
	struct timeval limit = { .tv_sec = 1 };

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
	set_limits(fd);
	while (at < size - 1 && recv(fd, request + at, 1, 0) == 1 && request[at] != '\n')
		at++;
	request[at] = '\0';
	return fd;
}

void control_answer(int fd, const char *format, ...)
{
	char text[8192];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n > (int)sizeof(text) - 1)
		n = sizeof(text) - 1;
	if (n > 0 && fd >= 0)
		send(fd, text, (size_t)n, MSG_NOSIGNAL);
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

/* dltrace-record's own folder has its pid in its name. */
static bool home_of_recorder(int pid, char *home, size_t size)
{
	static const char *const places[] = { "/dev/shm", "/tmp", "/var/tmp" };
	char prefix[32];
	bool found = false;

	snprintf(prefix, sizeof(prefix), PRIVATE_PREFIX "%d-", pid);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !found; i++) {
		DIR *d = opendir(places[i]);
		struct dirent *entry;

		while (d && !found && (entry = readdir(d))) {
			if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
				continue;
			snprintf(home, size, "%s/%s", places[i], entry->d_name);
			found = true;
		}
		if (d)
			closedir(d);
	}
	return found;
}

/* Copies the answer to stdout but for its first word. Exit status. */
static int show(int fd)
{
	char text[4096];
	bool first = true, failed = true;
	FILE *f = fdopen(fd, "r");

	while (f && fgets(text, sizeof(text), f)) {
		const char *rest = text;

		if (first) {
			failed = strncmp(text, "ok", 2) != 0;
			rest += strcspn(text, " \n");
			rest += *rest == ' ';
		}
		first = false;
		fputs(*rest == '\n' && rest != text ? "" : rest, failed ? stderr : stdout);
	}
	if (first)
		say_error("--control: the recording has ended");
	if (f)
		fclose(f);
	return failed ? EXIT_OWN : 0;
}

int control_ask(int pid, char *const *words)
{
	struct sockaddr_un address;
	char home[PATH_MAX];
	int fd;

	if (!home_of_recorder(pid, home, sizeof(home)) && !home_of_recorded(pid, home, sizeof(home))) {
		say_error("--control: process %d is neither dltrace-record nor recorded by it", pid);
		return EXIT_OWN;
	}
	fd = socket_at(home, &address);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		say_error("--control: cannot reach the recording of process %d: %s", pid, strerror(errno));
		return EXIT_OWN;
	}
	control_answer(fd, "%s\n", words[0]);
	shutdown(fd, SHUT_WR);
	return show(fd);
}
