/* SPDX-License-Identifier: MIT */
/*
 * Mappings of all kinds, with their own account: prints "live BYTES" of what the black box should
 * hold and exits with 1 where it does not. Sizes are above the threshold of 64 KiB.
 */
#include "tests/box_view.h"

#define MB (1 << 20)

static const struct dlt_box_header *box;
static uint64_t base, live;
static int bad;

static void check(const char *what)
{
	if (box->mapped.bytes - base == live)
		return;
	fprintf(stderr, "%s: %ld bytes are mapped, the box has %ld\n", what, (long)live,
		(long)(box->mapped.bytes - base));
	bad = 1;
}

static char *map(size_t size, int prot, char *at)
{
	return mmap(at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

int main(void)
{
	char *p, *q;

	box = box_view_of(getpid());
	if (!box)
		return 2;
	base = box->mapped.bytes;
	p = map(4 * MB, PROT_READ | PROT_WRITE, NULL);
	live = 4 * MB;
	check("mmap");
	munmap(p, MB);				/* trimmed in front, behind, in the middle */
	munmap(p + 3 * MB, MB);
	live = 2 * MB;
	check("trimmed");
	munmap(p + MB + 4096, 4096);
	live -= 4096;
	check("a hole");
	munmap(p, 4 * MB);			/* with what is gone already */
	live = 0;
	check("munmap");
	p = map(64 * MB, PROT_NONE, NULL);
	check("reserved");
	q = map(2 * MB, PROT_READ | PROT_WRITE, p + 8 * MB);
	live = 2 * MB;
	check("into the reserve");
	map(2 * MB, PROT_READ, q);
	check("over itself");
	munmap(p, 64 * MB);
	live = 0;
	check("reserve gone");
	p = map(MB, PROT_READ | PROT_WRITE, NULL);
	p = mremap(p, MB, 3 * MB, MREMAP_MAYMOVE);
	live = 3 * MB;
	check("mremap");
	if (mremap(p, 3 * MB, 1UL << 60, MREMAP_MAYMOVE) != MAP_FAILED)
		bad = 1;
	check("mremap failed");
	munmap(p, 3 * MB);
	live = 0;
	p = map(32 << 10, PROT_READ | PROT_WRITE, NULL);
	check("too small to count");
	p = mremap(p, 32 << 10, 2 * MB, MREMAP_MAYMOVE);
	live = 2 * MB;
	check("mremap, grown");
	q = map(4 * MB, PROT_READ | PROT_WRITE, NULL);
	live += 4 * MB;
	if (mremap(p, 2 * MB, 2 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, q + MB) != q + MB)
		bad = 1;
	live -= 2 * MB;
	check("mremap over another one");
	munmap(q, 4 * MB);
	live = 0;
	check("end");
	if (map(1UL << 60, PROT_READ, NULL) != MAP_FAILED)
		bad = 1;
	check("mmap failed");
	return bad;
}
