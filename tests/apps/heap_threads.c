/* SPDX-License-Identifier: MIT */
/*
 * heap_threads N: N threads one after another, each frees late, in the last round of its
 * destructors and after; few slots are used and nothing is lost.
 */
#include <pthread.h>

#include "tests/box_view.h"

static pthread_key_t key;

/* Up to the last round; ours gives the slot back in that round too, in which order ever. */
static void late(void *p)
{
	static __thread int round;

	free(p);
	if (++round < 4)
		pthread_setspecific(key, malloc(500));
	else
		free(malloc(600));
}

static void *work(void *unused)
{
	(void)unused;
	pthread_setspecific(key, malloc(400));
	free(malloc(300));
	return NULL;
}

int main(int argc, char **argv)
{
	const struct dlt_box_header *box = box_view_of(getpid());
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	long before = 0;

	if (!box)
		return 2;
	pthread_key_create(&key, late);
	for (int i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 3;
		if (i == 0)
			before = box_view_oracle(box);
	}
	printf("slots=%u off=%ld\n", box->slots_used, box_view_oracle(box) - before);
	return box->slots_used > 8 || box_view_oracle(box) != before;
}
