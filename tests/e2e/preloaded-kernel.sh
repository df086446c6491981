# SPDX-License-Identifier: MIT
# Beside another preloaded tool that has the C library's ways into the kernel for itself: one that makes up times, as
# libfaketime does, and users, as libuid_wrapper does, and whose first call looks for the real functions while it holds
# a lock, so that an allocation of the loader's brings us in: whoever is first, nothing recurs or waits, and times in the
# trace are the kernel's.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq
need lttng-sessiond

cat >kernel.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long (*real_syscall)(long, ...);
static int (*real_clock)(clockid_t, struct timespec *);
static int (*real_fstat)(int, struct stat *);

/* A function that nobody has: the loader allocates to say so. */
static void find(void)
{
	pthread_mutex_lock(&lock);
	if (!real_clock) {
		dlsym(RTLD_NEXT, "no_such_function_is_here");
		dlerror();
		real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
		real_fstat = (int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat");
		real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	}
	pthread_mutex_unlock(&lock);
}

long syscall(long number, ...)
{
	va_list all;
	long a[6];

	va_start(all, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(all, long);
	va_end(all);
	find();
	return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A thousand times as fast as the kernel's. */
int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int result;

	find();
	result = real_clock(clock, ts);
	ts->tv_sec = ts->tv_sec * 1000 + ts->tv_nsec / 1000000;
	return result;
}

int fstat(int fd, struct stat *st)
{
	int result;

	find();
	result = real_fstat(fd, st);
	st->st_uid = 4711;
	return result;
}

pid_t getpid(void) { find(); return 4711; }
pid_t getppid(void) { find(); return 4711; }
uid_t geteuid(void) { find(); return 4711; }
gid_t getegid(void) { find(); return 4711; }
END
${CC:-gcc} -shared -fPIC -O1 -o kernel.so kernel.c

cat >program.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10; i++) {
		free(malloc(100000));
		usleep(10000);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pid_t child;
	int status;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (child == 0) {
		work(NULL);
		_exit(5);
	}
	waitpid(child, &status, 0);
	printf("%d %d\n", (int)geteuid(), WEXITSTATUS(status));
	return 3;
}
END
${CC:-gcc} -fno-builtin -O1 -o program program.c -pthread

for order in "$PWD/kernel.so:$DLTRACE_LIB" "$DLTRACE_LIB:$PWD/kernel.so"; do
	exits 3 timeout 60 env LD_PRELOAD="$order" ./program
	same "preloaded, $order" "4711 5" "$(cat out)"
done

exits 3 timeout 60 "$RECORD" -o run -- env LD_PRELOAD="$PWD/kernel.so" ./program
same "recorded" "4711 5" "$(cat out)"
exits 0 "$REPORT" -q -f json -o report.json run
holds "both processes lived 0.1 s by the kernel's clock" \
	'[.processes[] | select(.name == "program") | (.end_ns - .begin_ns) / 1e9] | length == 2 and all(. > 0.09 and . < 30)'
holds "each has the pid that the kernel knows" '[.processes[].pid] | index(4711) | not'
holds "and its heap" '[.heap[] | select(.allocations > 9)] | length >= 2'

for name in syscall clock_gettime gettimeofday getpid getppid getuid geteuid getgid getegid stat fstat getrlimit uname \
	    read write open close mmap munmap; do
	! nm -D --undefined-only "$DLTRACE_LIB" | grep -q " $name@" || fail "libdltrace.so calls whoever has $name"
done
