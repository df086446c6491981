/* SPDX-License-Identifier: MIT */
/* Calibration of the time-stamp counter against CLOCK_MONOTONIC. */
#include "clock.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "elf.h"
#include "sys.h"

bool dlt_clock_is_tsc;
uint64_t dlt_clock_mult;

struct dlt_clock_pairs dlt_clock_pairs;

#if defined(__aarch64__)
#define VDSO_CLOCK "__kernel_clock_gettime"
#else
#define VDSO_CLOCK "__vdso_clock_gettime"
#endif

typedef int clock_function(clockid_t clock, struct timespec *ts);

static clock_function *kernel_clock;

static int clock_by_call(clockid_t clock, struct timespec *ts)
{
	return (int)dlt_sys(SYS_clock_gettime, clock, (long)ts, 0, 0, 0);
}

/* The kernel maps its own function into each process, without a system call; under valgrind it is not to be used. */
static clock_function *find_kernel_clock(void)
{
	uintptr_t begin = getauxval(AT_SYSINFO_EHDR), base = begin;
	struct dlt_elf_name name = dlt_elf_name(VDSO_CLOCK);
	const ElfW(Sym) *symbol = NULL;
	const ElfW(Phdr) *h = NULL;
	ElfW(Addr) dynamic = 0;
	unsigned count = 0;
	struct dlt_elf vdso;

	if (begin)
		h = dlt_elf_headers(begin, &count);
	for (unsigned i = 0; h && i < count; i++) {
		if (h[i].p_type == PT_LOAD && h[i].p_offset == 0)
			base = begin - h[i].p_vaddr;
		else if (h[i].p_type == PT_DYNAMIC)
			dynamic = h[i].p_vaddr;
	}
	if (dynamic && dlt_elf_open(&vdso, base, (const ElfW(Dyn) *)(base + dynamic)))
		symbol = dlt_elf_find(&vdso, &name, NULL);
	return symbol ? (clock_function *)dlt_elf_address(&vdso, symbol) : clock_by_call;
}

uint64_t dlt_clock_of(clockid_t clock)
{
	clock_function *ask = __atomic_load_n(&kernel_clock, __ATOMIC_RELAXED);
	struct timespec ts;

	if (__builtin_expect(!ask, 0)) {
		ask = find_kernel_clock();
		__atomic_store_n(&kernel_clock, ask, __ATOMIC_RELAXED);
	}
	return ask(clock, &ts) ? 0 : (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct pair {
	uint64_t ticks, ns;
};

#if defined(__x86_64__)
/* The reading with the least time between two TSC reads of eight is off by the fewest ns. */
static struct pair take_pair(void)
{
	struct pair best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = __rdtsc(), ns = dlt_clock_ns(), after = __rdtsc();

		if (after - before < least) {
			least = after - before;
			best = (struct pair){ before + (after - before) / 2, ns };
		}
	}
	return best;
}

static void set_second(struct pair b)
{
	struct dlt_clock_pairs *p = &dlt_clock_pairs;

	p->tsc[1] = b.ticks;
	p->mono[1] = b.ns;
	dlt_clock_mult = (uint64_t)(((unsigned __int128)(b.ns - p->mono[0]) << 32) /
				    (b.ticks - p->tsc[0]));
}

/* By system calls: close() is wrapped, and this runs in the first hook of all. */
static bool kernel_uses_tsc(void)
{
	char name[16] = "";
	int fd = dlt_sys_openat(AT_FDCWD,
				"/sys/devices/system/clocksource/clocksource0/current_clocksource",
				O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	dlt_sys(SYS_read, fd, (long)name, sizeof(name) - 1, 0, 0);
	dlt_sys_close(fd);
	return strncmp(name, "tsc", 3) == 0;
}

void dlt_clock_begin(void)
{
	struct pair a;

	if (!kernel_uses_tsc())
		return;
	a = take_pair();
	dlt_clock_pairs = (struct dlt_clock_pairs){ { a.ticks, 0 }, { a.ns, 0 } };
}

/*
 * The first hook usually comes well before our constructor, so there is nothing to wait for.
 * 50 us give the rate to about 1e-3; each refinement makes it better by its distance.
 */
void dlt_clock_init(void)
{
	if (!dlt_clock_pairs.mono[0] || dlt_clock_is_tsc)
		return;
	while (dlt_clock_ns() - dlt_clock_pairs.mono[0] < 50000)
		;
	set_second(take_pair());
	dlt_clock_is_tsc = true;
}

bool dlt_clock_refine(void)
{
	const struct dlt_clock_pairs *p = &dlt_clock_pairs;

	if (!dlt_clock_is_tsc || __rdtsc() - p->tsc[0] < 2 * (p->tsc[1] - p->tsc[0]))
		return false;
	set_second(take_pair());
	return true;
}
#else
void dlt_clock_begin(void)
{
}

void dlt_clock_init(void)
{
}

bool dlt_clock_refine(void)
{
	return false;
}
#endif
