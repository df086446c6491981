/* SPDX-License-Identifier: MIT */
/*
 * The functions that dltrace wraps by hand, as the next library on the search path has them.
 *
 * One row each; a new wrapper adds its row and calls dlt_real()->NAME. All are resolved at
 * once through RTLD_NEXT: at the first call of any wrapper, which is before the constructors of
 * most libraries. A function that this system does not have stays NULL.
 */
#ifndef DLT_INTERPOSE_REAL_H
#define DLT_INTERPOSE_REAL_H

#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* The heap comes first: a dlsym that fails allocates, and then needs it. */
#define DLT_REAL_HEAP(X) \
	X(void *, malloc, (size_t)) \
	X(void, free, (void *)) \
	X(void *, calloc, (size_t, size_t)) \
	X(void *, realloc, (void *, size_t)) \
	X(int, posix_memalign, (void **, size_t, size_t)) \
	X(void *, aligned_alloc, (size_t, size_t)) \
	X(void *, memalign, (size_t, size_t)) \
	X(size_t, malloc_usable_size, (void *))

/* An allocator in glibc's place may lack these; then they are glibc's still. */
#define DLT_REAL_PAGES(X) \
	X(void *, valloc, (size_t)) \
	X(void *, pvalloc, (size_t))

/* C23: most systems do not have them. */
#define DLT_REAL_C23(X) \
	X(void, free_sized, (void *, size_t)) \
	X(void, free_aligned_sized, (void *, size_t, size_t))

/* glibc's since 2.34. */
#define DLT_REAL_NEWER(X) \
	X(int, execveat, (int, const char *, char *const *, char *const *, int)) \
	X(void, closefrom, (int)) \
	X(int, close_range, (unsigned, unsigned, int))

#define DLT_REAL_REST(X) \
	X(void *, mmap, (void *, size_t, int, int, int, off_t)) \
	X(void *, mmap64, (void *, size_t, int, int, int, off64_t)) \
	X(int, munmap, (void *, size_t)) \
	X(void *, mremap, (void *, size_t, size_t, int, ...)) \
	X(int, dlclose, (void *)) \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
	X(void, pthread_exit, (void *)) \
	X(int, pthread_cancel, (pthread_t)) \
	X(int, pthread_setname_np, (pthread_t, const char *)) \
	X(int, prctl, (int, ...)) \
	X(pid_t, fork, (void)) \
	X(pid_t, vfork, (void)) \
	X(int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, \
			     const posix_spawnattr_t *, char *const *, char *const *)) \
	X(int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, \
			      const posix_spawnattr_t *, char *const *, char *const *)) \
	X(int, execve, (const char *, char *const *, char *const *)) \
	X(int, execvpe, (const char *, char *const *, char *const *)) \
	X(int, fexecve, (int, char *const *, char *const *)) \
	X(int, system, (const char *)) \
	X(FILE *, popen, (const char *, const char *)) \
	X(pid_t, wait, (int *)) \
	X(pid_t, waitpid, (pid_t, int *, int)) \
	X(pid_t, wait3, (int *, int, struct rusage *)) \
	X(pid_t, wait4, (pid_t, int *, int, struct rusage *)) \
	X(int, waitid, (idtype_t, id_t, siginfo_t *, int)) \
	X(int, __libc_start_main, (int (*)(int, char **, char **), int, char **, void (*)(void), \
				   void (*)(void), void (*)(void), void *)) \
	X(void, _exit, (int)) \
	X(void, quick_exit, (int)) \
	X(void, abort, (void)) \
	X(int, raise, (int)) \
	X(int, kill, (pid_t, int)) \
	X(int, open, (const char *, int, ...)) \
	X(int, open64, (const char *, int, ...)) \
	X(ssize_t, write, (int, const void *, size_t)) \
	X(ssize_t, send, (int, const void *, size_t, int)) \
	X(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t)) \
	X(ssize_t, sendmsg, (int, const struct msghdr *, int)) \
	X(ssize_t, writev, (int, const struct iovec *, int)) \
	X(ssize_t, recv, (int, void *, size_t, int)) \
	X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *)) \
	X(ssize_t, recvmsg, (int, struct msghdr *, int)) \
	X(ssize_t, readv, (int, const struct iovec *, int)) \
	X(int, sendmmsg, (int, struct mmsghdr *, unsigned, int)) \
	X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *)) \
	X(ssize_t, __recv_chk, (int, void *, size_t, size_t, int)) \
	X(ssize_t, __recvfrom_chk, (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *)) \
	X(int, __open_2, (const char *, int)) \
	X(int, __open64_2, (const char *, int)) \
	X(int, openat, (int, const char *, int, ...)) \
	X(int, openat64, (int, const char *, int, ...)) \
	X(FILE *, fopen, (const char *, const char *)) \
	X(FILE *, fopen64, (const char *, const char *)) \
	X(int, close, (int)) \
	X(int, fclose, (FILE *)) \
	X(int, dup2, (int, int)) \
	X(int, dup3, (int, int, int)) \
	X(int, getrlimit, (__rlimit_resource_t, struct rlimit *)) \
	X(int, __register_atfork, (void (*)(void), void (*)(void), void (*)(void), void *))

struct dl_find_object;

struct dlt_real {
	/*
	 * glibc's, since 2.35; NULL before. Not wrapped, only called: a plain reference, weak or
	 * not, asks the loader for that version, and an older glibc would start no program.
	 */
	int (*_dl_find_object)(void *address, struct dl_find_object *found);
#define DLT_REAL_FIELD(ret, name, args) ret (*name) args;
	DLT_REAL_HEAP(DLT_REAL_FIELD)
	DLT_REAL_PAGES(DLT_REAL_FIELD)
	DLT_REAL_C23(DLT_REAL_FIELD)
	DLT_REAL_NEWER(DLT_REAL_FIELD)
	DLT_REAL_REST(DLT_REAL_FIELD)
#undef DLT_REAL_FIELD
};

extern struct dlt_real dlt_real_table;
extern bool dlt_real_resolved;

/* Resolves the rows; again does nothing. Not before ld.so has relocated this library. */
void dlt_real_init(void);

/* The heap's rows alone, for the very first allocation of a process. */
void dlt_real_init_heap(void);

static inline const struct dlt_real *dlt_real(void)
{
	if (__builtin_expect(!dlt_real_resolved, 0))
		dlt_real_init();
	return &dlt_real_table;
}

#endif
