# SPDX-License-Identifier: MIT
# Where a filter of seccomp's does not let a program ask for its limits, LTTng would end it as it is opened: it is left
# closed, and the program runs as without.
. "$top_srcdir/tests/lib.sh"
need gcc
need lttng-sessiond

cat >denied.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	execvp(argv[1], argv + 1);
	return 2;
}
END
gcc -o denied denied.c
for way in "env LD_PRELOAD=$DLTRACE_LIB" "$RECORD -q -o trace --" "$RECORD -q --in-process -o in --"; do
	exits 4 $way ./denied sh -c 'echo done; exit 4'
	same "$way: output" done "$(cat out)"
done
