# SPDX-License-Identifier: MIT
# -o r.sqlite holds what the JSON holds, cell by cell; its keys point somewhere, its views answer.
. "$top_srcdir/tests/lib.sh"
need sqlite3
sed -e 's/"python3"/"\\x1b]0;owned\\x07'"'"'); DROP TABLE traces; --\\"\\xff"/' \
	-e 's/allocated=256M freed=200M/allocated=18446744073709551615 freed=1/' \
	"$top_srcdir/tests/report/training.txt" >hostile.txt
"$REPORT" hostile.txt "$top_srcdir/tests/report/training.txt" -o r.sqlite -o r.json -o again.sqlite 2>err ||
	{ grep -q "not available in this build" err && skip "built without SQLite"; fail "$(cat err)"; }
cmp r.sqlite again.sqlite || fail "the same report gives other bytes"
same "broken references" "" "$(sqlite3 r.sqlite 'PRAGMA foreign_key_check')"
same "integrity" ok "$(sqlite3 r.sqlite 'PRAGMA integrity_check')"
same "version" "1 1" "$(sqlite3 -separator ' ' r.sqlite "SELECT value, user_version FROM meta, pragma_user_version WHERE key = 'version'")"

# Who made a process is not in the database where the filters leave it out, nor what hung there.
cat >forks.txt <<'END'
dltrace-text 1
recording id 42
[1s] dltrace_proc:process process=9 pid=99 recording=7 begin=1s exe="/usr/bin/other"
[1s] dltrace_proc:process process=1 parent=9 pid=100 recording=42 begin=1s exe="/usr/bin/torchrun"
[2s] dltrace_proc:process process=2 parent=1 pid=101 recording=42 reason=1 begin=2s exe="/usr/bin/python3" ranks=1
[3s] dltrace_record:note severity=1 kind="hang" process=1 text="hangs"
[4s] dltrace_proc:exit process=2
[4s] dltrace_proc:exit process=1
END
tree() {
	rm -f forks.sqlite
	"$REPORT" -q forks.txt "$@" -o forks.sqlite
	same "broken references ($*)" "" "$(sqlite3 forks.sqlite 'PRAGMA foreign_key_check')"
	sqlite3 forks.sqlite 'SELECT depth, process, parent FROM process_tree' | tr '\n' ' '
}
same "a tree" "0|1| 1|2|1 " "$(tree)"
same "the child alone" "0|2| " "$(tree --process 101)"
same "by rank" "0|2| " "$(tree --rank 0)"
same "the parent alone" "0|1| " "$(tree --process torchrun)"

/usr/bin/python3 - <<'END'
import json, sqlite3
db = sqlite3.connect("r.sqlite")
db.row_factory = sqlite3.Row
report = json.load(open("r.json"))

def same(cell, wanted):
    if isinstance(wanted, (list, dict)):
        return json.loads(cell) == wanted
    if isinstance(wanted, int) and abs(wanted) >= 2**63:
        return cell == float(wanted)
    return cell == wanted

tables = [name for name in report if isinstance(report[name], list) and name != "series"]
for name in tables:
    rows = db.execute(f'SELECT * FROM "{name}"').fetchall()
    assert len(rows) == len(report[name]), name
    for row, wanted in zip(rows, report[name]):
        assert list(row.keys()) == list(wanted), (name, row.keys())
        for column in wanted:
            assert same(row[column], wanted[column]), (name, column, row[column], wanted[column])
assert any(row["heap_peak_bytes"] for row in report["processes"])
series = db.execute("SELECT * FROM series ORDER BY series").fetchall()
assert len(series) == len(report["series"]) > 10
for row, wanted in zip(series, report["series"]):
    for column in ("trace", "host", "process", "name", "unit", "mean"):
        assert row[column] == wanted[column], column
    for column in ("library", "device"):
        assert row[column] == wanted.get(column), column
    points = db.execute("SELECT t_ns, value FROM points WHERE series = ?", (row["series"],))
    assert [list(p) for p in points] == wanted["points"], wanted["name"]

# what each column means, and its type
types = {"text": "TEXT", "JSON": "TEXT", "fraction": "REAL", "percent": "REAL", "number": "REAL"}
for name in tables + ["series", "points"]:
    meant = dict(db.execute('SELECT "column", unit FROM meta_columns WHERE "table" = ?', (name,)).fetchall())
    declared = {c["name"]: c["type"] for c in db.execute(f'PRAGMA table_info("{name}")')}
    assert meant.keys() == declared.keys(), name
    assert all(meant.values()), (name, meant)
    for column in declared:
        assert declared[column] == types.get(meant[column], "INTEGER"), (name, column)
for name in ("breakdown", "threads", "processes"):
    assert db.execute(f'PRAGMA foreign_key_list("{name}")').fetchall(), name + " points nowhere"
    assert db.execute(f'PRAGMA index_list("{name}")').fetchall(), name + " has no index"

# every view answers and is explained
views = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")]
assert sorted(views) == sorted(row[0] for row in db.execute("SELECT view FROM meta_views"))
for view in views:
    assert db.execute(f'SELECT * FROM "{view}"').fetchall(), view + " is empty"
top = db.execute("SELECT * FROM top_functions WHERE trace = 1").fetchone()
assert top["function"] == "sgemm_" and round(top["share_percent"], 1) == 99.5, tuple(top)
grew = db.execute("SELECT * FROM function_growth WHERE function = 'sgemm_'").fetchone()
assert grew["trace"] == 1 and grew["growth_seconds"] == 0, tuple(grew)
END
