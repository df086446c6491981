/* SPDX-License-Identifier: MIT */
/* Prints what black boxes hold, a line each: box_totals FILE... */
#include "tests/box_view.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct dlt_box_header *h = box_view_map(argv[i]);
		struct box_sums s;

		if (!h)
			return fprintf(stderr, "%s: cannot be read\n", argv[i]), 1;
		s = box_view_sums(h);
		printf("pid=%u process=%u parent=%u reason=%u state=%u heap=%u live=%ld blocks=%ld "
		       "allocations=%lu frees=%lu peak=%ld failed=%lu inherited=%lu mapped=%lu "
		       "slots=%u magic=%d\n",
		       h->pid, h->process, h->parent, h->reason, h->state, h->heap, s.live, s.blocks,
		       s.allocations, s.frees, h->heap_published.peak, h->heap_published.failed,
		       h->inherited.bytes, h->mapped.bytes, h->slots_used,
		       h->magic == DLT_BOX_MAGIC);
	}
	return 0;
}
