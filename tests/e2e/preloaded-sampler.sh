# SPDX-License-Identifier: MIT
# Beside another preloaded tool that has a malloc, a strcpy and a memcpy of its own (as Scalene's sampler), and makes
# what it needs for them in its first calls, by open and mmap, so that these come to us in the middle of that: whoever
# is first, nothing recurs, and no function of ours calls its copies.
. "$top_srcdir/tests/lib.sh"
cat >sampler.c <<'END'
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);

/* Once for each of them; again inside itself: as the C++ library ends a program. */
static void make(int *state)
{
	void *p;
	int fd;

	if (*state == 2)
		return;
	if (*state == 1)
		abort();
	*state = 1;
	fd = open("/dev/zero", O_RDWR);
	p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED)
		munmap(p, 1 << 20);
	close(fd);
	*state = 2;
}

void *malloc(size_t size)
{
	static int state;

	make(&state);
	return __libc_malloc(size);
}

/* Which only we and the program call. */
void free_sized(void *p, size_t size)
{
	(void)size;
	free(p);
}

static int copying;

char *strcpy(char *to, const char *from)
{
	char *t = to;

	make(&copying);
	while ((*t++ = *from++))
		;
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	make(&copying);
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

__attribute__((constructor)) static void first(void)
{
	free(malloc(100));
}
END
${CC:-gcc} -shared -fPIC -O1 -fno-builtin -fno-tree-loop-distribute-patterns -o sampler.so sampler.c
for order in "$PWD/sampler.so:$DLTRACE_LIB" "$DLTRACE_LIB:$PWD/sampler.so"; do
	same "$order" "3" "$(LD_PRELOAD=$order python3 -c 'print(1 + 2)')"
	LD_PRELOAD=$order "$RECORD" -q -o t --children=all -- python3 -c 'print(1 + 2)' >out
	same "recorded, $order" 3 "$(cat out)"
	rm -rf t
done
for name in memcpy memmove memset strcpy stpcpy; do
	! nm -D --undefined-only "$DLTRACE_LIB" | grep -q " $name@" || fail "libdltrace.so calls whoever has $name"
done
