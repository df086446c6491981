/* SPDX-License-Identifier: MIT */
/*
 * no_room FILE: starts threads, until less is left of a chunk of its outbox than the next event takes; fills FILE's
 * file system; forks a child, whose box finds no room there, nor does what that says of itself find any in the
 * outbox. Prints the child's exit status. Nobody may read the outbox meanwhile.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"

#define LEFT 96		/* bytes: more than a thread's events take at once, less than those of a process */

/* Where the library has mapped it; NULL: it is no file. */
static const struct dlt_box_header *own_box(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin = 0;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps) && !strstr(line, ".box"))
		;
	if (maps && strstr(line, ".box"))
		begin = strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	return (const void *)begin;
}

static void *nothing(void *arg)
{
	return arg;
}

static int start_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
}

static int fill(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	off_t at = 0;

	for (off_t step = 1 << 20; fd >= 0 && step >= 4096;) {
		if (posix_fallocate(fd, at, step))
			step /= 2;
		else
			at += step;
	}
	return fd < 0;
}

int main(int argc, char **argv)
{
	const struct dlt_box_header *box = own_box();
	const struct dlt_box_outbox *o = box ? (const void *)((const char *)box + box->outbox_offset) : NULL;
	int status = -1;
	pid_t child;

	if (argc < 2 || !box || !box->outbox_count)
		return 1;
	while (__atomic_load_n(&o->head, __ATOMIC_RELAXED) % DLT_OUTBOX_CHUNK < DLT_OUTBOX_CHUNK - LEFT)
		if (start_thread())
			return 1;
	if (fill(argv[1]))
		return 1;
	child = fork();
	if (child == 0)
		_exit(7);
	if (waitpid(child, &status, 0) != child)
		return 1;
	printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	return unlink(argv[1]);
}
