# SPDX-License-Identifier: MIT
# Markdown and LaTeX: the tables that people print, whole and one by one; hostile names stay names.
. "$top_srcdir/tests/report/runs.inc"
hostile='a|b*c_d`e[f](g)<script>&amp;#$%{}\\~^@h :i: https://j "k"'
run p1 1000 100 'python3 train.py --model resnet50 --batch 1 --data small'
run p2 1100 100 'python3 train.py --model resnet50 --batch 1 --data small'
run p3 1200 100 'python3 train.py --model resnet50 --batch 1 --data big'
run q1 2000 100 'python3 q.py --model resnet50 --batch 1 --data small'
sed -i "s|recording exit 0|recording exit 1|" q1.txt
printf 'recording label "framework=%s"\n' "$(printf '%s' "$hostile" | sed 's/[\\"]/\\&/g')" >>q1.txt
sed -i 's/"sgemm_"$/"\\x1b[2Jsgemm_\\n\xc3\xa9\xe6\xbc\xa2"/' p1.txt
"$REPORT" -q p?.txt q1.txt -o r.md -o r.tex -o tables.md/ -o tables.tex/ -o r.json
holds "the name came through" '.runs[3].framework | contains("<script>")' r.json
escape=$(printf '\033')
for file in r.md r.tex tables.*/*; do
	LC_ALL=C grep -q "$escape" "$file" && fail "an escape character in $file"
done
LC_ALL=C grep -lq '[^ -~]' r.tex tables.tex/* && fail "more than ASCII in LaTeX"
grep -q '<script>' r.md tables.md/* && fail "HTML in Markdown"

cat >expected <<'END'
## Seconds in total, cpu, SGD

|  | resnet50 / small | resnet50 / big |
|:---|---:|---:|
| PyTorch 1.13.0 | 1.05 ± 0.64 (2) | 1.20 (1) |
END
sed -n '/^## Seconds/,/^| PyTorch/p' r.md >actual
diff expected actual || fail "the study's table in Markdown"
grep -q 'failed | – |$' r.md || fail "the failed run"
grep -q '| python3 train.py --model resnet50 --batch 1 --data small |.*| status 0 |' r.md || fail "a command and its end are told as data: $(grep train.py r.md)"
grep -q '\["' r.md r.tex && fail "JSON in a document"
/usr/bin/python3 - <<'END'
import glob, re
for name in ["r.md"] + glob.glob("tables.md/*"):
    width = 0
    for line in open(name):
        cells = len(re.sub(r"\\.", "", line).split("|"))
        if line.startswith("|"):
            assert cells == width or not width, (name, line)
            width = cells
        else:
            width = 0
for name in ["r.tex"] + glob.glob("tables.tex/*"):
    depth = 0
    for c in re.sub(r"\\.|%.*", "", open(name).read()):
        depth += (c == "{") - (c == "}")
        assert depth >= 0, name
    assert depth == 0, name
END
grep -q '^PyTorch 1.\\allowbreak{}13.\\allowbreak{}0 & 1.\\allowbreak{}05 $\\pm$ 0.\\allowbreak{}64 (2) & ' tables.tex/study.tex ||
	fail "the study's table in LaTeX"
"$REPORT" -q p?.txt q1.txt -f latex --table study | cmp - tables.tex/study.tex || fail "--table differs from the folder's"
"$REPORT" -q p?.txt q1.txt -f md | cmp - r.md || fail "-f md"

# It compiles: with booktabs, and as tables in a document that has nothing.
command -v pdflatex >/dev/null || exit 0
compile() {
	timeout 120 pdflatex -interaction=nonstopmode -halt-on-error "$1" >log || { tail -20 log; fail "$1 does not compile"; }
}
compile r.tex
{
	printf '%s\n' '\documentclass{article}\begin{document}'
	for file in tables.tex/study.tex tables.tex/runs.tex tables.tex/breakdown.tex tables.tex/phases.tex; do
		printf '\\input{%s}\n' "$file"
	done
	printf '%s\n' '\end{document}'
} >bare.tex
compile bare.tex
exit 0
