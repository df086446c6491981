# SPDX-License-Identifier: MIT
# A program of 32 bits, or linked with another C library, whose ld.so would complain of a library of 64 on its standard error, writes what it writes
# without us, however it was started; what it starts in turn is not followed, and others still are.
. "$top_srcdir/tests/lib.sh"
need gcc
[ -e /lib/ld-linux.so.2 ] || fail "no loader for programs of 32 bits: scripts/setup tests"

# Without a C library of 32 bits; ld.so itself is in it.
cat >program.c <<'EOF'
__asm__(".globl _start\n_start: mov $4, %eax; mov $1, %ebx; call 1f; .ascii \"ran\\n\"\n"
	"1: pop %ecx; mov $4, %edx; int $0x80; mov $1, %eax; mov $7, %ebx; int $0x80");
EOF
gcc -m32 -fPIC -pie -nostdlib -Wl,--dynamic-linker=/lib/ld-linux.so.2 -o narrow program.c
printf '#!%s\n' "$TMP/narrow" >script
chmod +x script
status=0
./narrow || status=$?
same "it runs" 7 $status

cat >starts.py <<'EOF'
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None)
def arrays(*words):
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)
def ended(pid):
    print(os.waitpid(pid, 0)[1] >> 8, flush=True)
def forked(run, *arguments):
    pid = os.fork()
    if pid == 0:
        run(*arguments)
        os._exit(1)
    ended(pid)
for name in "./narrow", "./script":
    ended(os.posix_spawn(name, [name], os.environ))
    forked(os.execv, name, [name])
    print(subprocess.run([name]).returncode, flush=True)
os.environ["PATH"] = os.getcwd() + ":" + os.environ["PATH"]
ended(os.posix_spawnp("narrow", ["narrow"], os.environ))
forked(libc.execvp, b"narrow", arrays(b"narrow"))
forked(libc.execlp, b"narrow", b"narrow", None)
forked(libc.execvpe, b"narrow", arrays(b"narrow"), arrays(b"LD_PRELOAD=" + os.environb.get(b"LD_PRELOAD", b"")))
print(os.system("./narrow") >> 8, flush=True)
# An environment that takes no other: of a program that is reached it stays as it is.
print(subprocess.run(["env"], env=os.environ, stdout=subprocess.PIPE).stdout.count(b"LD_PRELOAD"), flush=True)
EOF
env LD_PRELOAD= /usr/bin/python3 starts.py >plain 2>&1
grep -q ran plain || fail "nothing ran: $(cat plain)"
env LD_PRELOAD="$DLTRACE_LIB" /usr/bin/python3 starts.py >traced 2>&1
diff plain traced || fail "a program of 32 bits writes something else under libdltrace.so"
"$RECORD" -q --children all -o trace -- /usr/bin/python3 starts.py >recorded 2>&1
diff plain recorded || fail "a program of 32 bits writes something else under dltrace-record"

# musl's loader, by its name: a link to the one that is here. The program says whether we are preloaded.
ln -s "$(readlink -f /lib64/ld-linux-x86-64.so.2)" ld-musl-x86_64.so.1
cat >loaded.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	return puts(dlsym(RTLD_DEFAULT, "dltrace_push") ? "preloaded" : "alone") < 0;
}
EOF
gcc -o ordinary loaded.c
gcc -Wl,--dynamic-linker="$TMP/ld-musl-x86_64.so.1" -o musl loaded.c
for way in "env LD_PRELOAD=$DLTRACE_LIB" "$RECORD -q --children all -o musl-trace --"; do
	same "of one C library and of another, by $way" "preloaded alone" "$(echo $($way sh -c './ordinary; ./musl'))"
done

# The command itself is such a one: it runs as without, and why nothing of it is recorded is said and in the report.
for command in narrow script musl; do
	status=0
	./$command >plain || status=$?
	recorded=0
	"$RECORD" -q -o trace-$command -- ./$command >out 2>err || recorded=$?
	same "exit status of $command" $status $recorded
	cmp plain out || fail "$command writes something else as a command of dltrace-record"
	same "words about $command" 1 "$(wc -l <err)"
	grep -q "$command is made for another word size, machine or C library than libdltrace.so" err || fail "not said: $(cat err)"
	"$REPORT" -q -f json -o report.json trace-$command || [ $? = 1 ]
	grep -q "is made for another word size, machine or C library" report.json || fail "$command: not in the report"
done
