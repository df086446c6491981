# SPDX-License-Identifier: MIT
# Two CUDA runtimes in one process, each loaded RTLD_LOCAL with a plugin: every call reaches the
# runtime that its caller is linked with, and says which library called. One of them is unloaded
# and comes back. The same without versions to tell them apart, by what the caller needs.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >plugin.c <<'C'
int cudaMalloc(void **, unsigned long);
int cudaFree(void *);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
void work(int n)
{
	void *p;
	while (n-- > 0) { cudaMalloc(&p, 4096); cudaFree(p); }
}
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static void *use(const char *path, int n)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*work)(int);

	if (!plugin) {
		fprintf(stderr, "%s: %s\n", path, dlerror());
		exit(1);
	}
	work = (void (*)(int))dlsym(plugin, "work");
	work(n);
	return plugin;
}
int main(int argc, char **argv)
{
	void *a = use(argv[1], 3), *b = use(argv[2], 5);

	dlclose(b);
	b = use(argv[2], 7);
	dlclose(a);
	use(argv[1], 1);
	return argc != 3;
}
C
gcc -o main main.c
for v in 12 13; do
	gcc -shared -fPIC -o plugin$v.so plugin.c -L"$STUBS" -l:libcudart.so.$v -Wl,-rpath,"$STUBS"
	gcc -shared -fPIC -o unversioned$v.so -DSTUB_NAME="\"unversioned$v\"" -Wl,-soname,unversioned$v.so -Wl,-Bsymbolic \
		-I"$top_srcdir/tests/stubs" -I"$top_srcdir/tracepoints" "$STUBS/cudart-$v.c" \
		"$top_srcdir/tests/stubs/stub.c" "$top_srcdir/tests/stubs/over.c" "$top_srcdir/tests/stubs/graphs.c" -lpthread
	gcc -shared -fPIC -o uplugin$v.so plugin.c ./unversioned$v.so -Wl,-rpath,"$TMP"
done

session_start 'dltrace_*'
DLTRACE_STUB_REPORT=$TMP/stub LD_PRELOAD=$DLTRACE_LIB ./main ./plugin12.so ./plugin13.so
DLTRACE_STUB_REPORT=$TMP/ustub LD_PRELOAD=$DLTRACE_LIB ./main ./uplugin12.so ./uplugin13.so
session_stop
calls() {
	awk -v s="$2" '$1 == s && $2 == "cudaMalloc" { n += $3 } END { print n + 0 }' $1
}
same "calls of 12" 4 "$(calls stub libcudart.so.12)"
same "calls of 13" 12 "$(calls stub libcudart.so.13)"
same "calls of unversioned 12" 4 "$(calls ustub unversioned12)"
same "calls of unversioned 13" 12 "$(calls ustub unversioned13)"

babeltrace2 "$TMP/trace" >text
same "events" 32 "$(grep -c 'dltrace_cuda:alloc' text)"
grep -o 'dltrace_proc:library: .* library = [1-9][0-9]*,.* path = "[^"]*"' text |
	sed 's/.*process = \([0-9]*\), library = \([0-9]*\),.*path = "\(.*\)"/\1 \2 \3/' >libraries
for v in 12 13; do
	n=0
	grep "plugin$v.so" libraries | sort -u -k 1,2 >ids
	while read -r process id path; do
		n=$((n + $(grep "dltrace_cuda:alloc" text | grep -c "thread = $process, .* library = $id,")))
	done <ids
	same "events by plugin$v.so" $([ $v = 12 ] && echo 8 || echo 24) $n
done
