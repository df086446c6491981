# SPDX-License-Identifier: MIT
# What -f json writes is what schema.json says: every table, every column, no other.
. "$top_srcdir/tests/lib.sh"
python=/usr/bin/python3
$python -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"

"$REPORT" "$top_srcdir/tests/report/training.txt" -o r.json
"$REPORT" "$top_srcdir/tests/report/training.txt" "$top_srcdir/tests/report/training.txt" -o two.json
$python - "$top_srcdir/analysis/report/schema.json" r.json two.json <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for name in sys.argv[2:]:
    report = json.load(open(name))
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(report))
    for e in errors:
        print(name, list(e.path), e.message[:200])
    for table in ("processes", "threads", "libraries", "breakdown", "shares", "heap", "failures",
                  "findings", "limits", "series"):
        assert report[table], "nothing in " + table
    assert not errors
END
