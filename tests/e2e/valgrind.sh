# SPDX-License-Identifier: MIT
# Programs under valgrind, recorded: memcheck finds nothing of ours, and output and status are as without dltrace.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need valgrind
need babeltrace2

# both COMMAND...: what it says and its status, bare and recorded, are the same
both() {
	status=0
	"$@" >plain 2>&1 || status=$?
	rm -rf t
	recorded=0
	"$RECORD" -q --children all -o t -- "$@" >out 2>&1 || recorded=$?
	cmp plain out || fail "$*: another output: $(head -n 20 out)"
	same "exit status of $*" $status $recorded
	babeltrace2 t | grep -q 'dltrace_proc:process: .*exe = "[^"]*valgrind' || fail "$*: valgrind's process is not recorded"
}
both valgrind -q --error-exitcode=9 sh -c 'echo in a shell; exit 2'
both valgrind -q --error-exitcode=9 true
both valgrind -q --tool=none sh -c 'echo in a shell; exit 2'

# A stream in memory, which has no descriptor to look at.
cat >memory.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	size_t size;
	char *text;
	FILE *f;

	f = open_memstream(&text, &size);
	fputs("in memory\n", f);
	fclose(f);
	fputs(text, stdout);
	free(text);
	return 0;
}
C
$CC -g -o memory memory.c
both valgrind -q --error-exitcode=9 ./memory

# What we ask the kernel about is the program's own: of a word of memory memcheck sees what nobody has written.
cat >own.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
	char *environment[4] = { 0 }, *text = malloc(9), *page = aligned_alloc(4096, 4096), *argv[] = { "sh", "-c", "echo $A$B$C", NULL };

	memcpy(text + 1, "epoch 1\n", 8);
	write(STDOUT_FILENO, text + 1, 8);
	write(STDOUT_FILENO, memcpy(page + 4096 - 8, "epoch 2\n", 8), 8);
	write(STDOUT_FILENO, "\n", 1);
	for (int i = 0; i < 3; i++) {
		environment[i] = malloc(4);
		memcpy(environment[i], "A=1", 4);
		environment[i][0] = "ABC"[i];
	}
	execve("/bin/sh", argv, environment);
	return 1;
}
C
$CC -g -o own own.c 2>/dev/null
both valgrind -q --error-exitcode=9 ./own
