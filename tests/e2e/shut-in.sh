# SPDX-License-Identifier: MIT
# A process that shuts itself in by seccomp(2), so that it may call next to nothing of the kernel: it ends as without
# tracing, by _exit, exit and quick_exit, in a child or in the first process; the recorder knows its status.
. "$top_srcdir/tests/lib.sh"
need gcc
need lttng-sessiond

cat >shut.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void shut_in(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(rules) / sizeof(rules[0]), rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		abort();
}

static void end(const char *how)
{
	free(malloc(100));
	shut_in();
	free(malloc(100));
	if (write(1, "in\n", 3) != 3)
		abort();
	if (!strcmp(how, "_exit"))
		_exit(7);
	if (!strcmp(how, "quick_exit"))
		quick_exit(7);
	exit(7);
}

int main(int argc, char **argv)
{
	int status;

	if (argc > 2 && fork()) {
		wait(&status);
		return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	end(argv[1]);
}
END
gcc -w -o shut shut.c
for how in _exit exit quick_exit; do
	for where in '' child; do
		exits 7 ./shut $how $where
		# LTTng has a destructor that asks the kernel, and is in a process that nobody records.
		[ $how = exit ] || exits 7 env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_CHILDREN=all ./shut $how $where
		exits 7 "$RECORD" -q --children all -o "recorded-$how$where" -- ./shut $how $where
		"$REPORT" -q -f json "recorded-$how$where" >r.json || [ $? = 1 ] || fail "$how $where: no report"
		same "$how $where: how it ended" "{'status': 7}" "$(json 'r["processes"][-1]["exit"]')"
		same "$how $where: what is not known" 1 "$(json 'sum("may have shut itself in: seccomp" in l["text"] for l in r["limits"])')"
		"$REPORT" -q --verify "recorded-$how$where" >verify.txt || fail "$how $where: $(grep -A3 '✗' verify.txt)"
	done
done

# Where nobody records, but somebody listens: LTTng is left alone.
session_start 'dltrace_*'
for how in _exit quick_exit; do
	exits 7 env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_CHILDREN=all ./shut $how child
done
session_stop
