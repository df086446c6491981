/* SPDX-License-Identifier: MIT */
/*
 * A daemon of the old school: daemon HOW FOLDER. Closes every descriptor (HOW: close, closefrom,
 * range, fclose), then opens files of its own, also onto numbers of its choice by dup2, and
 * writes to them while it allocates. FOLDER/result says what it saw; FOLDER/file-* must hold
 * nothing but lines of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 40

static volatile int stop;

static void *allocate(void *unused)
{
	while (!stop) {
		free(malloc(100000));
		usleep(100);
	}
	return unused;
}

/* How many descriptors were there to be closed. */
static int close_all(const char *how)
{
	int closed = 0;

	if (strcmp(how, "closefrom") == 0) {
		closefrom(0);
	} else if (strcmp(how, "range") == 0) {
		closed = close_range(0, ~0U, 0) ? -errno : 0;
	} else {
		for (int fd = 0; fd < 4096; fd++)
			closed += close(fd) == 0;
	}
	return closed;
}

static int open_file(int i)
{
	char name[32];

	snprintf(name, sizeof(name), "file-%d", i);
	return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

static void write_lines(int fd, int i)
{
	for (int line = 0; line < 50; line++)
		dprintf(fd, "file %d line %d\n", i, line);
}

int main(int argc, char **argv)
{
	static const int chosen[] = { 5, 9, 63, 200, 255, 700 };
	int closed, lowest, highest, again, moved = 0, fds[FILES];
	pthread_t thread;
	FILE *f;

	if (argc < 3 || chdir(argv[2]))
		return 2;
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	pthread_create(&thread, NULL, allocate, NULL);
	closed = close_all(argv[1]);
	for (int i = 0; i < FILES; i++)
		fds[i] = open_file(i);
	lowest = fds[0];
	highest = fds[FILES - 1];
	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
		int fd = open_file(FILES + (int)i);

		moved += dup2(fd, chosen[i]) == chosen[i];
		write_lines(chosen[i], FILES + (int)i);
		close(fd);
	}
	for (int round = 0; round < 4; round++)
		usleep(50000);
	again = open_file(0);
	write_lines(again, 0);
	for (int i = 1; i < FILES; i++)
		if (i < 5 || (i != 5 && i != 9 && fds[i] != 5 && fds[i] != 9))
			write_lines(fds[i], i);
	stop = 1;
	pthread_join(thread, NULL);
	f = fopen("result.part", "w");
	fprintf(f, "closed %d first %d last %d moved %d\n", closed, lowest, highest, moved);
	fclose(f);
	rename("result.part", "result");
	return 0;
}
