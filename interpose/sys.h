/* SPDX-License-Identifier: MIT */
/*
 * System calls that dltrace makes for itself, past the application's, other preloads' and its own wrappers: also
 * past `syscall`. libuid_wrapper has one, which takes a lock that it holds when its first call brings us in.
 *
 * They return -errno on failure and leave errno alone.
 */
#ifndef DLT_INTERPOSE_SYS_H
#define DLT_INTERPOSE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline long dlt_sys6(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall" : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
#else
	int saved = errno;
	long result = syscall(number, a, b, c, d, e, f);

	if (result == -1)
		result = -errno;
	errno = saved;
#endif
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

/* A file of /proc, as much of it as fits, as a string. How long that is; 0: nothing, and the string is empty. */
static inline size_t dlt_sys_read_proc(const char *path, char *text, size_t size)
{
	int fd = dlt_sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long length = fd < 0 ? 0 : dlt_sys(SYS_read, fd, (long)text, (long)size - 1, 0, 0);

	if (fd >= 0)
		dlt_sys_close(fd);
	length = length < 0 ? 0 : length;
	text[length] = '\0';
	return (size_t)length;
}

static inline pid_t dlt_sys_pid(void)
{
	return (pid_t)dlt_sys(SYS_getpid, 0, 0, 0, 0, 0);
}

static inline pid_t dlt_sys_parent(void)
{
	return (pid_t)dlt_sys(SYS_getppid, 0, 0, 0, 0, 0);
}

static inline uid_t dlt_sys_user(void)
{
	return (uid_t)dlt_sys(SYS_geteuid, 0, 0, 0, 0, 0);
}

static inline gid_t dlt_sys_group(void)
{
	return (gid_t)dlt_sys(SYS_getegid, 0, 0, 0, 0, 0);
}

static inline int dlt_sys_stat(const char *path, struct stat *st)
{
	return (int)dlt_sys(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, 0, 0);
}

static inline int dlt_sys_fstat(int fd, struct stat *st)
{
	return (int)dlt_sys(SYS_fstat, fd, (long)st, 0, 0, 0);
}

static inline int dlt_sys_limit(int which, struct rlimit *limit)
{
	return (int)dlt_sys(SYS_prlimit64, 0, which, 0, (long)limit, 0);
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
