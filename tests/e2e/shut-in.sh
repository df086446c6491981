# SPDX-License-Identifier: MIT
# A process that shuts itself in by seccomp(2), so that it may call next to nothing of the kernel: it ends as without
# tracing, by _exit, exit and quick_exit, in a child or in the first process; the recorder knows its status. One that may
# only read and write, and does not even have the TSC, computes, allocates and prints as without tracing.
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

cat >strict.c <<'END'
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void cblas_dscal(int n, double by, double *x, int step);

static double x[1000];
static void *volatile kept;

static void work(void)
{
	for (int i = 0; i < 1000; i++) {
		kept = malloc(100);
		free(kept);
		cblas_dscal(10, 1, x, 1);
	}
}

int main(void)
{
	work();
	if (write(1, "epoch 1 of 2\n", 13) != 13 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		abort();
	work();
	if (write(1, "epoch 2 of 2\n", 13) != 13)
		abort();
	syscall(SYS_exit, 7);
}
END
cat >blas.c <<'END'
void cblas_dscal(int n, double by, double *x, int step) { while (n-- > 0) x[n * step] *= by; }
END
gcc -w -shared -fPIC -o libcblas.so blas.c
gcc -w -o strict strict.c -L. -lcblas -Wl,-rpath,"$PWD"
exits 7 ./strict
for level in summary calls full; do
	stacks=
	[ $level = summary ] || stacks=--stacks
	exits 7 "$RECORD" -q -l $level $stacks --children all -o "strict-$level" -- ./strict
	"$REPORT" -q -f json "strict-$level" >r.json || [ $? = 1 ] || fail "strictly, $level: no report"
	same "strictly, $level: how it ended" "{'status': 7}" "$(json 'r["processes"][-1]["exit"]')"
	same "strictly, $level: the heap is counted" True "$(json 'r["heap"][-1]["allocations"] >= 2000')"
	same "strictly, $level: what is not known" 1 "$(json 'sum("not seen afterwards: strict seccomp" in l["text"] for l in r["limits"])')"
	"$REPORT" -q --verify "strict-$level" >verify.txt || fail "strictly, $level: $(grep -A3 '✗' verify.txt)"
done

# Where nobody records, but somebody listens: LTTng is left alone.
session_start 'dltrace_*'
for how in _exit quick_exit; do
	exits 7 env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_CHILDREN=all ./shut $how child
done
session_stop
