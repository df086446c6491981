/* SPDX-License-Identifier: MIT */
/*
 * Runs a program to which the kernel refuses a system call, as a sandbox or an older Linux does: refused NAME
 * COMMAND... with a name of the table. Exit status 77: the kernel has no filters.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)
#define MASK(value) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, value)
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)

/* Refused is a call whose third argument is `advice` in the bits of `mask`. */
static const struct refusal {
	const char *name;
	unsigned call, mask, advice, error;
} refusals[] = {
	{ "wipe_on_fork", SYS_madvise, ~0u, MADV_WIPEONFORK, EINVAL },		/* before Linux 4.14 */
	{ "populate_write", SYS_madvise, ~0u, MADV_POPULATE_WRITE, EINVAL },	/* before 5.14 */
	{ "limits", SYS_prlimit64, 0, 0, EPERM },
	{ "kill", SYS_kill, 0, 0, EPERM },
	{ "waitid", SYS_waitid, 0, 0, ENOSYS },
	{ "timers", SYS_timer_create, 0, 0, EPERM },
};

static const struct refusal *find(const char *name)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		if (strcmp(refusals[i].name, name) == 0)
			return &refusals[i];
	return NULL;
}

static int refuse(const struct refusal *r)
{
	struct sock_filter steps[] = {
		FIELD(arch), UNLESS(AUDIT_ARCH_X86_64, 6),
		FIELD(nr), UNLESS(r->call, 4),
		FIELD(args[2]), MASK(r->mask), UNLESS(r->advice, 1),
		ANSWER(SECCOMP_RET_ERRNO | r->error),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(steps) / sizeof(*steps), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	const struct refusal *r = argc > 2 ? find(argv[1]) : NULL;

	if (!r)
		return 2;
	if (refuse(r)) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
