# SPDX-License-Identifier: MIT
# The HTML report is one file whose data are those of the JSON, reduced but with every peak, and
# whose names, however hostile, are data: outside a browser.
. "$top_srcdir/tests/lib.sh"
"$REPORT" -f html "$top_srcdir/tests/report/training.txt" >/dev/null 2>err || {
	grep -q "not built in: install libjs-dygraphs" err || fail "$(cat err)"
	skip "the HTML report is not built in"
}

cat >page.py <<'END'
import base64, hashlib, html.parser, json, re, sys
class Page(html.parser.HTMLParser):
    """Elements in order, and what stands in <script> and <style>."""
    def __init__(self, text):
        super().__init__()
        self.tags, self.parts, self.meta, self.open = [], [], "", None
        self.feed(text)
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        for name, value in attributes.items():
            assert not name.startswith("on") and name != "style", f"<{tag} {name}>"
            assert name not in ("src", "href") or value.startswith(("#", "data:")), f"<{tag} {name}={value}>"
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.meta = attributes["content"]
        if tag in ("script", "style"):
            self.open = [tag, attributes, ""]
            self.parts.append(self.open)
    def handle_data(self, data):
        if self.open:
            self.open[2] += data
    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.open = None

def data(path):
    text = open(path, encoding="utf-8", newline="").read()
    page = Page(text)
    scripts = [p for p in page.parts if p[1].get("type") != "application/json"]
    for tag, _, content in scripts:
        digest = "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"
        assert digest in re.search(tag + "-src ([^;]*)", page.meta)[1], "a " + tag + " that the policy refuses"
    assert "default-src 'none'" in page.meta and "unsafe" not in page.meta
    blocks = [p[2] for p in page.parts if p[1].get("type") == "application/json"]
    assert len(blocks) == 1, "one block of data"
    assert not re.search(r"[^\x0a\x20-\x7e]|[<>&]", blocks[0]), "characters that end a script, or hide"
    assert "sourceMappingURL" not in text
    assert "Permission is hereby granted" in text, "no licence of dygraphs"
    assert len(text) < 1500000 + len(blocks[0])
    return json.loads(blocks[0]), page
END

cat >same.py <<'END'
import json, page
found, _ = page.data("r.html")
whole = json.load(open("r.json"))
for name, rows in whole.items():
    if not isinstance(rows, list) or name == "series":
        continue
    table = found["tables"][name]
    columns = [c[0] for c in table["columns"]]
    assert len(table["rows"]) + table["more"] == len(rows), name
    for row, cells in zip(rows, table["rows"]):
        if name in ("breakdown", "threads", "processes", "heap"):
            for column, cell in zip(columns, cells):
                assert cell == row[column] or isinstance(cell, float), (name, column, cell, row[column])
assert len(found["series"]) == len(whole["series"])
for a, b in zip(found["series"], whole["series"]):
    assert (a["name"], a["process"]) == (b["name"], b["process"])
    if b["points"]:
        assert abs(max(a["v"]) - max(v for _, v in b["points"])) <= 1e-5 * max(a["v"]), a["name"]
        assert abs(sum(a["t"]) - b["points"][-1][0] / 1000) <= 1, a["name"]
END
"$REPORT" "$top_srcdir/tests/report/training.txt" -o r.html -o r.json
python3 same.py || fail "the page has other data than the JSON"
cp r.html first.html
"$REPORT" "$top_srcdir/tests/report/training.txt" -o r.html
cmp r.html first.html || fail "the same report gives another page"

# Long series: a peak and a valley of one sample each stay.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/x"'
	awk 'BEGIN { for (i = 1; i <= 40000; i++)
		printf "[%dms] dltrace_sample:process process=1 time=%dms threads=%d\n", 1000 + i * 20, 1000 + i * 20,
			i == 12345 ? 900 : i == 23456 ? 1 : 100 + i % 7 }'
} >long.txt
"$REPORT" long.txt -o r.html
python3 - <<'END' || fail "a peak was dropped"
import page
found, _ = page.data("r.html")
values = [s["v"] for s in found["series"] if s["name"] == "threads" and s["process"] is not None][0]
assert len(values) <= 2000, len(values)
assert max(values) == 900 and min(values) == 1, (max(values), min(values))
END

# Names that try everything that ends a script, opens a tag, or reads as another text.
cat >hostile.txt <<'END'
dltrace-text 1
host "</script><script>alert(1)</script>"
recording command "--><img src=x onerror=alert(2)>\x1f</title><svg onload=alert(3)>"
[1s] dltrace_proc:process process=1 pid=1 begin=1s exe="/bin/<!--<script>" host="\xe2\x80\xa8\xe2\x80\xae&lt;b&gt;" command="]]>\x1f\xff\xfe"
[1s] dltrace_proc:thread thread=1 process=1 tid=1 begin=1s name="</SCRIPT\x0a>"
[2s] dltrace_sample:process process=1 time=2s threads=18446744073709551615 allocated=18446744073709551615
problem truncated 10 "<iframe src=javascript:alert(4)>"
END
# Each kind of work has a colour of its own.
kinds=$(sed -n '/^static const char \*const kind_order/,/};/s/[^"]*"\([a-z]*\)",/\1 /gp' "$top_srcdir/analysis/report/figure_kinds.c")
[ "$(echo $kinds | wc -w)" -gt 5 ] || fail "kinds: $kinds"
for kind in $kinds other; do
	sed -n '/const KINDS/,/;/p' "$top_srcdir/analysis/report/html/breakdown.js" | grep -q "'$kind'" || fail "no colour for $kind"
done
same "colours" "$(sed -n '/const KINDS/,/;/p' "$top_srcdir/analysis/report/html/breakdown.js" | grep -o "'[a-z]*'" | wc -l)" \
	"$(grep '^\.tone-' "$top_srcdir/analysis/report/html/page.css" | sed 's/^[^{]*//' | sort -u | wc -l)"

"$REPORT" -q hostile.txt -o r.html || [ $? = 1 ] || fail "no report of hostile names"
python3 - <<'END' || fail "hostile names got through"
import page
found, hostile = page.data("r.html")
_, first = page.data("first.html")
assert hostile.tags == first.tags, "other elements than in a harmless page"
assert "\u202e" not in str(found) and "\u2028" not in str(found)
END
