/* SPDX-License-Identifier: MIT */
/*
 * Runs a program as on an older Linux: older ADVICE COMMAND..., where madvise does not know that advice (18,
 * MADV_WIPEONFORK: before 4.14; 23, MADV_POPULATE_WRITE: before 5.14). Exit status 77: the kernel has no filters.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)

static int forget(unsigned advice)
{
	struct sock_filter steps[] = {
		FIELD(arch), UNLESS(AUDIT_ARCH_X86_64, 5),
		FIELD(nr), UNLESS(SYS_madvise, 3),
		FIELD(args[2]), UNLESS(advice, 1),
		ANSWER(SECCOMP_RET_ERRNO | EINVAL),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(steps) / sizeof(*steps), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (forget((unsigned)atoi(argv[1]))) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
