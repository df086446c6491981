# SPDX-License-Identifier: MIT
# Every argument of every function whose wrapper jumps to the real one (scripts/gen-functions, unheard_way) arrives there,
# those in registers and those on the stack: bare, under a library that nobody listens to, and recorded; at first, when
# all calls are timed, and later, when tiny ones are only counted.
. "$top_srcdir/tests/lib.sh"
need gcc
export top_srcdir
tables=$(sed -n '/^DLT_WRAPPERS_C/,/[^\\]$/p' "$top_srcdir/tracepoints/Makefile.inc" | grep -o 'wrappers_[a-z]*' |
	sed "s|wrappers_\(.*\)|$top_srcdir/tracepoints/\1.tbl|")
PYTHONDONTWRITEBYTECODE=1 python3 - $tables <<'END'
import importlib.machinery, importlib.util, os, sys
loader = importlib.machinery.SourceFileLoader("made", os.environ["top_srcdir"] + "/scripts/gen-functions")
made = importlib.util.module_from_spec(importlib.util.spec_from_loader("made", loader))
loader.exec_module(made)
_, families, functions = made.parse(sys.argv[1:])
jumps = [f for f in functions if not f.hand and not f.waits and made.is_idle(f, families[f.family])]
CALLS = 600     # more than are timed at first

def is_real(kind):
    return "*" not in kind and kind.split()[0] in ("float", "double")

def seen(kind, name):
    """The argument as a number that is the same wherever the program lies."""
    return f"(uint64_t)({name} * 2)" if is_real(kind) else f"(uint64_t){name}" + (" - (uint64_t)zeros_" if "*" in kind else "")

def value(kind, number):
    return f"{number}.5" if is_real(kind) else f"(void *)(zeros_ + {64 * number})" if "*" in kind else str(number)

with open("stub.c", "w", encoding="ascii") as stub, open("main.c", "w", encoding="ascii") as main:
    print("#include <stddef.h>\n#include <stdint.h>\nchar zeros_[65536];\nuint64_t sum_;\n"
          "static void add_(uint64_t value) { sum_ = sum_ * 31 + value; }", file=stub)
    print("#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\nextern char zeros_[65536];\nextern uint64_t sum_;", file=main)
    for f in jumps:
        print(f"{f.prototype()};", file=main)
        print(f"{f.prototype()}\n{{\n\t" + "\n\t".join(f"add_({seen(*arg)});" for arg in f.args), file=stub)
        print("}" if f.ret == "void" else f"\treturn ({f.ret})0;\n}}", file=stub)
    print("int main(void)\n{", file=main)
    for n, f in enumerate(jumps):
        values = ", ".join(value(kind, i + 1 + n % 50) for i, (kind, _) in enumerate(f.args))
        print(f"\tsum_ = 0;\n\tfor (int i = 0; i < {CALLS if made.likeness(f) else 3}; i++)\n\t\t{f.name}({values});\n"
              f"\tprintf(\"{f.name} %llx\\n\", (unsigned long long)sum_);", file=main)
    print("\treturn 0;\n}", file=main)
print(len(jumps), sum(len(f.args) > 6 for f in jumps), file=open("count", "w", encoding="ascii"))
END
read -r functions long <count
[ "$functions" -gt 1000 ] && [ "$long" -gt 100 ] || fail "$functions functions whose wrappers jump, $long of more than six arguments"
gcc -w -O1 -fno-builtin -shared -fPIC -o libstub.so stub.c
gcc -w -O0 -fno-builtin -o main main.c -L. -lstub -Wl,-rpath,"$TMP"
./main >bare
same "functions" "$functions" "$(wc -l <bare)"
LD_PRELOAD=$DLTRACE_LIB ./main >unheard
same "arguments that are handed on while nobody listens" "" "$(diff bare unheard)"
"$RECORD" -q --require -o trace -- ./main >recorded
same "arguments that are handed on while all is recorded" "" "$(diff bare recorded)"
"$REPORT" -q trace -o "$TMP/r.json"
counted=$(json 'len({b["function"] for b in rows("breakdown")})')
[ "$counted" -gt $((functions / 2)) ] || fail "only $counted of $functions functions were counted"
