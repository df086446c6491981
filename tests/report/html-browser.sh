# SPDX-License-Identifier: MIT
# The HTML report in a headless Chromium: nothing goes wrong and no host is asked; sorting,
# filters, zoom and cursor work with mouse and keys; narrow, dark and printed; hostile names.
. "$top_srcdir/tests/lib.sh"
"$REPORT" -f html "$top_srcdir/tests/report/training.txt" >/dev/null 2>&1 || skip "the HTML report is not built in"
PYTHONPATH=$top_srcdir/tests/browser python3 -c 'import browser, sys; sys.exit(not browser.program())' ||
	skip "chromium is not installed"
training=$top_srcdir/tests/report/training.txt
"$REPORT" "$training" -o r.html
"$REPORT" "$training" "$training" -o two.html
sed "s/--model/$(seq -s, 1 500)\\\\x1f--model/" "$training" >long.txt
"$REPORT" long.txt -o long.html
"$REPORT" "$training" "$training" "$training" -o three.html
sed 's/duration=98ms/duration=78ms/; s/duration=2ms/duration=3ms/' "$training" >new.txt
"$REPORT" "$training" new.txt --baseline "$training" -o apart.html
sed 's/duration=2ms/duration=60ms/' "$training" >grown.txt
"$REPORT" "$training" grown.txt --baseline "$training" -o grown.html
python3 "$top_srcdir/tests/report/phased.py" >phased.txt
"$REPORT" -q phased.txt -o phased.html || [ $? = 1 ] || fail "no report with phases"

sed -e 's/"python3"/"<img src=x onerror=hit()>"/' -e 's/libtorch_cpu.so/lib<script>hit()<\/script>.so/' \
	-e 's/name="sgemm_"/name="<\/script><script>hit()<\/script>"/' -e 's/"node7"/"<svg onload=hit()>\\xe2\\x80\\xa8"/' \
	-e 's/kind="compute"/kind="__proto__"/' -e 's/"pt_autograd_0"/"constructor"/' "$training" >hostile.txt
cat >>hostile.txt <<'END'
recording command "<a href=javascript:hit()>x</a>\x1f--!><script>hit()</script>"
[1400ms] dltrace_mark:range thread=1 begun_by=1 kind=4 domain="<b>" name="<style>*{display:none}</style><script>hit()</script>" payload_type=2 payload=18446744073709551615
[1600ms] dltrace_record:note severity=2 kind="<b>" text="<iframe srcdoc='<script>parent.hit()</script>'></iframe>"
problem truncated 10 "<math><mtext></p><script>hit()</script>"
END
"$REPORT" -q hostile.txt -o hostile.html || [ $? = 1 ] || fail "no report of hostile names"
PYTHONPATH=$top_srcdir/tests/browser PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/browser/html.py"
