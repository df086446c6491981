/* SPDX-License-Identifier: MIT */
/*
 * Asks for memory where stacks are not what they seem. What to do: fiber; shifts; above; embeds LIBRARY (Python's);
 * calls LIBRARY (its ask()).
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#ifdef __clang__
#define FAR __attribute__((noinline))
#else
#define FAR __attribute__((noinline, noclone))
#endif

static volatile int after;	/* so that no call is a jump */

/* ---- a fiber, whose stack lies below its thread's and ends where nothing can be read ------------------------- */

/*
 * switch_to(save, to), as libraries of fibers have it, and what a fiber would return to: right behind a function whose
 * rules, if they were taken for its, would lead out of the stack.
 */
__asm__(".text\n.globl switch_to\nswitch_to:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rsp, (%rdi)\nmov %rsi, %rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	"before:\n.cfi_startproc\npush %rax\n.cfi_adjust_cfa_offset 8\ncall abort\n.cfi_endproc\n"
	".globl finish\nfinish:\nud2\n");
void switch_to(void **save, void *to);
void finish(void);

static void *thread_rsp, *fiber_rsp, *block;

static void fiber(void)
{
	block = malloc(200000);
	switch_to(&fiber_rsp, thread_rsp);
}

#define FIBER 65536	/* bytes */

static void *in_thread(void *argument)
{
	char *stack;
	void **rsp;

	do {
		stack = mmap(NULL, FIBER + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(stack + FIBER, 4096, PROT_NONE);
	} while ((uintptr_t)stack > (uintptr_t)__builtin_frame_address(0));
	rsp = (void **)(stack + FIBER);
	*--rsp = (void *)(uintptr_t)finish;
	*--rsp = (void *)(uintptr_t)fiber;
	fiber_rsp = rsp - 6;
	switch_to(&thread_rsp, fiber_rsp);
	free(block);
	return argument;
}

static void fibers(void)
{
	pthread_t t;

	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
}

/* ---- two callers whose frames are not equally large, while those inside lie at the same addresses ------------ */

FAR static void *inner(void)
{
	void *p = malloc(100000);

	after++;
	return p;
}

FAR static void *between(size_t size)
{
	volatile char *room = alloca(size);
	void *p;

	room[0] = 0;
	p = inner();
	after += room[0];
	return p;
}

/* What is not written to still holds what an earlier stack had there. */
FAR static void *hole(size_t size)
{
	volatile char *room = alloca(size);
	void *p;

	__asm__ volatile("" : : "r"(room));
	p = between(16);
	after++;
	return p;
}

FAR static void *wide(size_t size)
{
	volatile char room[64];
	void *p;

	room[0] = 0;
	p = hole(size);
	after += room[0];
	return p;
}

FAR static void *narrow(size_t size)
{
	void *p = hole(size);

	after++;
	return p;
}

static void shifts(void)
{
	static void *(*const ways[])(size_t) = { wide, narrow };

	for (size_t shift = 0; shift <= 320; shift += 16)
		for (volatile int way = 0; way < 2; way++)
			ways[way](way ? shift + 16 : 16);
}

/* ---- a handler on a stack of its own that lies above the one that it comes upon ------------------------------ */

static uintptr_t text_begin, text_end;	/* libdltrace's: outside of the C library, so the handler may allocate */
static volatile int handled;

static void find_text(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], rights[8];
	unsigned long begin, end;

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "libdltrace.so") && sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 &&
		    rights[2] == 'x') {
			text_begin = begin;
			text_end = end;
		}
	if (maps)
		fclose(maps);
}

static void handler(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	if (at - text_begin >= text_end - text_begin)
		return;
	for (int i = 0; i < 3; i++)
		free(malloc(90000));
	handled++;
}

FAR static void deep(int depth)
{
	if (depth)
		deep(depth - 1);
	else
		free(malloc(100000));
	after++;
}

static void above(void)
{
	char own[65536];
	stack_t stack = { .ss_sp = own, .ss_size = sizeof(own) };
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	int count = 0;

	find_text();
	sigaltstack(&stack, NULL);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	while (handled < 100 && text_end)
		deep(count++ * 7 % 50);
	setitimer(ITIMER_PROF, &never, NULL);
	printf("handler %d\ndeep %d\n", 3 * handled, count);
}

/* ---- libraries ----------------------------------------------------------------------------------------------- */

/* Python that comes and goes, beside a thread that has nothing to do with it. */
static volatile int stop;

static void *beside(void *argument)
{
	while (!stop)
		free(malloc(80000));
	return argument;
}

static void embeds(const char *library)
{
	static const char program[] = "def f():\n  return bytearray(300000)\nf()\n";
	pthread_t t;

	pthread_create(&t, NULL, beside, NULL);
	for (int i = 0; i < 3; i++) {
		void *python = dlopen(library, RTLD_NOW | RTLD_GLOBAL);

		((void (*)(void))dlsym(python, "Py_Initialize"))();
		((int (*)(const char *))dlsym(python, "PyRun_SimpleString"))(program);
		((int (*)(void))dlsym(python, "Py_FinalizeEx"))();
		dlclose(python);
		if (dlopen(library, RTLD_NOLOAD | RTLD_NOW))
			puts("it stays");
		block = malloc(100000);
		free(block);
	}
	stop = 1;
	pthread_join(t, NULL);
}

static void calls(const char *library)
{
	void *l = dlopen(library, RTLD_NOW);

	free(((void *(*)(size_t))dlsym(l, "ask"))(300000));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "fiber"))
		fibers();
	else if (!strcmp(what, "shifts"))
		shifts();
	else if (!strcmp(what, "above"))
		above();
	else if (!strcmp(what, "embeds") && argc > 2)
		embeds(argv[2]);
	else if (!strcmp(what, "calls") && argc > 2)
		calls(argv[2]);
	puts("whole");
	return 0;
}
