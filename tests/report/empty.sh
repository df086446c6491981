# SPDX-License-Identifier: MIT
# A trace without a single event of dltrace says so; all tables are there.
. "$top_srcdir/tests/lib.sh"
printf 'dltrace-text 1\n' >trace
"$REPORT" -q -f json trace >"$TMP/r.json" || :
if [ -s "$TMP/r.json" ]; then
	same tables 14 "$(json 'sum(isinstance(r[t], list) for t in "traces machines processes threads libraries coverage breakdown shares heap phases iterations failures findings limits".split())')"
	same finding problem "$(json 'r["findings"][0]["severity"]')"
fi
