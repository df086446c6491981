# SPDX-License-Identifier: MIT
# Programs that no preload reaches are said, by fork and exec as by posix_spawn: static ones, also
# behind a script, and as the command itself. Others are not called so.
. "$top_srcdir/tests/lib.sh"
need gcc
echo 'int main(void) { return 0; }' >program.c
gcc -o dynamic program.c
gcc -static -o static program.c 2>/dev/null || skip "no static C library"
gcc -static-pie -o pie program.c
printf '#!%s -x\n' "$TMP/static" >script
chmod +x script

"$RECORD" -q -o trace -- /usr/bin/python3 -c '
import os, subprocess
for name in "./dynamic", "./static", "./pie", "./script":
    os.waitpid(os.posix_spawn(name, [name], os.environ), 0)
if os.fork() == 0:
    os.execv("./static", ["static"])
os.wait()
subprocess.run(["./dynamic"])
'
"$REPORT" -q -f json trace >report.json
same "spawned ones" '["3 programs that it ran cannot be seen: static, of another word size, or with rights of its own (./static)","1 program that it ran cannot be seen: static, of another word size, or with rights of its own (./static)"]' \
	"$(jq -c '[.limits[] | select(.text | contains("cannot be seen")) | .text | sub("^.*\\): "; "")] | sort_by(.) | reverse' report.json)"

# The command itself: what it starts is seen, and that it is not is said.
printf '#!/bin/sh\nexec ./static\n' >execs
chmod +x execs
for command in static pie script dynamic execs; do
	"$RECORD" -q -o trace-$command -- ./$command || fail "$command: exit status $?"
	"$REPORT" -q -f json -o $command.json trace-$command
	same "$command as the command" "$(case $command in static|pie|script) echo 1;; *) echo 0;; esac)" \
		"$(jq '[.findings[] | select(.text | contains("'$command' is linked statically"))] | length' $command.json)"
done

# What setcap has made able to do more, for who is not root: as the command and as a child; unless no more is allowed.
[ "$(id -u)" = 0 ] || skip "the rest needs root"
command -v setpriv >/dev/null || skip "the rest needs setpriv"
gcc -o able program.c
python3 -c 'import os, struct; os.setxattr("able", "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))' ||
	skip "this file system keeps no capabilities"
chmod 755 .
mkdir -m 777 user
# as_user TRACE COMMAND...: how often the report says that something cannot be seen
as_user() {
	setpriv --reuid=65533 --regid=65533 --clear-groups ${rights:-} "$RECORD" -q -o "user/$@" || fail "$*: exit status $?"
	"$REPORT" -q -f json -o user.json "user/$1"
	jq '[(.findings[], .limits[]) | select(.text | contains("able is linked") or contains("with rights of its own (./able)"))] | length' user.json
}
same "capabilities, the command" 1 "$(as_user command -- ./able)"
same "capabilities, a child" 1 "$(as_user child -- sh -c './able; ./dynamic')"
same "no new privileges" 0 "$(rights=--no-new-privs as_user none -- sh -c './able; ./dynamic')"
