# SPDX-License-Identifier: MIT
# __gmon_start__, by which we hear of new libraries, is never 0 where it was not 0 when it was
# tested: a library tests it in one place and calls it through another, as rustc's LLVM does.
. "$top_srcdir/tests/lib.sh"

cat >tests_it.c <<'C'
extern void __gmon_start__(void) __attribute__((weak));
static void (*volatile tested)(void) = __gmon_start__;

__attribute__((constructor)) static void begin(void)
{
	if (tested)
		__gmon_start__();
}
C
echo 'int main(void) { return 7; }' >main.c
for now in lazy now; do
	$CC -O0 -fPIC -shared -nostartfiles -Wl,-z,$now -o libtests_it.so tests_it.c
	for pie in -pie -no-pie; do
		$CC $pie -Wl,--no-as-needed -o main main.c -L. -ltests_it -Wl,-rpath,"$TMP"
		status=0
		LD_PRELOAD=$DLTRACE_LIB ./main || status=$?
		same "$now, $pie: status" 7 $status
	done
done
if command -v rustc >/dev/null; then
	same "rustc" "$(rustc --version)" "$(LD_PRELOAD=$DLTRACE_LIB rustc --version)"
fi
