/* SPDX-License-Identifier: MIT */
/*
 * Forks with a large mapping, which the parent gives back at once: the child still has it, and its black box
 * says so, until it gives it back. map_forks N: exit status 1 where a child's box says anything else.
 */
#include <sys/wait.h>

#include "tests/box_view.h"

#define SIZE (256l << 20)

static int wrong(const char *when, int64_t wanted, int64_t found)
{
	if (wanted != found)
		fprintf(stderr, "%s: %ld bytes are mapped, the box has %ld\n", when, wanted, found);
	return wanted != found;
}

/* `base`: what is mapped besides. The view of the box is mapped, too. */
static int child(void *block, int64_t base)
{
	const struct dlt_box_header *box;
	int bad;

	usleep(2000);
	box = box_view_of(getpid());
	if (!box)
		return 2;
	base += (int64_t)box->size;
	bad = wrong("forked", base + SIZE, (int64_t)box->mapped.bytes);
	munmap(block, SIZE);
	return bad | wrong("unmapped", base, (int64_t)box->mapped.bytes);
}

int main(int argc, char **argv)
{
	const struct dlt_box_header *box = box_view_of(getpid());
	int64_t base = box ? (int64_t)box->mapped.bytes : 0;
	int status, bad = 0;

	for (int i = argc > 1 && box ? atoi(argv[1]) : 0; i; i--) {
		void *block = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		pid_t pid = fork();

		if (pid == 0)
			_exit(child(block, base));
		munmap(block, SIZE);
		waitpid(pid, &status, 0);
		bad |= status != 0;
	}
	return bad | !box;
}
