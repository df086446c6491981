# SPDX-License-Identifier: MIT
# dlsym in bad places, the same with dltrace as without: in other preloads that wrap malloc or dlsym
# themselves (before us and after us), in constructors, destructors, exit handlers, threads that
# start and end while others load and unload, children of threaded programs, signal handlers on a
# small stack; the usual dlerror() idiom; the lookups themselves made CUDA's.
. "$top_srcdir/tests/lib.sh"
need gcc
cc="gcc -D_GNU_SOURCE -O1 -g"

# A malloc wrapper that finds the real one in its first call, as many do, and asks now and then, also
# while the loader is at work. (A lookup there that succeeds is glibc's own undoing: it forgets what
# dlerror() has to say. So not of CUDA where somebody's dlsym hides us from the question.)
cat >mallocs.c <<'C'
#include <dlfcn.h>
#include <stddef.h>
static void *(*real)(size_t);
static int calls;
void *malloc(size_t size)
{
	if (!real)
		real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	calls++;
	if (calls % 100 == 7)
		dlsym(RTLD_DEFAULT, NAME);
	return real(size);
}
int malloc_calls(void) { return calls > 0; }
C
# A dlsym wrapper that asks the next one by a call of its own, as overlays do.
cat >dlsyms.c <<'C'
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
static int calls;
void *dlsym(void *restrict handle, const char *restrict name)
{
	static void *(*real)(void *, const char *);
	if (!real)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	calls++;
	return real(handle, name);
}
int dlsym_calls(void) { return calls > 0; }
C
cat >early.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static void ask(const char *when)
{
	static const char *const names[] = { "cudaMalloc", "cuInit", "malloc", "printf", "nothing" };
	for (int i = 0; i < 5; i++) {
		dlerror();
		void *p = dlsym(RTLD_DEFAULT, names[i]), *next = dlsym(RTLD_NEXT, names[i]);
		printf("%s: %s %d %d\n", when, names[i], p != NULL, next != NULL);
	}
}
static void at_exit(void) { ask("exit handler"); }
__attribute__((constructor(101))) static void first(void) { ask("constructor"); atexit(at_exit); }
__attribute__((destructor)) static void last(void) { ask("destructor"); }
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int alloc(void **, size_t);
static const char *cudart;
static volatile int stop;

static void *load_and_unload(void *unused)
{
	while (!stop) {
		void *h = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), *c = dlopen(cudart, RTLD_NOW | RTLD_LOCAL);
		dlclose(h);
		dlclose(c);
	}
	return unused;
}

/* The idiom that every manual shows. */
static void *look_up(void *handle, const char *name)
{
	dlerror();
	errno = 77;
	void *p = dlsym(handle, name);
	const char *error = dlerror();
	if ((error != NULL) != (p == NULL) || (p && errno != 77))
		printf("%s: p %d, error %s, errno %d\n", name, p != NULL, error ? error : "none", errno);
	return p;
}

static void *ask(void *handle)
{
	for (int i = 0; i < 200; i++) {
		void *p = NULL;
		alloc *a = (alloc *)look_up(handle, "cudaMalloc");
		int (*f)(void *) = (int (*)(void *))look_up(handle, "cudaFree");

		if (!a || !f || a(&p, 64) != 0 || f(p) != 0)
			abort();
		look_up(handle, "cudaNothing");
		look_up(RTLD_DEFAULT, "cuNothing");
		if (!look_up(RTLD_DEFAULT, "printf"))
			abort();
	}
	return NULL;
}

static void *handler_handle;
static volatile sig_atomic_t found;
static void on_signal(int sig)
{
	(void)sig;
	found += dlsym(handler_handle, "cudaFree") != NULL;
	found += dlsym(RTLD_DEFAULT, "write") != NULL;
}

int main(int argc, char **argv)
{
	pthread_t loader, threads[4];
	int status, (*malloc_calls)(void), (*dlsym_calls)(void);
	stack_t stack = { .ss_sp = malloc(16384), .ss_size = 16384 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	(void)argc;
	cudart = argv[1];
	void *handle = dlopen(cudart, RTLD_NOW | RTLD_LOCAL);
	if (look_up(handle, "cudaMalloc") != look_up(handle, "cudaMalloc"))
		puts("two addresses of one function");
	pthread_create(&loader, NULL, load_and_unload, NULL);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, ask, handle);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	stop = 1;
	pthread_join(loader, NULL);
	/* A thread is in the middle of lookups when its process forks. */
	pthread_create(&threads[0], NULL, ask, handle);
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();
		if (child == 0) {
			alarm(20);
			ask(handle);
			_exit(7);
		}
		waitpid(child, &status, 0);
		printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	}
	pthread_join(threads[0], NULL);
	handler_handle = handle;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	printf("in handlers %d\n", (int)found);
	malloc_calls = (int (*)(void))dlsym(RTLD_DEFAULT, "malloc_calls");
	dlsym_calls = (int (*)(void))dlsym(RTLD_DEFAULT, "dlsym_calls");
	printf("wrappers of others ran: malloc %d dlsym %d\n", malloc_calls ? malloc_calls() : -1,
	       dlsym_calls ? dlsym_calls() : -1);
	dlclose(handle);
	return 0;
}
C
$cc -o main main.c -lpthread
cp mallocs.c others.c
for name in mallocs others dlsyms early; do
	asks=cudaMalloc
	[ $name = others ] && asks=nothing
	$cc -shared -fPIC -fno-builtin -fno-optimize-sibling-calls -DNAME="\"$asks\"" -o $name.so $name.c
done

for others in "" mallocs.so dlsyms.so early.so "others.so dlsyms.so early.so"; do
	list=
	for name in $others; do list="$list $TMP/$name"; done
	LD_PRELOAD="$list" timeout 60 ./main "$STUBS/libcudart.so.12" >plain 2>&1 || fail "$others: plain: $?"
	for order in "$DLTRACE_LIB $list" "$list $DLTRACE_LIB"; do
		DLTRACE_STUB_REPORT=$TMP/stub LD_PRELOAD="$order" timeout 60 ./main "$STUBS/libcudart.so.12" >traced 2>&1 ||
			fail "$order: ended with $?: $(cat traced)"
		diff plain traced || fail "$order"
	done
done
