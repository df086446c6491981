/* SPDX-License-Identifier: MIT */
/*
 * System calls that dltrace makes for itself, past the application's and its own wrappers.
 *
 * They return -errno on failure and leave errno alone.
 */
#ifndef DLT_INTERPOSE_SYS_H
#define DLT_INTERPOSE_SYS_H

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline long dlt_sys6(long number, long a, long b, long c, long d, long e, long f)
{
	int saved = errno;
	long result = syscall(number, a, b, c, d, e, f);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}

static inline long dlt_sys(long number, long a, long b, long c, long d, long e)
{
	return dlt_sys6(number, a, b, c, d, e, 0);
}

/* NULL on failure. */
static inline void *dlt_sys_map(void *at, size_t size, int prot, int flags, int fd)
{
	long p = dlt_sys(SYS_mmap, (long)at, (long)size, prot, flags, fd);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

static inline void dlt_sys_unmap(void *at, size_t size)
{
	dlt_sys(SYS_munmap, (long)at, (long)size, 0, 0, 0);
}

static inline int dlt_sys_madvise(void *at, size_t size, int advice)
{
	return (int)dlt_sys(SYS_madvise, (long)at, (long)size, advice, 0, 0);
}

static inline int dlt_sys_openat(int folder, const char *path, int flags, mode_t mode)
{
	return (int)dlt_sys(SYS_openat, folder, (long)path, flags, (long)mode, 0);
}

static inline int dlt_sys_close(int fd)
{
	return (int)dlt_sys(SYS_close, fd, 0, 0, 0, 0);
}

/*
 * The four aligned bytes around p. Asked is for a comparison with them, and for nobody to be woken: a call that
 * every sandbox grants, that changes nothing, and of which valgrind does not speak.
 */
static inline bool dlt_sys_is_readable(const void *p)
{
	long word = (long)((uintptr_t)p & ~(uintptr_t)3);

	return dlt_sys6(SYS_futex, word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, word, 0) != -EFAULT;
}

#endif
