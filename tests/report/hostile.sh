# SPDX-License-Identifier: MIT
# Names from a trace reach no terminal as they are, whatever the format, nor by a message.
. "$top_srcdir/tests/lib.sh"
escape=$(printf '\033')
sed -e 's/"python3"/"\\x1b]0;owned\\x07\\x1b[2Jpython3\\xff\\x80"/' \
	-e 's/libtorch_cpu.so/lib\\x1b[31m,\\"<b>torch_cpu.so/' \
	-e 's/name="sgemm_"/name="=sgemm_\\x9b31m\\n"/' \
	-e 's/"node7"/"node\\x1b[7m7"/' "$top_srcdir/tests/report/training.txt" >hostile.txt
cat >>hostile.txt <<'END'
problem truncated 10 "stream \x1b[2J is cut"
END
exits 1 "$REPORT" --width 100 hostile.txt -o r.txt -o r.csv/ -o r.json -o r.svg/
says 'x1b\[2J is cut'
for file in err r.txt r.csv/* r.json r.svg/*; do
	LC_ALL=C grep -q "$escape" "$file" && fail "an escape character in $file"
	LC_ALL=C grep -q "$(printf '\a')" "$file" && fail "a bell in $file"
done
/usr/bin/python3 - <<'END'
import csv, json
report = json.load(open("r.json"))
assert any("\x1b]0;owned" in (t["name"] or "") for t in report["threads"]), "the JSON lost a name"
for table in ("threads", "breakdown", "libraries", "series"):
    rows = list(csv.reader(open(f"r.csv/{table}.csv", newline="")))
    assert len({len(row) for row in rows}) == 1, "uneven rows in " + table
    assert not any(cell[:1] in "=+@" for row in rows for cell in row if cell), "a formula in " + table
END
"$REPORT" "$(printf 'no\033[31msuch')" 2>err && fail "a missing trace was read"
LC_ALL=C grep -q "$escape" err && fail "an escape character in the message about a path"
exit 0
