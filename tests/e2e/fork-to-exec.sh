# SPDX-License-Identifier: MIT
# Children that Python's subprocess forks for nothing but exec are no processes of the trace: LTTng is
# not connected anew in them. What they become is as without dltrace, and traced if it is Python.
. "$top_srcdir/tests/lib.sh"
need gcc
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
# Today's Python takes vfork, and Debian's has this module inside: the name is what counts.
cat >launcher.c <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int status(pid_t child)
{
	int result;

	waitpid(child, &result, 0);
	return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}
int launch(char **argv, int twice)
{
	pid_t child = fork();

	if (child)
		return status(child);
	/* as with a preexec_fn that forks, and uses memory */
	if (twice && (free(malloc(1 << 20)), child = fork()))
		_exit(status(child));
	execv(argv[0], argv);
	_exit(99);
}
EOF
gcc -shared -fPIC -o _posixsubprocess.test.so launcher.c
cat >family.py <<'EOF'
import ctypes, os, signal, sys
library = ctypes.CDLL("./_posixsubprocess.test.so")
def launch(*words, twice=False):
    sys.stdout.flush()
    print(library.launch((ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words)), twice))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
for twice in False, True:
    launch("/bin/grep", "^SigBlk", "/proc/self/status", twice=twice)
    launch("/bin/false", twice=twice)
    launch("/nowhere", twice=twice)
    launch("/bin/sh", "-c", "exit 7", twice=twice)
launch("/usr/bin/python3", "-c", "print('traced')")
launch("/bin/sh", "-c", "/usr/bin/python3 -c 'print(8)'; exit 9")
if os.fork() == 0:
    os._exit(5)
print(os.wait()[1])
EOF
/usr/bin/python3 family.py >plain
timeout 60 "$RECORD" -q --require -o trace -- /usr/bin/python3 family.py >recorded || fail "status $?"
diff plain recorded || fail "differs under dltrace-record"
"$REPORT" -q -f json trace >report.json
same "what they became" "/bin/false /bin/grep /bin/sh /bin/sh /usr/bin/python3" "$("$REPORT" --dump trace |
	sed -n 's/.*proc:child .*how=5 .*path="\(.[^"]*\)".*/\1/p' | sort | tr '\n' ' ' | sed 's/ $//')"
# The program, the two that are Python again, and the child of os.fork
same "processes" 4 "$(jq '.processes | length' report.json)"
same "all but the first are its children" '[null,1,1,1]' "$(jq -c '[.processes[].parent]' report.json)"
same "made, and only counted" '[11,9]' "$(jq -c '.processes[0] | [.children, .children_counted]' report.json)"
same "nothing lost" 0 "$(jq '[.limits[] | select(.kind == "lost")] | length' report.json)"
