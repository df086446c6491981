# SPDX-License-Identifier: MIT
# A signal's handler that runs while a child is made anew, and calls what is traced, makes no second one of it.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >forks.c <<'C'
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t came;
static void traced(void) { munmap(mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1 << 20); }
static void handler(int sig) { (void)sig; came++; traced(); }
int main(void)
{
	pid_t sender;
	int i, status, all = 0;

	setpgid(0, 0);	/* the signals are for this program alone */
	signal(SIGUSR1, handler);
	sender = fork();
	if (!sender) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, SIG_IGN);
		for (;;)
			kill(0, SIGUSR1);
	}
	for (i = 0; i < 2000; i++) {
		pid_t child = fork();

		if (!child) {
			traced();
			kill(getpid(), SIGKILL);	/* leaves its box */
		}
		waitpid(child, &status, 0);
		all |= status != SIGKILL;
	}
	kill(sender, SIGKILL);
	waitpid(sender, &status, 0);
	return all || came < 10;	/* thousands, where the sender has a CPU of its own */
}
C
gcc -O1 -o forks forks.c
"$RECORD" -q --require -o trace -- ./forks || fail "status $?"
"$REPORT" -q trace -o "$TMP/r.json"
same "processes" 2002 "$(json 'len(r["processes"])')"
same "each is one" 2002 "$(json 'len({p["pid"] for p in r["processes"]})')"
