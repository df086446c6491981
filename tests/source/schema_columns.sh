# SPDX-License-Identifier: MIT
# Every column that an analysis gives a table stands in schema.json, and no other: also of tables that the
# reports of tests/report/schema.sh have no rows of. So do those that text shows before others.
. "$top_srcdir/tests/lib.sh"
python3 - "$top_srcdir" >complaints <<'END' || fail "the columns could not be compared"
import glob, json, os, re, sys

schema = json.load(open(os.path.join(sys.argv[1], "analysis/report/schema.json")))["properties"]
tables = 0
for path in glob.glob(os.path.join(sys.argv[1], "analysis/**/*.c"), recursive=True):
    source = open(path).read()
    for name, columns in re.findall(r'report_add_table\(\w+,\s*"(\w+)",[^;]*?COLUMNS\((\w+)\)', source):
        body = re.search(r"struct column %s\[\] = \{(.*?)\n\};" % columns, source, re.S)
        if not body or name not in schema:
            print(path, name, "is not in the schema" if body else "has columns elsewhere")
            continue
        tables += 1
        have = set(re.findall(r'^\t\{ "(\w+)",', body[1], re.M))
        said = set(schema[name]["items"].get("properties", {}))
        for column in have ^ said:
            print(name, column, "is not in the schema" if column in have else "is in the schema alone")
        for column in have - set(schema[name]["items"].get("required", [])):
            print(name, column, "is not required")
assert tables > 30, tables

source = open(os.path.join(sys.argv[1], "analysis/report/text_page.c")).read()
used = re.findall(r'^\t\{ "(\w+)",\s*\{([^}]*)\}', re.search(r"most_used\[\] = \{(.*?)\n\};", source, re.S)[1], re.M)
assert len(used) > 10, used
for name, columns in used:
    for column in set(re.findall(r'"(\w+)"', columns)) - set(schema[name]["items"]["properties"]):
        print("text_page.c", name, column, "is not in the schema")
END
[ ! -s complaints ] || fail "$(sort complaints)"
