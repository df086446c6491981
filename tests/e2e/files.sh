# SPDX-License-Identifier: MIT
# Files that a program opens to read are events, by whatever function, each file with a hash of its own
# and its folder by name; what it writes, folders, parts of programs and the system's files are not.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

mkdir data other
printf 12345 >data/a
: >data/program.py
"$APPS/opens" data a >expected || fail "opens"
rm data/made
"$RECORD" -q -o trace -- "$APPS/opens" data a >actual
diff expected actual || fail "what opening gives is not what it was"
"$REPORT" --dump trace | grep dltrace_file:open >opens || fail "no file was opened"
same "opened" 9 "$(wc -l <opens)"
same "sizes" 9 "$(grep -c ' size=5$' opens)"
same "by its path, and relative to a folder" "8 1" "$(sed 's/.* path=\([^ ]*\) .*/\1/' opens | sort | uniq -c | awk '{ print $1 }' | sort -r | paste -s -d ' ')"
same "its folder" '.' "$("$REPORT" --dump trace | sed -n 's/.*proc:object .*type=9 .*name="\(.*\)".*/\1/p' | sort -u)"

# The same path is the same in another process; other files are others.
cat >reads.py <<'END'
import os, sys
for process in range(3):
    if os.fork() == 0:
        for name in "ab":
            open(os.path.join(sys.argv[1], name)).read()
        os._exit(0)
    os.wait()
END
cp data/a data/b
rm -rf trace
"$RECORD" -q -o trace -- python3 reads.py "$PWD/data" >/dev/null
"$REPORT" --dump trace | sed -n "s/.*dltrace_file:open .* path=\([^ ]*\) folder=\([^ ]*\) size=5$/\1 \2/p" | sort | uniq -c >seen
same "three times each" "3 3" "$(awk '{ print $1 }' seen | paste -s -d ' ')"
same "one folder" 1 "$(awk '{ print $3 }' seen | sort -u | wc -l)"
same "by name" "$PWD/data" "$("$REPORT" --dump trace | sed -n "s|.*proc:object .*type=9 .*name=\"\($PWD/data\)\".*|\1|p" | sort -u)"

# Not in a summary, which is of bounded size.
rm -rf trace
"$RECORD" -q -l summary -o trace -- python3 reads.py "$PWD/data" >/dev/null
same "summary" 0 "$("$REPORT" --dump trace | grep -c dltrace_file:open)"
