# SPDX-License-Identifier: MIT
# dltrace-record in a sandbox that lets nobody send signals: it cannot end its helpers, and ends all the same.
. "$top_srcdir/tests/lib.sh"
need gcc
need lttng-sessiond
need pkill

cat >deny.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(rules) / sizeof(rules[0]), rules };

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 99;
	execvp(argv[1], argv + 1);
	return 98;
}
END
gcc -w -o deny deny.c
exits 3 timeout -s KILL 60 setsid -w sh -c 'echo $$ >session; exec "$@"' sh ./deny "$RECORD" -o t -- sh -c 'exit 3'
pkill -KILL -s "$(cat session)" || :	# LTTng's daemons cannot end each other either
"$REPORT" t >report || [ $? = 1 ] || fail "no report"
