# SPDX-License-Identifier: MIT
# What is covered is said of processes, too, that had no time to look at their end, and of forked ones: a driver that
# was looked up, under two of its names.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >ends.c <<'C'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int calls(const char *file)
{
	void *driver = dlopen(file, RTLD_NOW);
	int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
	for (int i = 0; init && i < 100; i++)
		init(0);
	return init != NULL;
}
int main(int argc, char **argv)
{
	pid_t child;
	if (argc < 4 || !calls(argv[2]))
		return 1;
	if (!strcmp(argv[1], "fork")) {
		child = fork();
		if (child == 0)
			_exit(!calls(argv[3]));
		waitpid(child, NULL, 0);
	} else {
		raise(atoi(argv[1]));
	}
	return 0;
}
C
gcc -o ends ends.c
real=$(readlink -f "$STUBS/libcuda.so.1")
ln -s "$real" other.so

# covered END STATUS [OPTION]
covered() {
	rm -rf run
	status=0
	"$RECORD" -q $3 -o run -- ./ends "$1" "$real" "$TMP/other.so" || status=$?
	same "exit status of $1" "$2" "$status"
	"$REPORT" -q -f json run >report.json || [ $? = 1 ]
	holds "the driver by $1 $3" '[.coverage[] | select(.kind == "cuda driver") | [.covered, .calls]] | unique | .[0] == ["driver", 100]'
	holds "nothing is said to be missing by $1 $3" '[.coverage[] | select(.library != null and .covered == "no")] == []'
}
covered 9 137 ""
covered 15 143 ""
covered 11 139 ""
covered 9 137 --audit
covered 9 137 --in-process
covered fork 0 ""
holds "a library under two names is one" '[.coverage[] | select(.kind == "cuda driver")] | length == 1'
